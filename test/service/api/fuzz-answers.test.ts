import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { type ServiceClient } from '../../../service/api/client';
import { ServiceError } from '../../../service/errors';
import { HOSTILE_TEXTS, UNSAFE_ON_A_TERMINAL } from '../../support/hostile-text';
import { cleanUp, clientFor, KEY, serve } from '../local-servers';

afterEach(cleanUp);

/** REELAY_FUZZ_SEED repeats a run, REELAY_FUZZ_SECONDS makes it longer. */
const SEED = Number(process.env['REELAY_FUZZ_SEED'] ?? randomInt(2 ** 31));
const SECONDS = Number(process.env['REELAY_FUZZ_SECONDS'] ?? 20);

interface Answer {
  status: number;
  headers: [string, string][];
  body: Buffer;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(...HOSTILE_TEXTS, '.', '..', '%', 'half \ud83d', KEY, 'a.'.repeat(40_000), 'x'.repeat(600)),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(2 ** 60, -1, 1e308, null, true));
const FIELDS = ['id', 'platform', 'status', 'video_id', 'video_url', 'privacy', 'published_at', 'title', 'description'];
const fields = (names: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
const publication = fields([...FIELDS, 'profile_id', 'created_at', 'failure_reason', '__proto__', 'error']);
const profile = fc
  .tuple(fields(['id', 'name', 'created_at']), fc.array(fields(['platform', 'account_name']), { maxLength: 3 }))
  .map(([all, channels]) => ({ ...all, channels }));
const document: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ publication: fc.oneof(publication, value), message: value, ok: value }, { requiredKeys: [] }),
  fc.record({ publications: fc.array(fc.oneof(publication, value), { maxLength: 4 }), total: value }),
  fc.record({ profiles: fc.array(fc.oneof(profile, value), { maxLength: 4 }), total: value }),
  fc.record({ profile: fc.oneof(profile, value) }),
  fc.record({ publish_id: value, platform: value, message: value }),
  fc.record({ error: fc.oneof(text, fields(['message', 'code', 'detail'])) }),
  value,
);
/** Nesting that a recursive reader has no stack for. */
const nested = fc
  .constantFrom(['[', ']'], ['{"x":[', ']}'])
  .map(([open = '', close = '']) => `${open.repeat(60_000)}${close.repeat(60_000)}`)
  .map((deep) => `{"publication":{"id":"a","x":${deep}},"publications":[{"id":"a","x":${deep}}]}`);
const body: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 12, arbitrary: document.map((all) => Buffer.from(JSON.stringify(all))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: nested.map((json) => Buffer.from(json)) },
  { weight: 1, arbitrary: fc.constantFrom('a.', '<a ', '{"a":', '%').map((part) => Buffer.from(part.repeat(500_000))) },
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '0',
    '-1',
    '1e9',
    'soon',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    '//stranger.example',
    '/v1/%',
    'a.'.repeat(2_000),
  ),
  fc.string({ unit: fc.constantFrom(...Array.from('aA0 ,;=%/:."')), maxLength: 30 }),
);
const headerName = fc.constantFrom('retry-after', 'date', 'location', 'content-type', 'content-encoding', 'x-a');
const answer: fc.Arbitrary<Answer> = fc.record({
  status: fc.oneof(fc.constantFrom(200, 202), fc.integer({ min: 200, max: 599 })),
  headers: fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 }),
  body,
});

const URL_SOURCE = { kind: 'url', url: 'https://videos.example/a.mp4' } as const;
/** Direct publishing sends a file and reads its answer as a create does. */
const CALLS: readonly ((client: ServiceClient) => Promise<unknown>)[] = [
  (client) => client.listProfiles(),
  (client) => client.probe(),
  (client) => client.getProfile('a'),
  (client) => client.listPublications({ limit: 100 }),
  (client) => client.getPublication('a'),
  (client) => client.createPublication({ platform: 'platform_b', source: URL_SOURCE }),
  (client) => client.publishDirect('a', { platform: 'platform_b', source: { kind: 'file', path: __filename } }),
  (client) => client.updatePublication('a', { title: 'T' }),
  (client) => client.deletePublication('a'),
];

function expectHarmless(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
  expect(error.message.length).toBeLessThan(2_000);
  expect(error.message).not.toContain(KEY);
  expect(UNSAFE_ON_A_TERMINAL.exec(error.message)?.[0]).toBeUndefined();
}

test(
  `any answer to any call ends as a value or as a ServiceError whose text is safe (seed ${SEED})`,
  async () => {
    let next: Answer = { status: 200, headers: [], body: Buffer.alloc(0) };
    const url = await serve((request, response) => {
      request.resume().on('end', () => {
        for (const [name, header] of next.headers) response.setHeader(name, header);
        response.writeHead(next.status).end(next.body);
      });
    });
    const client = clientFor(url);
    let runs = 0;
    const property = fc.asyncProperty(fc.constantFrom(...CALLS), answer, async (call, made) => {
      next = made;
      runs += 1;
      await call(client).catch(expectHarmless);
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: 1_000_000,
      plugins: [fc.interruptAfterTimeLimit(SECONDS * 1_000)],
    });
    expect(runs).toBeGreaterThan(50);
    if (process.env['REELAY_FUZZ_SECONDS'] !== undefined) process.stdout.write(`${runs} answers\n`);
  },
  (SECONDS + 60) * 1_000,
);
