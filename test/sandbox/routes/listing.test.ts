import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, createUrl, sandboxes, until } from '../client';

const start = sandboxes();

async function list(sandbox: Awaited<ReturnType<typeof start>>, query: string) {
  return call(sandbox, 'GET', `/v1/publications${query}`);
}

describe('the list of publications', () => {
  it('pages newest first, 20 by default, with the total', async () => {
    const sandbox = await start({ open: { echoTitle: true } });
    for (let n = 1; n <= 25; n += 1) await createUrl(sandbox, `Clip ${String(n)}`);
    const first = (await list(sandbox, '')).json;
    expect([first.total, first.limit, first.offset, first.publications.length]).toEqual([25, 20, 0, 20]);
    expect(first.publications[0]?.title).toBe('Clip 25');
    const second = (await list(sandbox, '?limit=20&offset=20')).json;
    expect(second.publications.map((one) => one.title)).toEqual(['Clip 5', 'Clip 4', 'Clip 3', 'Clip 2', 'Clip 1']);
    expect((await list(sandbox, '?offset=25')).json.publications).toEqual([]);
    expect((await list(sandbox, '?offset=1000')).json.publications).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=', 'offset=-1', 'status=draft', 'status=x', 'platform=x'])(
    'refuses %s',
    async (query) => {
      expect((await list(await start(), `?${query}`)).status).toBe(400);
    },
  );

  it('moves a limit into its bounds when chosen', async () => {
    const sandbox = await start({ open: { pageLimit: 'clamp' } });
    expect((await list(sandbox, '?limit=1000')).json.limit).toBe(100);
    expect((await list(sandbox, '?limit=0')).json.limit).toBe(1);
  });

  it('filters by profile, platform and status, with the total of what fits', async () => {
    const sandbox = await start({ faults: ['create title=Bad -> outcome failed afterMs=0'] });
    await createUrl(sandbox, 'A', { profile_id: '5a5d0000-0000-4000-8000-000000000002' });
    await createUrl(sandbox, 'B', { platform: 'platform_b' });
    await createUrl(sandbox, 'Bad');
    expect((await list(sandbox, '?profile_id=5a5d0000-0000-4000-8000-000000000002')).json.total).toBe(1);
    expect((await list(sandbox, '?platform=platform_b')).json.total).toBe(1);
    expect((await list(sandbox, '?status=failed')).json.publications).toHaveLength(1);
    expect((await list(sandbox, '?status=processing&limit=1')).json).toMatchObject({ total: 2, limit: 1 });
    expect((await list(sandbox, '?profile_id=none')).json.total).toBe(0);
  });

  it('hides drafts when chosen', async () => {
    const sandbox = await start({ open: { draftsListed: false } });
    await call(sandbox, 'POST', '/v1/publications', { platform: 'platform_a', status: 'draft' });
    await createUrl(sandbox, 'Live');
    expect((await list(sandbox, '')).json.total).toBe(1);
  });

  it('shows a new publication late when it lags, while GET by id knows it at once', async () => {
    const sandbox = await start({ open: { listLagMs: 3_000 } });
    const { id } = (await createUrl(sandbox, 'New')).json.publication;
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(200);
    expect((await list(sandbox, '')).json.total).toBe(0);
    await until(
      async () => (await list(sandbox, '')).json.total,
      (total) => total === 1,
    );
  });

  it('shows a new publication late everywhere when reads lag', async () => {
    const sandbox = await start({ open: { readLagMs: 3_000 } });
    const { id } = (await createUrl(sandbox, 'New')).json.publication;
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(404);
    expect((await list(sandbox, '')).json.total).toBe(0);
    await until(
      async () => (await list(sandbox, '')).json.total,
      (total) => total === 1,
    );
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(200);
  });

  it('pages through a hundred thousand publications in seconds', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
    try {
      const seed = await start({ dir });
      await createUrl(seed, 'Model');
      const [model] = seed.log();
      await seed.close();
      const count = 100_000;
      const lines = Array.from({ length: count }, (_, index) =>
        JSON.stringify({ ...model, n: index + 1, id: `id-${String(index + 1)}` }),
      );
      writeFileSync(join(dir, 'creates.log'), `${lines.join('\n')}\n`);
      const before = process.cpuUsage();
      const sandbox = await start({ dir });
      const seen = new Set<string>();
      for (let offset = 0; offset < count; offset += 100) {
        const { publications, total } = (await list(sandbox, `?limit=100&offset=${String(offset)}`)).json;
        expect(total).toBe(count);
        for (const { id } of publications) seen.add(id);
      }
      expect(seen.size).toBe(count);
      // Of the processor, whatever else the machine does.
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1e6).toBeLessThan(45);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
