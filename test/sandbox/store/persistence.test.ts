import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../sandbox/server';
import { endChildren, startChild } from '../children';
import { call, createUrl, sandboxes, titles, until, videoForm } from '../client';

const start = sandboxes();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => {
  endChildren();
  rmSync(dir, { recursive: true, force: true });
});

describe('state on disk', () => {
  it.each([false, true])('loses no answered create when the process is killed (fsync %s)', async (fsync) => {
    const child = await startChild({ dir, fsync, processing: { minMs: 60_000, maxMs: 60_000 } });
    const answered: string[] = [];
    let killed = false;
    const creating = Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; !killed; n += 1) {
        const reply = await createUrl(child, `Clip ${String(lane)}-${String(n)}`).catch(() => null);
        if (reply?.status === 202) answered.push(reply.json.publication.id);
      }
    });
    await until(
      () => answered.length,
      (count) => count > 300,
    );
    child.child.kill('SIGKILL');
    await child.exited;
    killed = true;
    await Promise.all(creating);
    const sandbox = await start({ dir });
    const stored = new Set(sandbox.publications().map(({ id }) => id));
    expect(answered.filter((id) => !stored.has(id))).toEqual([]);
    // At most the eight that were under way may be there without an answer.
    expect(stored.size - answered.length).toBeLessThanOrEqual(8);
  });

  it('lets what was processing go on to its end after a restart', async () => {
    const first = await start({ dir, processing: { minMs: 300, maxMs: 300 } });
    const { id } = (await createUrl(first, 'Going on')).json.publication;
    await first.close();
    const second = await start({ dir });
    const read = async () => (await call(second, 'GET', `/v1/publications/${id}`)).json.publication;
    const publication = await until(read, (one) => one.status === 'published');
    expect(Date.parse(publication.published_at)).toBe(second.publications()[0]?.dueAt);
  });

  it('keeps changes, deletions, foreign publications and the order, and keeps counting', async () => {
    const first = await start({ dir, open: { pending: 'stays' } });
    const draft = { platform: 'platform_a', title: 'Draft', status: 'draft' };
    const { id } = (await call(first, 'POST', '/v1/publications', draft)).json.publication;
    await first.injectPublication('Theirs');
    const gone = (await createUrl(first, 'Gone')).json.publication.id;
    const ended = (await createUrl(first, 'Ended')).json.publication.id;
    await call(first, 'PATCH', `/v1/publications/${id}`, { title: 'Changed', status: 'pending' });
    await call(first, 'DELETE', `/v1/publications/${gone}`);
    await first.settle(ended, { outcome: 'failed', reason: 'By hand' });
    const direct = videoForm({ platform: 'platform_a' }, 10);
    await call(first, 'POST', '/v1/profiles/5a5d0000-0000-4000-8000-000000000001/publish', direct);
    const before = first.publications();
    const log = first.log();
    await first.close();
    const second = await start({ dir });
    expect(second.publications()).toEqual(
      before.map((one) => (one.source.url === undefined ? one : { ...one, source: { ...one.source } })),
    );
    expect(titles(second)).toEqual(['Changed', 'Theirs', 'Ended']);
    expect(second.log()).toEqual(log);
    await createUrl(second, 'Next');
    expect(second.publications().at(-1)?.n).toBe(6);
  });

  it('has the log written before the answer, one line a create, without the query of a URL', async () => {
    const sandbox = await start({ dir });
    const { id } = (await createUrl(sandbox, 'One', { video_url: 'https://videos.example/a.mp4?signature=abc' })).json
      .publication;
    const text = readFileSync(sandbox.logPath ?? '', 'utf8');
    expect(text.split('\n')).toHaveLength(2);
    expect(JSON.parse(text)).toMatchObject({
      n: 1,
      id,
      title: 'One',
      source: 'url',
      url: 'https://videos.example/a.mp4',
    });
    expect(text).not.toContain('signature');
    expect(sandbox.publications()[0]?.source.url).toContain('signature=abc');
  });

  it('cuts off a torn last line and continues from there', async () => {
    const first = await start({ dir });
    await createUrl(first, 'One');
    await first.close();
    appendFileSync(join(dir, 'creates.log'), '{"at":"2026-01-01T00:00:00.000Z","n":2,"id":"to');
    const second = await start({ dir });
    await createUrl(second, 'Two');
    await second.close();
    expect(titles(await start({ dir }))).toEqual(['One', 'Two']);
  });

  it('refuses a log that is damaged in its middle, naming the line', async () => {
    writeFileSync(join(dir, 'creates.log'), '{"n":1}\n{"n":\n{"n":3}\n');
    await expect(startSandbox({ dir })).rejects.toThrow(/Line 2 of .*creates\.log is not JSON/);
  });
});
