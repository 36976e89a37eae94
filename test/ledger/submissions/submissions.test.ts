import Database from 'libsql';
import { type SubmissionProblem } from '../../../ledger/model/errors';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { Bench, entries, entry, inFile, NOON, submission } from '../support';

describe('submit and import', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function refusal(input: SubmissionInput): Promise<readonly SubmissionProblem[]> {
    const problems = await bench.problems(input);
    if (problems.length === 0) throw new Error('accepted');
    return problems;
  }

  async function codes(input: SubmissionInput): Promise<string[]> {
    return (await refusal(input)).map((problem) => problem.code).sort();
  }

  async function publish(...keys: string[]): Promise<void> {
    const run = await bench.ledger.newestRun('spring');
    for (const id of await bench.rowIds(run!)) {
      const claim = await bench.claim(run!, id);
      if (!claim.claimed || !keys.includes(claim.key)) throw new Error(`not ${keys.join()}`);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `pub-${claim.key}`, status: 'processing' });
      await bench.ledger.recordEnds([
        {
          rowId: id,
          publicationId: `pub-${claim.key}`,
          state: 'published',
          status: 'published',
          videoUrl: `https://video.example/${claim.key}`,
        },
      ]);
    }
  }

  it('publishes a row once, however often its manifest is submitted', async () => {
    const input = submission(entries('a', 'b'));
    const run = await bench.begin(input);
    await publish('a', 'b');
    expect(await bench.ledger.finishRun(run)).toBe(true);
    const again = await bench.ledger.submit(input);
    expect(again).toMatchObject({ run: { number: 2 }, attached: false, repeated: true });
    const second = await bench.import();
    expect(await bench.ledger.openRows(second)).toBe(0);
    expect(await bench.ledger.counts(second)).toEqual({ published: 2 });
    const records = [];
    for await (const record of bench.ledger.results(second))
      records.push([record.key, record.run, record.publication_id]);
    expect(records).toEqual([
      ['a', 'spring.1', 'pub-a'],
      ['b', 'spring.1', 'pub-b'],
    ]);
  });

  it('writes nothing for a plan, and nothing of a submission that is refused', async () => {
    const plan = await bench.ledger.plan(submission(entries('a', 'b')));
    expect(plan.actions).toEqual({ create: 2 });
    expect(plan.kept).toBeNull();
    expect(plan.channels).toEqual([
      {
        channel: expect.any(String),
        label: 'Garden · long',
        rows: 2,
        firstAt: null,
        lastAt: null,
        timed: false,
        late: 0,
        atOnce: 2,
        misses: [],
        times: [
          { position: 0, at: null },
          { position: 1, at: null },
        ],
      },
    ]);
    expect(await codes(submission([entry(0, 'a'), entry(1, 'a')]))).toEqual(['key-repeated']);
    expect(await bench.ledger.listRuns()).toEqual([]);
  });

  it('refuses a manifest that lost rows, unless they are to be pruned or kept', async () => {
    await bench.begin(submission(entries('a', 'b', 'c')));
    const [refused] = (await bench.ledger.plan(submission(entries('a')))).problems;
    expect([refused?.code, refused?.hint]).toEqual(['rows-vanished', expect.stringMatching(/^with --keep .*--prune/u)]);
    const run = await bench.begin(submission(entries('a', 'b'), { vanished: 'keep' }));
    expect(await bench.ledger.openRows(run)).toBe(3);
    await bench.begin(submission(entries('a'), { vanished: 'prune' }));
    expect(await bench.ledger.openRows(run)).toBe(1);
    expect(await bench.ledger.counts(run)).toEqual({ planned: 1, cancelled: 2 });
  });

  it('suspects a new key for a video that the manifest had under another', async () => {
    await bench.begin(submission(entries('a')));
    await publish('a');
    const renamed = [entry(0, 'b', { values: { source: 'https://media.example/a.mp4' } })];
    expect(await codes(submission(renamed))).toEqual(['rekey-suspected']);
    expect((await bench.ledger.plan(submission(renamed, { rekey: true }))).actions).toMatchObject({ create: 1 });
  });

  it('refuses an earlier version of the manifest, unless it is forced', async () => {
    const first = submission(entries('a'));
    await bench.begin(first);
    await bench.begin(submission([entry(0, 'a', { values: { title: 'New' } })]));
    expect(await codes(first)).toEqual(['old-version']);
    const run = await bench.begin({ ...first, forceOld: true });
    const claim = await bench.claim(run, await bench.firstId(run));
    expect(claim).toMatchObject({ values: { title: 'Episode a' } });
  });

  it('takes the same file again with the flags it had before', async () => {
    const [first, second] = (['publish', 'skip'] as const).map((late) => {
      const one = submission(entries('a'), { settings: { late } });
      return { ...one, snapshot: { ...one.snapshot, fileHash: 'the file' } };
    }) as [SubmissionInput, SubmissionInput];
    await bench.begin(first);
    await bench.begin(second);
    expect((await bench.ledger.plan(first)).problems).toEqual([]);
    await bench.begin(first);
    await bench.begin(submission(entries('a', 'b')));
    expect(await codes(second)).toContain('old-version');
  });

  it('refuses a source that another campaign sends to the same channel', async () => {
    await bench.begin(submission(entries('a'), { campaign: 'winter' }));
    const again = entries('a');
    const [problem] = await refusal(submission(again));
    expect(problem).toMatchObject({ code: 'source-repeated', line: 2, message: expect.stringContaining('winter') });
    expect((await bench.ledger.plan(submission(again, { settings: { repeat: 'allow' } }))).actions).toEqual({
      create: 1,
    });
    const elsewhere = [entry(0, 'a', { values: { profileId: 'p-2' } })];
    expect((await bench.ledger.plan(submission(elsewhere))).actions).toEqual({ create: 1 });
  });

  it('takes the newest accepted values for what is not claimed, also when the create did not happen', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a, b] = await bench.rowIds(run);
    await bench.claimed(run, a!);
    const rows = [entry(0, 'b', { values: { title: 'New b' } }), entry(1, 'a', { values: { title: 'New a' } })];
    await bench.begin(submission(rows));
    expect(await bench.claim(run, b!)).toMatchObject({ values: { title: 'New b' } });
    await bench.ledger.record(a!, 1, { kind: 'never-sent', code: 'refused', message: 'no' });
    expect(await bench.claim(run, a!)).toMatchObject({ attempt: 2, values: { title: 'New a' } });
  });

  it('takes no further rows when a trial is submitted again while its run is open, and further ones afterwards', async () => {
    const trial = submission(entries('a', 'b', 'c', 'd'), { select: { limit: 2 } });
    const run = await bench.begin(trial);
    expect(await bench.rowIds(run)).toHaveLength(2);
    const planned = async () =>
      (await bench.ledger.plan(trial)).rows.filter((row) => row.selected).map((row) => row.key);
    expect(await planned()).toEqual(['a', 'b']);
    await bench.ledger.submit(trial);
    await bench.import();
    expect(await bench.rowIds(run)).toHaveLength(2);
    // Another trial is another wish.
    await bench.ledger.submit({ ...trial, select: { limit: 1 } });
    await bench.import();
    expect(await bench.rowIds(run)).toHaveLength(3);
    await publish('a', 'b', 'c');
    expect(await bench.ledger.finishRun(run)).toBe(true);
    await bench.ledger.submit(trial);
    const next = await bench.import();
    expect(await bench.rowIds(next)).toHaveLength(1);
  });

  it('sends a limited number of rows in a trial, and the others with the next submission', async () => {
    const rows = entries('a', 'b', 'c', 'd');
    const run = await bench.begin(submission(rows, { select: { limit: 1 } }));
    expect(await bench.rowIds(run)).toHaveLength(1);
    await publish('a');
    expect(await bench.ledger.finishRun(run)).toBe(true);
    const second = await bench.begin(submission(rows, { select: { keys: ['c'] } }));
    expect(await bench.rowIds(second)).toHaveLength(1);
    await publish('c');
    const third = await bench.begin(submission(rows));
    expect(await bench.rowIds(third)).toHaveLength(2);
    expect(await bench.states(third)).toEqual({ a: 'published', b: 'planned', c: 'published', d: 'planned' });
  });

  it('cancels what is to be skipped, and what was planned by an import after the cancel', async () => {
    const run = await bench.begin(submission([entry(0, 'a', { skip: true }), entry(1, 'b')]));
    expect(await bench.states(run)).toEqual({ a: 'cancelled', b: 'planned' });
    await bench.ledger.submit(submission(entries('a', 'b', 'c')));
    await bench.ledger.cancel({ run, by: 'ana' });
    await bench.import();
    expect(await bench.states(run)).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled' });
    expect(await bench.ledger.finishRun(run)).toBe(true);
  });

  it('does not finish a run with open rows or with a submission to import', async () => {
    const run = await bench.begin(submission(entries('a')));
    expect(await bench.ledger.finishRun(run)).toBe(false);
    await publish('a');
    expect((await bench.ledger.submit(submission(entries('a', 'b')))).attached).toBe(true);
    expect(await bench.ledger.finishRun(run)).toBe(false);
    await bench.import();
    expect(await bench.rowIds(run)).toHaveLength(1);
  });

  it('shows every row of the manifest in its order over many pages, before and after the import', async () => {
    const rows = Array.from({ length: 1203 }, (_, at) => entry(at, `k${at}`, { values: { profileId: `p-${at % 7}` } }));
    const { run } = await bench.ledger.submit(submission(rows));
    const keys = async () => {
      const seen: string[] = [];
      for await (const record of bench.ledger.results(run)) seen.push(record.key);
      return seen;
    };
    expect(await keys()).toEqual(rows.map((row) => row.key));
    expect(await bench.ledger.counts(run)).toEqual({ planned: 1203 });
    await bench.import();
    expect(await keys()).toEqual(rows.map((row) => row.key));
    expect(await bench.ledger.columns(run)).toEqual(['key', 'note']);
  });

  inFile('writes nothing for rows that are already right when a big manifest is imported again', async () => {
    const rows = Array.from({ length: 1111 }, (_, at) => entry(at, `k${at}`, { values: { profileId: `p-${at % 7}` } }));
    await bench.begin(submission(rows));
    const other = new Database(bench.path);
    other.exec(`create trigger no_write before update on rows begin select raise(abort, 'a row was written'); end`);
    other.close();
    const run = await bench.begin(submission(rows));
    expect(await bench.ledger.counts(run)).toEqual({ planned: 1111 });
    await expect(bench.begin(submission(rows.slice().reverse()))).rejects.toThrow('a row was written');
  });

  it('finds each row again in a big manifest that was turned round, partly changed and read as a stream', async () => {
    const rows = Array.from({ length: 1111 }, (_, at) => entry(at, `k${at}`));
    await bench.begin(submission(rows));
    const turned = rows.toReversed().map((row, at) => {
      const title = at % 10 === 0 ? 'Mended' : row.values.title;
      return { ...row, position: at, line: at + 2, values: { ...row.values, title } };
    });
    async function* stream() {
      yield* turned;
    }
    const run = await bench.begin({ ...submission(turned), entries: stream() });
    const seen: string[] = [];
    for await (const record of bench.ledger.results(run)) seen.push(`${record.line} ${record.key} ${record.title}`);
    expect(seen).toEqual(turned.map((row) => `${row.line} ${row.key} ${row.values.title}`));
    expect(await bench.ledger.openRows(run)).toBe(1111);
    const [channel] = await bench.ledger.channels(run);
    const [first] = await bench.ledger.takePage({ run, channelId: channel!.id, limit: 1, now: NOON });
    expect(first!.label).toBe('row 2 · Mended → long');
    expect(await bench.claim(run, first!.id)).toMatchObject({ key: 'k1110', values: { title: 'Mended' } });
  });

  it('says for each row of a page where else its source goes', async () => {
    await bench.begin(submission(entries('a', 'b', 'c'), { campaign: 'winter' }));
    const rows = entries('x', 'b', 'y', 'c');
    const problems = await refusal(submission(rows));
    expect(problems.map(({ line, code, message }) => [line, code, message.split(' in ')[1]])).toEqual([
      [3, 'source-repeated', 'campaign winter, row 3'],
      [5, 'source-repeated', 'campaign winter, row 4'],
    ]);
  });

  it('hides signed queries in what it shows, and keeps them in what is sent', async () => {
    const source = 'https://media.example/a.mp4?X-Amz-Signature=secret';
    const run = await bench.begin(submission([entry(0, 'a', { values: { source, title: null } })]));
    for await (const record of bench.ledger.results(run)) expect(record.source).toBe('https://media.example/a.mp4?…');
    const [channel] = await bench.ledger.channels(run);
    expect(channel).toMatchObject({ label: 'Garden · long', id: expect.stringMatching(/^[A-Za-z0-9._-]{1,120}$/) });
    const [row] = await bench.ledger.takePage({ run, channelId: channel!.id, limit: 5, now: NOON });
    expect(row!.label).toBe('row 2 · a.mp4 → long');
    expect(await bench.claim(run, row!.id)).toMatchObject({ values: { source } });
  });
});
