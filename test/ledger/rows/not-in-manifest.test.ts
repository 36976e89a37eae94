import { type ResultRecord } from '../../../ledger/model/result-types';
import { type RunRef, type Counts, type ViewRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

describe('rows that a run has and its newest manifest does not', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function records(run: ViewRef, filter = {}): Promise<ResultRecord[]> {
    const found: ResultRecord[] = [];
    for await (const record of bench.ledger.results(run, filter)) found.push(record);
    return found;
  }

  const codes = async (run: ViewRef, filter = {}) =>
    (await records(run, filter)).map(({ key, state, code }) => `${key} ${state} ${code ?? '-'}`);

  async function ends(run: RunRef, id: number, state: 'published' | 'failed'): Promise<void> {
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `p${id}`, status: 'processing' });
    await end(id, state);
  }

  const end = (id: number, state: 'published' | 'failed') =>
    bench.ledger.recordEnds([
      {
        ...{ rowId: id, publicationId: `p${id}`, state, status: state },
        ...(state === 'failed' ? { code: 'service-failed', message: 'no' } : {}),
      },
    ]);

  /** Rows a, b, c; then a manifest with only one of them joins, and the others are kept. */
  async function corrected(...keys: string[]): Promise<{ run: RunRef; ids: number[] }> {
    const run = await bench.begin(submission(entries('a', 'b', 'c')));
    const ids = await bench.rowIds(run);
    await bench.begin(submission(entries(...keys), { vanished: 'keep' }));
    return { run, ids };
  }

  it('are shown after its own, by their own manifest, and count for the run', async () => {
    const { run, ids } = await corrected('b');
    await ends(run, ids[2]!, 'failed');
    await ends(run, ids[0]!, 'published');
    await ends(run, ids[1]!, 'published');
    expect(await codes(run)).toEqual(['b published -', 'a published not-in-manifest', 'c failed service-failed']);
    const [, a, c] = await records(run);
    expect(a).toMatchObject({ line: 2, run: 'spring.1', title: 'Episode a', cells: { note: 'note a' } });
    expect(c).toMatchObject({ line: 4, cells: { key: 'c' } });
    const counts: Counts = { published: 2, failed: 1 };
    expect(await bench.ledger.counts(run)).toEqual(counts);
    expect(await bench.ledger.problemRows(run)).toMatchObject([{ key: 'c', state: 'failed', line: 4 }]);
    expect(await bench.ledger.finishRun(run)).toBe(true);
    expect((await bench.ledger.newestRun('spring'))?.endedCounts).toEqual(counts);
  });

  it('are none while a manifest that has them is imported, and each row occurs once', async () => {
    const run = await bench.begin(submission(entries('a', 'b', 'c')));
    await bench.ledger.submit(submission(entries('d', 'a'), { vanished: 'keep' }));
    expect(await codes(run)).toEqual(['a planned -', 'b planned -', 'c planned -']);
    expect(await bench.ledger.counts(run)).toEqual({ planned: 3 });
    await bench.import();
    expect((await records(run)).map(({ key }) => key)).toEqual(['d', 'a', 'b', 'c']);
    expect(await bench.ledger.counts(run)).toEqual({ planned: 4 });
  });

  it('are none of an earlier run whose rows a later manifest has as well', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    for (const id of await bench.rowIds(run)) await ends(run, id, 'published');
    await bench.ledger.finishRun(run);
    const later = await bench.begin(submission(entries('b', 'c'), { vanished: 'keep' }));
    expect(await codes(run)).toEqual(['a published -', 'b published -']);
    expect(await bench.ledger.counts(run)).toEqual({ published: 2 });
    expect((await records(later)).map(({ key }) => key)).toEqual(['b', 'c']);
  });

  it('say what they wait for, as all rows do', async () => {
    const later = new Date(bench.time + 3_600_000).toISOString();
    const run = await bench.begin(submission([entry(0, 'a'), entry(1, 'b', { values: { publishAt: later } })]));
    await bench.begin(submission(entries('a'), { vanished: 'keep' }));
    expect(await codes(run, { states: ['waiting'] })).toEqual(['b waiting not-in-manifest']);
    expect(await bench.ledger.counts(run)).toEqual({ planned: 1, waiting: 1 });
  });

  it('are shown as cancelled when they were pruned, in the same numbers everywhere', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await bench.begin(submission(entries('a'), { vanished: 'prune' }));
    for (const view of [run, { campaign: 'spring', number: null }]) {
      expect(await codes(view)).toEqual(['a planned -', 'b cancelled pruned']);
      expect(await bench.ledger.counts(view)).toEqual({ planned: 1, cancelled: 1 });
    }
    expect(await codes(run, { everything: true })).toEqual(['a planned -', 'b cancelled pruned']);
    expect(await bench.ledger.rowsByRun(run)).toEqual([
      expect.objectContaining({ number: 1, state: 'planned', rows: 1 }),
      expect.objectContaining({ number: 1, state: 'cancelled', rows: 1 }),
    ]);
    await ends(run, await bench.firstId(run), 'published');
    await bench.ledger.finishRun(run);
    expect((await bench.ledger.newestRun('spring'))?.endedCounts).toEqual({ published: 1, cancelled: 1 });
  });

  it('belong to the run that pruned them, and to the manifest’s again once it has them again', async () => {
    const first = await bench.begin(submission(entries('a', 'b')));
    const [a = 0, b = 0] = await bench.rowIds(first);
    await ends(first, a, 'published');
    await bench.claimed(first, b);
    await bench.ledger.record(b, 1, { kind: 'rejected', code: 'http-422', message: 'refused', httpStatus: 422 });
    await bench.ledger.finishRun(first);
    const second = await bench.begin(submission(entries('a'), { vanished: 'prune' }));
    expect(await codes(second)).toEqual(['a published -', 'b cancelled pruned']);
    const [, pruned] = await records(second);
    expect(pruned).toMatchObject({ run: 'spring.2', line: 3, message: 'the manifest no longer has the row' });
    const again = await bench.begin(submission(entries('a', 'b'), { forceOld: true }));
    expect(await codes(again)).toEqual(['a published -', 'b planned -']);
  });

  it('are tried again as they were accepted, and belong to the run that tries them', async () => {
    const { run, ids } = await corrected('b');
    for (const [at, state] of (['failed', 'published', 'published'] as const).entries())
      await ends(run, ids[at]!, state);
    await bench.ledger.finishRun(run);
    expect(await bench.ledger.countRetry({ run })).toEqual({ failed: 1 });
    const retried = await bench.ledger.retry({ run, by: 'ana@desk' });
    expect(retried).toMatchObject({ run: { campaign: 'spring', number: 2 }, planned: 1 });
    expect(await codes(retried.run!, { states: ['planned'] })).toEqual(['a planned not-in-manifest']);
    expect(await bench.ledger.counts(retried.run!)).toEqual({ published: 1, planned: 1 });
    expect(await bench.claim(retried.run!, ids[0]!)).toMatchObject({ attempt: 2, values: { title: 'Episode a' } });
  });

  it('are settled by a person, and given-up ones are shown as such', async () => {
    const { run, ids } = await corrected('b');
    await bench.claimed(run, ids[0]!);
    await bench.ledger.settle(ids[0]!, 1, { kind: 'unconfirmed', code: 'worker-silent', message: '?', candidates: [] });
    expect(await bench.ledger.counts(run)).toEqual({ unconfirmed: 1, planned: 2 });
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'give-up' }, by: 'ana@desk' });
    expect(await bench.ledger.counts(run)).toEqual({ cancelled: 1, planned: 2 });
    expect(await bench.ledger.givenUp(run)).toBe(1);
  });

  it('go to the run that takes the place of theirs, also those that have ended', async () => {
    const { run, ids } = await corrected('b');
    await ends(run, ids[0]!, 'failed');
    const next = await bench.ledger.beginRun({
      ...{ campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'another' },
    });
    expect(next).toEqual({ campaign: 'spring', number: 2 });
    expect(await bench.ledger.counts(next!)).toEqual({ planned: 2, failed: 1 });
    expect(await bench.ledger.countRetry({ run: next! })).toEqual({ failed: 1 });
  });

  it('are among everything of a campaign, whichever run had them', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    for (const id of await bench.rowIds(run)) await ends(run, id, 'published');
    await bench.ledger.finishRun(run);
    const later = await bench.begin(submission([entry(0, 'c', { cells: { key: 'c' } })], { vanished: 'keep' }));
    expect((await records(later)).map(({ key }) => key)).toEqual(['c']);
    expect(await codes(later, { everything: true })).toEqual([
      'c planned -',
      'a published not-in-manifest',
      'b published not-in-manifest',
    ]);
    expect((await records(later, { everything: true }))[1]).toMatchObject({ run: 'spring.1', title: 'Episode a' });
  });
});
