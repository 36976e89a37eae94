import { gateScope } from '../../../ledger/runs/gates';
import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entry, submission } from '../support';

const MINUTE = 60_000;

describe('rows that fail', () => {
  let bench: Bench;
  let run: RunRef;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  /** Rows 0, 2, 4 … go to Garden, the others to Kitchen. */
  async function begin(rows: number, pace: PaceLayer = {}): Promise<number[]> {
    const all = Array.from({ length: rows }, (_, at) =>
      entry(at, `k${at}`, { values: at % 2 === 0 ? {} : { profileId: 'p-2', profileName: 'Kitchen' } }),
    );
    run = await bench.begin(submission(all, { settings: { pace: [pace], channelConcurrency: 16 } }));
    return bench.rowIds(run);
  }

  async function end(rowId: number, state: 'published' | 'failed' | 'rejected'): Promise<void> {
    const attempt = await bench.claimed(run, rowId);
    if (state === 'rejected') {
      await bench.ledger.record(rowId, attempt, { kind: 'rejected', code: 'x', message: 'bad title' });
      return;
    }
    const publicationId = `pub-${rowId}`;
    await bench.ledger.record(rowId, attempt, { kind: 'accepted', publicationId, status: 'processing' });
    await bench.ledger.recordEnds([{ rowId, publicationId, state, status: state, message: 'no luck' }]);
  }

  const channelOf = async (label: string) => (await bench.ledger.channels(run)).find((one) => one.label === label)!;
  const firstOf = async (label: string) => {
    const channel = await channelOf(label);
    const [row] = await bench.ledger.takePage({ run, channelId: channel.id, limit: 1, now: bench.time });
    return row!.id;
  };

  it('park their channel after five ends in a row that failed or were rejected; others go on, and resume opens it', async () => {
    await begin(20);
    for (const state of ['failed', 'rejected', 'failed', 'rejected'] as const)
      await end(await firstOf('Garden · long'), state);
    await end(await firstOf('Garden · long'), 'published');
    for (const state of ['failed', 'rejected', 'failed', 'rejected'] as const)
      await end(await firstOf('Garden · long'), state);
    expect(await bench.ledger.gates(run)).toEqual([]);
    await end(await firstOf('Garden · long'), 'failed');
    const garden = await channelOf('Kitchen · long');
    expect(await bench.ledger.gates(run)).toMatchObject([
      { kind: 'parked', by: 'reelay', reason: expect.stringContaining('no luck') },
    ]);
    expect((await bench.claim(run, await firstOf('Kitchen · long'))).claimed).toBe(true);
    expect(garden.label).toBe('Kitchen · long');
  });

  it('leave a parked channel’s rows as they are until resume, which begins the count anew', async () => {
    await begin(14, { parkAfter: 2 });
    await end(await firstOf('Garden · long'), 'failed');
    await end(await firstOf('Garden · long'), 'failed');
    const id = await firstOf('Garden · long');
    expect(await bench.claim(run, id)).toEqual({ claimed: false, reason: 'parked', state: 'planned' });
    const { opened } = await bench.ledger.resume({ run, by: 'ana', channelId: (await channelOf('Garden · long')).id });
    expect(opened).toMatchObject([{ kind: 'parked' }]);
    await end(id, 'failed');
    expect(await bench.ledger.gates(run)).toEqual([]);
  });

  it('stop the run beyond what is tolerated: nothing new is sent, what is in flight is followed, the rest stays planned', async () => {
    const ids = await begin(10, { tolerate: { rows: 1 }, parkAfter: 0 });
    const flying = await bench.claimed(run, ids[9]!);
    await bench.ledger.record(ids[9]!, flying, { kind: 'accepted', publicationId: 'pub-f', status: 'processing' });
    await end(ids[0]!, 'failed');
    expect((await bench.ledger.gates(run)).filter((gate) => gate.kind === 'stopped')).toEqual([]);
    await end(ids[1]!, 'failed');
    expect(await bench.claim(run, ids[2]!)).toMatchObject({ reason: 'stopped' });
    expect(await bench.ledger.channels(run)).toEqual([]);
    expect(await bench.ledger.openRows(run)).toBe(1);
    expect(await bench.ledger.finishRun(run)).toBe(false);
    await bench.ledger.recordEnds([
      { rowId: ids[9]!, publicationId: 'pub-f', state: 'published', status: 'published' },
    ]);
    expect(await bench.ledger.finishRun(run)).toBe(true);
    expect(await bench.ledger.counts(run)).toEqual({ planned: 7, failed: 2, published: 1 });
  });

  it('count for a share only from a number of ended rows on, and no more after resume', async () => {
    const ids = await begin(12, { tolerate: { share: 0.3, sample: 4 }, parkAfter: 0 });
    const ends = ['failed', 'published', 'published'] as const;
    for (const [at, state] of ends.entries()) await end(ids[at]!, state);
    expect(await bench.ledger.gates(run)).toEqual([]);
    await end(ids[3]!, 'failed');
    expect((await bench.ledger.gates(run)).map((gate) => gate.scope)).toContain(gateScope.run(run));
    bench.time += MINUTE;
    await bench.ledger.resume({ run, by: 'ana' });
    bench.time += MINUTE;
    await end(ids[4]!, 'failed');
    expect((await bench.ledger.gates(run)).filter((gate) => gate.kind === 'stopped')).toEqual([]);
  });

  it('keep a channel from going on after its canary, until it is resumed', async () => {
    await begin(12, { canary: { rows: 2, share: 0 } });
    const first = await firstOf('Garden · long');
    await end(first, 'published');
    const second = await firstOf('Garden · long');
    const attempt = await bench.claimed(run, second);
    const third = await firstOf('Garden · long');
    expect(await bench.claim(run, third)).toMatchObject({ reason: 'canary' });
    await bench.ledger.record(second, attempt, { kind: 'rejected', code: 'x', message: 'x' });
    expect(await bench.claim(run, third)).toMatchObject({ reason: 'paused' });
    await bench.ledger.resume({ run, by: 'ana' });
    expect((await bench.claim(run, third)).claimed).toBe(true);
  });

  it('let a channel continue automatically when its canary succeeded', async () => {
    await begin(12, { canary: { rows: 2, share: 0.5 } });
    const channelId = (await channelOf('Garden · long')).id;
    const page = () => bench.ledger.takePage({ run, channelId, limit: 10, now: bench.time });
    expect(await page()).toHaveLength(2);
    await end(await firstOf('Garden · long'), 'published');
    expect(await page()).toHaveLength(1);
    await end(await firstOf('Garden · long'), 'rejected');
    expect(await page()).toHaveLength(4);
    expect((await bench.claim(run, await firstOf('Garden · long'))).claimed).toBe(true);
  });
});

describe('a run that is changed while it goes', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const rows = Array.from({ length: 4 }, (_, at) => entry(at, `k${at}`));

  it('is held from the moment a pause is committed, with the rows named that were claimed before', async () => {
    const run = await bench.begin(submission(rows));
    const ids = await bench.rowIds(run);
    await bench.claimed(run, ids[0]!);
    const { claimed, at } = await bench.ledger.pause({ run, by: 'ana' });
    expect(claimed).toEqual([{ line: 2, key: 'k0', label: 'row 2 · Episode k0 → long' }]);
    expect(at).toBe(new Date(bench.time).toISOString());
    expect(await bench.claim(run, ids[1]!)).toMatchObject({ reason: 'paused' });
    expect(await bench.ledger.gates(run)).toMatchObject([{ kind: 'paused', by: 'ana', since: at }]);
    await bench.ledger.resume({ run, by: 'ana' });
    expect((await bench.claim(run, ids[1]!)).claimed).toBe(true);
  });

  it('takes a new pace from the next claim on, over its manifest’s, and gives it back', async () => {
    const run = await bench.begin(submission(rows, { settings: { pace: [{ concurrency: 1 }] } }));
    const ids = await bench.rowIds(run);
    await bench.claimed(run, ids[0]!);
    expect(await bench.claim(run, ids[1]!)).toMatchObject({ reason: 'busy' });
    await bench.ledger.setLive({
      run,
      by: 'ana',
      settings: [{ name: 'concurrency', shown: '3', layer: { concurrency: 3 } }],
    });
    expect((await bench.claim(run, ids[1]!)).claimed).toBe(true);
    expect(await bench.ledger.liveSettings(run)).toEqual([
      { name: 'concurrency', shown: '3', since: new Date(bench.time).toISOString(), by: 'ana' },
    ]);
    await bench.ledger.setLive({ run, by: 'ana', settings: [{ name: 'concurrency', shown: '', layer: null }] });
    expect(await bench.ledger.liveSettings(run)).toEqual([]);
    expect(await bench.claim(run, ids[2]!)).toMatchObject({ reason: 'busy' });
  });

  it('keeps what was set when another execution takes it over', async () => {
    const run = await bench.begin(submission(rows));
    await bench.ledger.setLive({
      run,
      by: 'ana',
      settings: [{ name: 'min_gap', shown: '10m', layer: { minGapMs: 600_000 } }],
    });
    const next = await bench.ledger.beginRun({
      campaign: 'spring',
      workflowId: 'campaign/spring',
      workflowRunId: 'reset',
    });
    expect(await bench.ledger.liveSettings(next!)).toMatchObject([{ name: 'min_gap', shown: '10m' }]);
  });

  it('reports an upload that was cancelled after its claim', async () => {
    const run = await bench.begin(submission(rows));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    expect(await bench.ledger.cancelsAsked([id])).toEqual([]);
    expect(await bench.ledger.cancel({ run, by: 'ana' })).toEqual({ cancelled: 3, claimed: 1 });
    expect(await bench.ledger.cancelsAsked([id, id + 1])).toEqual([id]);
    expect(await bench.ledger.cancelsAsked([])).toEqual([]);
  });
});
