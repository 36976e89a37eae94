import { type ResultRecord } from '../../../ledger/model/result-types';
import { type CampaignRef, type Entry, type RunRef, type ViewRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const CAMPAIGN: CampaignRef = { campaign: 'spring', number: null };
const SHEET = '/manifests/corrected.csv';

describe('a campaign over all its runs', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const main = entries('a', 'b', 'c', 'd');
  const corrected = (title: string): Entry[] => [entry(0, 'c', { values: { title } })];

  async function records(view: ViewRef): Promise<ResultRecord[]> {
    const found: ResultRecord[] = [];
    for await (const record of bench.ledger.results(view)) found.push(record);
    return found;
  }

  async function end(run: RunRef, bad: readonly string[] = []): Promise<void> {
    const keys = new Map<number, string>();
    for (const channel of await bench.ledger.channels(run)) {
      const page = await bench.ledger.takePage({ run, channelId: channel.id, limit: 100, now: bench.time });
      for (const row of page) keys.set(row.id, /· Episode (\w)/u.exec(row.label)?.[1] ?? row.label);
    }
    for (const [rowId, key] of keys) {
      const attempt = await bench.claimed(run, rowId);
      const publicationId = `p${rowId}-${attempt}`;
      await bench.ledger.record(rowId, attempt, { kind: 'accepted', publicationId, status: 'processing' });
      const ended = { rowId, publicationId, ...(bad.includes(key) ? FAILED : PUBLISHED) };
      await bench.ledger.recordEnds([ended]);
    }
    expect(await bench.ledger.finishRun(run)).toBe(true);
  }

  /** Four rows, of which c failed; then a sheet with c alone, corrected. */
  async function correctedCampaign(bad: readonly string[] = []): Promise<RunRef> {
    await end(await bench.begin(submission(main)), ['c']);
    const second = await bench.begin(submission(corrected('Episode x'), { path: SHEET }));
    await end(second, bad);
    return second;
  }

  it('shows every row of its manifest, by the lines of that, after a smaller sheet was run', async () => {
    const second = await correctedCampaign();
    const shown = (await records(CAMPAIGN)).map(({ line, key, state, run, code }) => [line, key, state, run, code]);
    expect(shown).toEqual([
      [2, 'a', 'published', 'spring.1', null],
      [3, 'b', 'published', 'spring.1', null],
      [4, 'c', 'published', 'spring.2', null],
      [5, 'd', 'published', 'spring.1', null],
    ]);
    expect((await records(CAMPAIGN))[2]).toMatchObject({ title: 'Episode x' });
    expect(await bench.ledger.counts(CAMPAIGN)).toEqual({ published: 4 });
    expect((await records(second)).map(({ line, key }) => [line, key])).toEqual([[2, 'c']]);
    expect(await bench.ledger.counts(second)).toEqual({ published: 1 });
  });

  it('has the manifest’s line of a corrected row that needs a person', async () => {
    await end(await bench.begin(submission(main)), ['c']);
    const second = await bench.begin(submission(corrected('Episode x'), { path: SHEET }));
    const id = await bench.firstId(second);
    const attempt = await bench.claimed(second, id);
    await bench.ledger.record(id, attempt, { kind: 'unknown', code: 'lost', message: 'cut' });
    await bench.ledger.settle(id, attempt, { kind: 'unconfirmed', code: 'lost', message: 'lost', candidates: [] });
    expect(await bench.ledger.needsPerson(second)).toMatchObject([{ key: 'c', line: 4, file: null }]);
    expect((await records(CAMPAIGN))[2]).toMatchObject({ key: 'c', line: 4, file: null });
  });

  it('shows the manifest of a run that is still open when its correction joins it', async () => {
    const run = await bench.begin(submission(main));
    for (const [at, id] of (await bench.rowIds(run)).entries()) {
      if (at === 3) continue;
      const attempt = await bench.claimed(run, id);
      const outcome =
        at === 2
          ? ({ kind: 'rejected', code: 'http-422', message: 'no' } as const)
          : ({ kind: 'accepted', publicationId: `p${id}`, status: 'processing' } as const);
      await bench.ledger.record(id, attempt, outcome);
    }
    const joined = await bench.begin(submission(corrected('Episode x'), { path: SHEET, vanished: 'keep' }));
    expect(joined).toEqual(run);
    const shown = (await records(run)).map(({ line, key, title, state, code }) => [line, key, title, state, code]);
    expect(shown).toEqual([
      [2, 'a', 'Episode a', 'processing', null],
      [3, 'b', 'Episode b', 'processing', null],
      [4, 'c', 'Episode x', 'planned', null],
      [5, 'd', 'Episode d', 'planned', null],
    ]);
    expect(await bench.ledger.counts(run)).toEqual({ processing: 2, planned: 2 });
  });

  it('takes its unchanged manifest again, and leaves what was corrected', async () => {
    await correctedCampaign();
    const plan = await bench.ledger.plan(submission(main));
    expect([plan.problems, plan.actions]).toEqual([[], { leave: 4 }]);
    await bench.begin(submission(main));
    expect((await records(CAMPAIGN)).map(({ title, code }) => [title, code])[2]).toEqual(['Episode x', null]);
  });

  it('keeps a correction that waits for its create, where the main manifest is given again', async () => {
    await end(await bench.begin(submission(main)), ['c']);
    const second = await bench.begin(submission(corrected('Episode x'), { path: SHEET }));
    await bench.begin(submission([...main, entry(4, 'e')]));
    const [id] = await bench.rowIds(second);
    expect(await bench.claim(second, id!)).toMatchObject({ values: { title: 'Episode x' } });
  });

  it('takes what the main manifest says anew of a corrected row', async () => {
    await correctedCampaign(['x']);
    const changed = main.map((one) =>
      one.key === 'c' ? { ...one, values: { ...one.values, title: 'Episode y' } } : one,
    );
    const third = await bench.begin(submission(changed));
    const [id] = await bench.rowIds(third);
    expect(await bench.claim(third, id!)).toMatchObject({ values: { title: 'Episode y' } });
  });

  it('finds a corrected row that went wrong again, and retries it, from the main manifest’s run as well', async () => {
    await correctedCampaign(['x']);
    expect(await bench.ledger.problemRows(CAMPAIGN)).toMatchObject([
      { key: 'c', line: 4, label: 'row 4 · Episode x → long' },
    ]);
    await bench.begin(submission(main));
    const third = (await bench.ledger.newestRun('spring'))!;
    expect(await bench.ledger.counts(third)).toEqual({ published: 3, failed: 1 });
    expect(await bench.ledger.problemRows(third)).toMatchObject([{ key: 'c' }]);
    expect(await bench.ledger.countRetry({ run: third })).toEqual({ failed: 1 });
    const { run } = await bench.ledger.retry({ run: third, by: 'ana@desk' });
    const [id] = await bench.rowIds(run!);
    expect(await bench.claim(run!, id!)).toMatchObject({ values: { title: 'Episode x' } });
  });

  it('refuses an earlier manifest still where another whole one came since, whatever its file', async () => {
    await bench.begin(submission(main));
    const renamed = main.map((one) => ({ ...one, values: { ...one.values, title: `New ${one.key}` } }));
    await bench.begin(submission(renamed, { path: '/manifests/spring-2.csv' }));
    const { problems } = await bench.ledger.plan(submission(main));
    expect(problems.map(({ code }) => code)).toEqual(['old-version']);
  });

  it('refuses an earlier correction, but takes the newest one again', async () => {
    await correctedCampaign(['x']);
    await bench.begin(submission(corrected('Episode z'), { path: SHEET }));
    const old = await bench.ledger.plan(submission(corrected('Episode x'), { path: SHEET }));
    expect(old.problems.map(({ code }) => code)).toEqual(['old-version']);
    const same = await bench.ledger.plan(submission(corrected('Episode z'), { path: SHEET }));
    expect(same.problems.map(({ code }) => code)).not.toContain('old-version');
  });

  it('has the rows that its manifest no longer has, and says which of them were pruned', async () => {
    await end(await bench.begin(submission(entries('a', 'b'))));
    await bench.begin(submission(entries('c', 'd'), { vanished: 'keep' }));
    const run = await bench.begin(submission(entries('c'), { vanished: 'prune' }));
    expect(run.number).toBe(2);
    expect((await records(CAMPAIGN)).map(({ key, code }) => `${key} ${code ?? '-'}`)).toEqual([
      'c -',
      'a not-in-manifest',
      'b not-in-manifest',
      'd pruned',
    ]);
    expect(await bench.ledger.counts(CAMPAIGN)).toEqual({ planned: 1, published: 2, cancelled: 1 });
  });
});

const PUBLISHED = { state: 'published', status: 'published' } as const;
const FAILED = { state: 'failed', status: 'failed', code: 'service-failed', message: 'no' } as const;
