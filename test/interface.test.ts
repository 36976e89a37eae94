import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENDPOINTS } from '../sandbox/faults/fault-rules';
import { startSandbox } from '../sandbox/server';
import { ServiceClient } from '../service/api/client';
import { ENDPOINT_LINES, FIELD_LINES, interfaceTables, OPEN_LINES } from '../service/api/interface-lists';
import * as limits from '../service/limits';

const page = readFileSync(join(__dirname, '..', 'docs', 'reference', 'interface.md'), 'utf8');

/** Rows of the tables under a heading, without their heads. */
function rows(heading: string): string[][] {
  const part = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = part.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('no row of docs/reference/interface.md is empty', () => {
  for (const heading of ['Endpoints', 'Fields', 'Limits', 'States', 'Not shown']) {
    expect(rows(heading).length).toBeGreaterThan(5);
    for (const row of rows(heading)) expect(row.filter((cell) => cell === '')).toEqual([]);
  }
});

test('its lists are generated, and no line of them is twice', () => {
  for (const [name, table] of interfaceTables()) {
    const lines = table.split('\n').slice(2);
    const [, written = ''] = new RegExp(`<!-- list: ${name} -->\\n\\n([^]*?)\\n\\n<!-- end -->`, 'u').exec(page) ?? [];
    const cells = (text: string): string[][] =>
      text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells(written).slice(2)).toEqual(cells(lines.join('\n')));
    expect(new Set(lines).size).toBe(lines.length);
  }
});

describe('against a service that answers nothing', () => {
  const seen: { call: string; query: string[]; fields: string[] }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://here');
      const body = Buffer.concat(chunks).toString('latin1');
      const json = request.headers['content-type']?.startsWith('application/json') === true;
      seen.push({
        call: `${request.method ?? ''} ${url.pathname.replace(/\/some-id/u, '/:id')}`,
        query: [...url.searchParams.keys()],
        fields: json
          ? Object.keys(JSON.parse(body) as object)
          : [...body.matchAll(/ name="([^"]+)"/gu)].map(([, name = '']) => name),
      });
      response.writeHead(418).end();
    });
  });
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelay-interface-'));
    const path = join(folder, 'clip.mp4');
    await writeFile(path, 'a video');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = new ServiceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', environment: {} });
    const every = { platform: 'platform_b', title: 't', description: 'd', privacy: 'public', profileId: 'p' } as const;
    const id = 'some-id';
    const calls = [
      () => client.listProfiles(),
      () => client.getProfile(id),
      () => client.publishDirect(id, { platform: 'platform_a', title: 't', source: { kind: 'file', path } }),
      () => client.listPublications({ profileId: 'p', platform: 'q', status: 'failed', limit: 1, offset: 1 }),
      () => client.createPublication({ ...every, status: 'published', source: { kind: 'file', path } }),
      () =>
        client.createPublication({ ...every, status: 'draft', source: { kind: 'url', url: 'https://v.example/v' } }),
      () => client.getPublication(id),
      () => client.updatePublication(id, { title: 't', description: 'd', privacy: 'public', status: 'draft' }),
      () => client.deletePublication(id),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(/418/u);
    await client.close();
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  const documented = (group: string): string[] =>
    FIELD_LINES.filter(([what]) => what.startsWith(`${group} `) && !what.endsWith('answer'))
      .flatMap(([what]) => [...what.matchAll(/`(\w+)`/gu)].map(([, name = '']) => name))
      .sort();
  const sent = (call: string, part: 'query' | 'fields'): string[] =>
    [...new Set(seen.filter((one) => one.call === call).flatMap((one) => one[part]))].sort();

  test('the endpoints of the list are those that the client calls', () => {
    expect([...new Set(seen.map((one) => one.call))].sort()).toEqual(
      ENDPOINT_LINES.map(([what]) => what.replaceAll('`', '')).sort(),
    );
    expect(ENDPOINT_LINES).toHaveLength(ENDPOINTS.length);
  });

  test('the fields of the list are those that the client sends', () => {
    expect(sent('POST /v1/publications', 'fields')).toEqual(documented('create'));
    expect(sent('PATCH /v1/publications/:id', 'fields')).toEqual(documented('patch'));
    const answers = ['ok', 'publish_id', 'message'];
    expect(sent('POST /v1/profiles/:id/publish', 'fields')).toEqual(
      documented('direct').filter((name) => !answers.includes(name)),
    );
    expect(sent('GET /v1/publications', 'query')).toEqual(
      documented('list').filter((name) => name !== 'total' && name !== 'publications'),
    );
  });

  test('the fields of the list are those that answers have', async () => {
    const sandbox = await startSandbox({ processing: { minMs: 0, maxMs: 0 } });
    try {
      const id = await sandbox.injectPublication();
      await sandbox.settle(id, { outcome: 'published' });
      const read = async (path: string): Promise<Record<string, unknown>> => {
        const answer = await fetch(`${sandbox.baseUrl}/v1/${path}`, {
          headers: { authorization: `Bearer ${sandbox.apiKey}` },
        });
        return (await answer.json()) as Record<string, unknown>;
      };
      const publication = (await read(`publications/${id}`))['publication'] as object;
      expect(Object.keys(publication).sort()).toEqual(documented('publication'));
      const profiles = await read('profiles');
      expect(Object.keys(profiles).sort()).toEqual(documented('profiles'));
      const [profile] = profiles['profiles'] as { channels: object[] }[];
      expect(Object.keys(profile!).sort()).toEqual(documented('profile'));
      expect(Object.keys(profile!.channels[0]!).sort()).toEqual(documented('channel'));
      expect(documented('list')).toEqual(expect.arrayContaining(Object.keys(await read('publications'))));
    } finally {
      await sandbox.close();
    }
  });
});

test('everything that the sections of the interface leave open has its line', () => {
  const sections = new Set(OPEN_LINES.flatMap(([, section]) => section.split(', ')));
  for (const section of ['notation', '2.2', '2.3', '3', '4', '4.2', '5', '6', '7', '8', '9']) {
    expect(sections).toContain(section);
  }
});

test('its limits are those that are checked', () => {
  const number = (value: number): string => value.toLocaleString('en-US');
  expect(rows('Limits').map(([, value]) => value)).toEqual([
    number(limits.TITLE_LIMIT.short),
    number(limits.TITLE_LIMIT.long),
    number(limits.DIRECT_TITLE_LIMIT),
    number(limits.DESCRIPTION_LIMIT),
    number(limits.DIRECT_MAX_BYTES),
    limits.DIRECT_FORMATS.join(', '),
    limits.PRIVACIES.join(', '),
    limits.CREATE_STATUSES.join(', '),
    limits.PATCH_STATUSES.join(', '),
    `${limits.PAGE_SIZE_MIN} to ${limits.PAGE_SIZE_MAX}`,
  ]);
});
