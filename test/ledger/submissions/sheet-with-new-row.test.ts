import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type CampaignRef, type Entry, type RunRef, type ViewRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const CAMPAIGN: CampaignRef = { campaign: 'spring', number: null };
const HEADERS = {
  results: '\ufeffkey,source,note,reelay_key,reelay_campaign,reelay_line\n',
  rejected: '\ufeffkey,source,note,reelay_campaign,reelay_folder,reelay_line,reelay_code,reelay_message\n',
};

describe('results of a campaign with pruned rows, submitted as a sheet', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const results = (rows: readonly Entry[]): SubmissionInput => {
    const made = submission(rows, { path: '/home/results.csv' });
    return { ...made, snapshot: { ...made.snapshot, text: HEADERS.results } };
  };

  it('leave unchanged ones pruned, and send those that were corrected', async () => {
    await bench.begin(submission(entries('a', 'b')));
    await bench.begin(submission(entries('a'), { vanished: 'prune' }));
    const unchanged = results([entry(0, 'a', { values: { title: 'Better' } }), entry(1, 'b')]);
    expect((await bench.ledger.plan(unchanged)).actions).toEqual({ update: 1, leave: 1 });
    const run = await bench.begin(unchanged);
    expect(await bench.states(run)).toEqual({ a: 'planned', b: 'cancelled' });
    const changed = results([entry(0, 'b', { values: { title: 'Another' } })]);
    expect((await bench.ledger.plan(changed)).actions).toMatchObject({ recreate: 1 });
    await bench.begin(changed);
    expect(await bench.states(run)).toEqual({ a: 'planned', b: 'planned' });
  });
});

describe.each(['results', 'rejected'] as const)('a corrected sheet (%s) to which a person adds a row', (kind) => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const main = entries('a', 'b');
  const sheet = (rows: readonly Entry[], changes: Partial<SubmissionInput> = {}): SubmissionInput => {
    const made = submission(rows, { path: '/home/fix.csv' });
    return { ...made, snapshot: { ...made.snapshot, text: HEADERS[kind] }, ...changes };
  };
  /** `b` corrected, and a row that the manifest doesn't have. */
  const fix = sheet([entry(0, 'b', { values: { title: 'Better' } }), entry(1, 'new')]);

  async function records(view: ViewRef): Promise<string[]> {
    const found: string[] = [];
    for await (const { key, state, code } of bench.ledger.results(view)) found.push(`${key} ${state} ${code ?? '-'}`);
    return found;
  }

  /** Every row fails or is published, as its key says. */
  async function end(run: RunRef, state: 'published' | 'failed'): Promise<void> {
    for (const id of await bench.rowIds(run)) {
      const attempt = await bench.claimed(run, id);
      const publicationId = `pub-${id}-${attempt}`;
      await bench.ledger.record(id, attempt, { kind: 'accepted', publicationId, status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId, state, status: state }]);
    }
    await bench.ledger.finishRun(run);
  }

  it('adds the row, and leaves the manifest the campaign’s own', async () => {
    await end(await bench.begin(submission(main)), 'failed');
    await end(await bench.begin(fix), 'published');
    expect(await records(CAMPAIGN)).toEqual(['a failed -', 'b published -', 'new published -']);
    expect(await bench.ledger.counts(CAMPAIGN)).toEqual({ failed: 1, published: 2 });
  });

  it('doesn’t make the manifest an old version: unchanged or newer, it is accepted without a question', async () => {
    await end(await bench.begin(submission(main)), 'failed');
    await end(await bench.begin(fix), 'published');
    expect(await bench.ledger.plan(submission(main))).toMatchObject({
      problems: [{ code: 'not-retried', severity: 'warning' }],
      actions: { leave: 2, keep: 1 },
    });
    const newer = await bench.ledger.plan(submission([...main, entry(2, 'c')]));
    expect(newer).toMatchObject({ problems: [{ code: 'not-retried' }], actions: { leave: 2, keep: 1, create: 1 } });
    await bench.begin(submission(main));
    expect(await records(CAMPAIGN)).toEqual(['a failed -', 'b published -', 'new published -']);
  });

  it('keeps its row while that is not sent yet, when the manifest without it is submitted', async () => {
    await bench.begin(submission(main));
    const run = await bench.begin(fix);
    const newer = submission([...main, entry(2, 'c')]);
    for (const next of [submission(main), newer]) {
      expect(await bench.problems(next)).toEqual([]);
      await bench.import();
    }
    expect(await records(run)).toEqual(
      expect.arrayContaining(['a planned -', 'c planned -', expect.stringMatching(/^new planned/)]),
    );
    expect(await bench.rowIds(run)).toHaveLength(4);
  });

  it('has its rows in a plan of the manifest with their own values, and in when its last row is sent', async () => {
    const [publishAt, later] = ['2026-12-21T17:00:00.000Z', '2027-01-24T17:00:00.000Z'];
    await bench.begin(submission(main));
    await bench.begin(
      sheet([
        entry(0, 'b', { values: { title: 'Better', publishAt } }),
        entry(1, 'new', { values: { publishAt: later } }),
      ]),
    );
    const plan = await bench.ledger.plan(submission(main));
    expect(plan.rows).toMatchObject([
      { key: 'a', action: 'continue' },
      { key: 'b', action: 'continue', values: { title: 'Better', publishAt } },
      { key: 'new', action: 'keep', state: 'waiting', values: { title: 'Episode new', publishAt: later } },
    ]);
    expect(plan.rows[0]).not.toHaveProperty('values');
    expect(plan.channels).toMatchObject([{ rows: 2, firstAt: null, lastAt: publishAt }]);
    expect(plan.kept).toEqual({ firstAt: later, lastAt: later, timed: true });
  });

  it('asks about a row of the manifest that it corrected and that a newer manifest lacks', async () => {
    await bench.begin(submission(main));
    await bench.begin(fix);
    expect(await bench.problems(submission(entries('a')))).toMatchObject([
      { code: 'rows-vanished', severity: 'error', message: expect.stringMatching(/1 row .*: b$/u) },
    ]);
  });

  it('asks about a row that it corrected, that the manifest had with an error, and that a newer one lacks', async () => {
    const leftOut = [{ line: 4, key: 'new', source: 'https://media.example/new.mp4' }];
    await bench.begin(submission(main, { leftOut }));
    await bench.begin(fix);
    expect(await bench.problems(submission(main, { leftOut }))).toEqual([]);
    expect(await bench.problems(submission([...main, entry(2, 'c')]))).toMatchObject([
      { code: 'rows-vanished', message: expect.stringMatching(/1 row .*: new$/u) },
    ]);
  });

  it('is recognised where a column’s name has a line break', async () => {
    await end(await bench.begin(submission(main)), 'failed');
    const { snapshot } = fix;
    const text = snapshot.text.replace(',note,', ',"our\nnote",');
    await end(await bench.begin({ ...fix, snapshot: { ...snapshot, text } }), 'published');
    expect(await records(CAMPAIGN)).toEqual(['a failed -', 'b published -', 'new published -']);
  });

  it('has its row in the manifest once that has it too, and sends it once', async () => {
    await end(await bench.begin(submission(main)), 'published');
    await end(await bench.begin(fix), 'published');
    const plan = await bench.ledger.plan(submission([...main, entry(2, 'new')]));
    expect([plan.problems, plan.actions]).toEqual([[], { leave: 3 }]);
  });
});
