import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScheduleDefinition } from '../../../activities/schedules/contract';
import { awaitRun } from '../../../activities/schedules/end-firing';
import { NO_SCHEDULES } from '../../../activities/schedules/schedule-server';
import { submitFiring } from '../../../activities/schedules/submit-firing';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, submission } from '../../ledger/support';
import { MP4 } from '../../manifests/support';
import { Harness } from '../harness';

const AT = new Date('2026-11-28T09:00:00Z').toISOString();

describe('a firing', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await new Bench().open();
  });
  afterEach(() => bench.close());

  async function publish(run: RunRef, ends: Readonly<Record<string, 'published' | 'rejected'>>): Promise<void> {
    const states = await bench.states(run);
    const ids = await bench.rowIds(run);
    const open = Object.keys(states).filter((key) => states[key] === 'planned');
    for (const [index, id] of ids.entries()) {
      const attempt = await bench.claimed(run, id);
      if (ends[open[index] ?? ''] === 'rejected')
        await bench.ledger.record(id, attempt, { kind: 'rejected', code: 'http-422', message: 'no' });
      else {
        const publicationId = `pub-${String(id)}`;
        await bench.ledger.record(id, attempt, { kind: 'accepted', publicationId, status: 'processing' });
        await bench.ledger.recordEnds([{ rowId: id, publicationId, state: 'published', status: 'published' }]);
      }
    }
    expect(await bench.ledger.finishRun(run)).toBe(true);
  }

  const context = {
    cancelled: new AbortController().signal,
    shuttingDown: () => false,
    heartbeat: () => undefined,
    pause: () => Promise.resolve(),
  };
  const ended = (run: RunRef) =>
    awaitRun({ now: () => bench.time, ledger: bench.ledger } as never, { run, budgetMs: 1_000 }, context);

  it('reports the rows that its own run worked, not those that were done before it', async () => {
    const first = await bench.begin(submission(entries('a', 'b')));
    await publish(first, {});
    expect(await ended(first)).toEqual({ ended: 'done', counts: { published: 2 } });
    const second = await bench.begin(submission(entries('a', 'b', 'c')));
    await publish(second, {});
    expect(await ended(second)).toEqual({ ended: 'done', counts: { published: 1 } });
  });

  it('whose run ended with rows that were refused is incomplete, not done', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await publish(run, { b: 'rejected' });
    expect(await ended(run)).toEqual({ ended: 'incomplete', counts: { published: 1, rejected: 1 } });
  });
});

describe('a firing of a folder', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.open({ rows: 1 });
  });
  afterEach(() => harness.close());

  it('records which files it left out, and why', async () => {
    const folder = join(harness.folder, 'incoming');
    await mkdir(folder);
    for (const name of ['old.mp4', 'fresh.mp4']) await writeFile(join(folder, name), Buffer.concat([MP4, Buffer.from(name)])); // prettier-ignore
    await utimes(join(folder, 'old.mp4'), new Date(0), new Date(0));
    const path = join(harness.folder, 'inbox.yaml');
    await writeFile(
      path,
      'campaign: inbox\ndefaults: {platform: short, profile: Garden}\nvideos: {folder: incoming, settled: 1h}\n',
    );
    const definition: ScheduleDefinition = {
      schedule: 'inbox',
      manifest: { kind: 'path', path },
      read: { platforms: [{ name: 'platform_a', kind: 'short' }] },
      account: 'main',
      zone: 'UTC',
      keyed: 'date',
      take: null,
      vanished: null,
      overlap: 'skip',
      lateMs: 3_600_000,
      pauseAfter: 3,
      since: AT,
    };
    const { firings } = harness.ledger;
    const { firing } = await firings.open({
      schedule: 'inbox',
      key: '2026-11-28',
      nominalAt: Date.parse(AT),
      workflowId: 'firing/inbox/1',
      again: false,
    });
    const deps = { ...harness.deps, schedules: NO_SCHEDULES };
    const submitted = await submitFiring(deps, { definition, firing: firing.id, nominalAt: AT, waitOver: false });
    expect(submitted.kind).toBe('submitted');
    const { reason } = await firings.get(firing.id);
    expect(reason).toMatch(/^fresh\.mp4 may still be written .*it is left for the next time$/u);
    const end = await firings.end(firing.id, { outcome: 'done', code: 'run-done', reason: '1 published' });
    expect(end.reason).toMatch(/^1 published; fresh\.mp4 may still be written/u);
  });
});
