import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type CampaignRef, type Entry, type RunRef, type ViewRef } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const CAMPAIGN: CampaignRef = { campaign: 'spring', number: null };
const HEADER = '\ufeffkey,source,note,reelay_campaign,reelay_folder,reelay_line,reelay_code,reelay_message\n';

describe('a corrected sheet of the rows that --skip-invalid left out', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const manifest = (changes: Partial<SubmissionInput> = {}): SubmissionInput => ({
    ...submission(entries('a', 'b')),
    leftOut: ['c', 'd'].map((key, at) => ({ line: 4 + at, key, source: `https://media.example/${key}.mp4` })),
    ...changes,
  });
  const sheet = (rows: readonly Entry[], changes: Partial<SubmissionInput> = {}): SubmissionInput => {
    const made = submission(rows, { path: '/home/results/spring.1/rejected.csv' });
    return { ...made, snapshot: { ...made.snapshot, text: HEADER }, ...changes };
  };

  async function records(view: ViewRef): Promise<string[]> {
    const found: string[] = [];
    for await (const { key, state, code } of bench.ledger.results(view)) found.push(`${key} ${state} ${code ?? '-'}`);
    return found;
  }

  async function publish(run: RunRef): Promise<void> {
    for (const id of await bench.rowIds(run)) {
      await bench.claimed(run, id);
      const publicationId = `pub-${id}`;
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId, status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId, state: 'published', status: 'published' }]);
    }
    await bench.ledger.finishRun(run);
  }

  it('leaves the manifest the campaign’s own, and its rows belong to the campaign', async () => {
    await publish(await bench.begin(manifest()));
    const second = await bench.begin(sheet(entries('c', 'd')));
    await publish(second);
    expect(await records(CAMPAIGN)).toEqual(['a', 'b', 'c', 'd'].map((key) => `${key} published -`));
    expect(await records(second)).toEqual(['c', 'd'].map((key) => `${key} published -`));
    expect(await bench.ledger.counts(CAMPAIGN)).toEqual({ published: 4 });
  });

  it('doesn’t make the manifest an old version, with and without the rows corrected in it', async () => {
    await publish(await bench.begin(manifest()));
    await publish(await bench.begin(sheet(entries('c', 'd'))));
    const corrected = await bench.ledger.plan(submission(entries('a', 'b', 'c', 'd')));
    expect([corrected.problems, corrected.actions]).toEqual([[], { leave: 4 }]);
    const again = await bench.ledger.plan(manifest());
    expect([again.problems, again.actions]).toEqual([[], { leave: 2, keep: 2 }]);
    await bench.begin(manifest());
    expect(await records(CAMPAIGN)).toEqual(['a', 'b', 'c', 'd'].map((key) => `${key} published -`));
  });

  it('has the lines of its own rows, with its name, where the rows of the manifest are shown', async () => {
    await publish(await bench.begin(manifest()));
    const second = await bench.begin(sheet(entries('c', 'd')));
    const c = await bench.firstId(second);
    await bench.claimed(second, c);
    await bench.ledger.record(c, 1, { kind: 'unknown', code: 'lost', message: 'cut' });
    await bench.ledger.settle(c, 1, { kind: 'unconfirmed', code: 'lost', message: 'lost', candidates: [] });
    expect(await bench.ledger.problemRows(CAMPAIGN)).toMatchObject([
      { key: 'c', line: 2, file: 'rejected.csv', label: 'row 2 of rejected.csv · Episode c → long' },
    ]);
    expect(await bench.ledger.problemRows(second)).toMatchObject([
      { key: 'c', line: 2, file: null, label: 'row 2 · Episode c → long' },
    ]);
    expect(await bench.ledger.needsPerson(second)).toMatchObject([{ key: 'c', line: 2, file: 'rejected.csv' }]);
    const shown: unknown[] = [];
    for await (const { key, line, file } of bench.ledger.results(CAMPAIGN)) shown.push([key, line, file]);
    expect(shown).toEqual([
      ['a', 2, null],
      ['b', 3, null],
      ['c', 2, 'rejected.csv'],
      ['d', 3, 'rejected.csv'],
    ]);
  });

  it('joins a run that is still open', async () => {
    const run = await bench.begin(manifest());
    expect(await bench.begin(sheet(entries('c')))).toEqual(run);
    expect(await records(run)).toEqual(['a', 'b', 'c'].map((key) => `${key} planned -`));
  });

  it('keeps its unsent rows when the unchanged manifest is submitted again, and never prunes them', async () => {
    await bench.begin(manifest());
    const run = await bench.begin(sheet(entries('c', 'd')));
    expect(await bench.problems(manifest())).toEqual([]);
    await bench.import();
    expect(await records(run)).toEqual(['a', 'b', 'c', 'd'].map((key) => `${key} planned -`));
    const pruning = await bench.problems(manifest({ vanished: 'prune' }));
    expect(pruning.map(({ code, key }) => [code, key])).toEqual([
      ['left-out-unsent', 'c'],
      ['left-out-unsent', 'd'],
    ]);
  });

  it('may not prune the rows that it doesn’t have', async () => {
    const run = await bench.begin(manifest());
    const problems = await bench.problems(sheet(entries('c'), { vanished: 'prune' }));
    expect(problems).toMatchObject([
      {
        ...{ code: 'partial-sheet', severity: 'error' },
        message: expect.stringContaining('rejected.csv'),
        hint: expect.stringContaining('without --prune'),
      },
    ]);
    expect(await records(run)).toEqual(['a planned -', 'b planned -']);
  });

  it('shows a row as not in the manifest once a newer manifest lacks it', async () => {
    await publish(await bench.begin(manifest()));
    await publish(await bench.begin(sheet(entries('c', 'd'))));
    await publish(await bench.begin(submission([...entries('a', 'b', 'c'), entry(3, 'e')])));
    expect(await records(CAMPAIGN)).toEqual([
      ...['a', 'b', 'c', 'e'].map((key) => `${key} published -`),
      'd published not-in-manifest',
    ]);
  });

  it('is a manifest of its own where the campaign has no other', async () => {
    await publish(await bench.begin(sheet(entries('c'))));
    await publish(await bench.begin(sheet(entries('c', 'd'))));
    expect(await records(CAMPAIGN)).toEqual(['c published -', 'd published -']);
    expect((await bench.ledger.plan(sheet(entries('c')))).problems.map(({ code }) => code)).toEqual(['old-version']);
  });
});
