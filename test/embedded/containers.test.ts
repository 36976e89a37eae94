import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { runCli } from '../../cli/run-cli';
import { CapturedStream } from '../cli/capture';

const root = join(__dirname, '..', '..');

/** The parts of the Compose specification that the file uses; anything else in it is a mistake or belongs here. */
const duration = { type: 'string', pattern: '^(\\d+(h|m|s|ms))+$' };
const strings = { type: 'array', items: { type: 'string' } };
const schema = {
  type: 'object',
  required: ['services', 'volumes'],
  additionalProperties: false,
  patternProperties: { '^x-': {} },
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
    services: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['image', 'restart', 'logging'],
        additionalProperties: false,
        properties: {
          image: { type: 'string', pattern: '^[a-z0-9./-]+:[0-9]+\\.[0-9]+(\\.[0-9]+)?(-[a-z]+)*$' },
          build: { type: 'string' },
          command: strings,
          environment: { type: 'object', additionalProperties: { type: 'string' } },
          volumes: { type: 'array', items: { type: 'string', pattern: '^[a-z]+:/[a-z/]+$' } },
          ports: { type: 'array', items: { type: 'string', pattern: '^127\\.0\\.0\\.1:\\d+:\\d+$' } },
          restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
          entrypoint: strings,
          logging: {
            type: 'object',
            required: ['driver', 'options'],
            additionalProperties: false,
            properties: {
              driver: { const: 'json-file' },
              options: {
                type: 'object',
                required: ['max-size', 'max-file'],
                additionalProperties: { type: 'string', pattern: '^[1-9]\\d*[km]?$' },
              },
            },
          },
          stop_grace_period: duration,
          mem_limit: { type: 'string', pattern: '^\\d+[bkmg]$' },
          depends_on: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              required: ['condition'],
              additionalProperties: false,
              properties: {
                condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
              },
            },
          },
          healthcheck: {
            type: 'object',
            required: ['test', 'interval', 'timeout', 'retries'],
            additionalProperties: false,
            properties: {
              test: {
                oneOf: [
                  { type: 'array', minItems: 2, maxItems: 2, items: [{ const: 'CMD-SHELL' }, { type: 'string' }] },
                  { type: 'array', minItems: 2, items: [{ const: 'CMD' }], additionalItems: { type: 'string' } },
                ],
              },
              interval: duration,
              timeout: duration,
              start_period: duration,
              retries: { type: 'integer', minimum: 1 },
            },
          },
        },
      },
    },
  },
};

interface Service {
  image: string;
  command?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: unknown;
}

const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};

describe('docker-compose.yml', () => {
  test('has the shape that the Compose specification asks for, with every image pinned', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  test('has Temporal on PostgreSQL with its one-shot steps, its Web UI, a worker with its ledger and the sandbox', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'ledger',
      'postgresql',
      'sandbox',
      'temporal',
      'temporal-namespace',
      'temporal-schema',
      'temporal-ui',
      'worker',
    ]);
    expect(compose.services.worker!.command).toEqual(['worker', '--health', '9465']);
    const [volume] = compose.services.sandbox!.volumes ?? [];
    expect(compose.services.sandbox!.command).toEqual([
      ...['sandbox', '--host', '0.0.0.0', '--port', '4010', '--dir'],
      volume?.split(':')[1],
    ]);
  });

  test('gives every service only flags that its command knows', async () => {
    const stderr = new CapturedStream();
    for (const { image, command } of Object.values(compose.services)) {
      if (!image.startsWith('reelay:')) continue;
      const stdout = new CapturedStream();
      // Help is given only where everything before it was understood.
      expect(await runCli([...(command ?? []), '--help'], { stdout, stderr })).toBe(0);
      for (const flag of (command ?? []).filter((word) => word.startsWith('--'))) expect(stdout.text).toContain(flag);
    }
    expect(stderr.text).toBe('');
  });

  test('waits only for existing services with a health check', () => {
    for (const service of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(name);
        if (condition === 'service_healthy') expect(compose.services[name]!.healthcheck).toBeDefined();
      }
    }
  });

  test('declares exactly the volumes that are used, each by one service', () => {
    const used = Object.values(compose.services).flatMap((service) => service.volumes ?? []);
    expect(used.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort());
  });
});

describe('Dockerfile', () => {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');

  test('builds on a pinned image with glibc, installs from the lock file and does not run as root', () => {
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map((match) => match[1]);
    expect(images).toHaveLength(2);
    for (const image of images) expect(image).toMatch(/^node:24\.\d+-bookworm-slim$/);
    expect(text).toContain('npm ci');
    expect(text.lastIndexOf('USER node')).toBeGreaterThan(text.lastIndexOf('FROM '));
  });

  test('asks for the health that its worker serves', () => {
    const served = /^CMD \["worker", "--health", "(\d+)"\]$/m.exec(text)?.[1] ?? '';
    expect(text).toContain(`fetch('http://127.0.0.1:${served}/health')`);
    expect(compose.services.worker!.command).toContain(served);
  });

  test('leaves a quarter of the worker’s memory limit to what is not heap', () => {
    const heap = Number(/--max-old-space-size=(\d+)/.exec(text)?.[1]);
    expect((compose.services.worker as { mem_limit?: string }).mem_limit).toBe('2g');
    expect(heap / 2048).toBe(0.75);
  });
});
