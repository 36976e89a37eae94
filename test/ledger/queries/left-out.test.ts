import { type LeftOutRow, type SubmissionInput } from '../../../ledger/model/submission-types';
import { type CampaignRef, type Entry } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const CAMPAIGN: CampaignRef = { campaign: 'spring', number: null };
const HEADER = '\ufeffkey,source,note,reelay_campaign,reelay_folder,reelay_line,reelay_code,reelay_message\n';
const SHEET = '/home/results/spring.1/rejected.csv';

describe('rows that were left out because of an error', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const source = (key: string): string => `https://media.example/${key}.mp4`;
  const row = (line: number, key: string): LeftOutRow => ({ line, key, source: source(key) });
  const manifest = (leftOut: LeftOutRow[], rows = entries('a', 'b')): SubmissionInput => ({
    ...submission(rows),
    leftOut,
  });
  const sheet = (rows: readonly Entry[], leftOut: LeftOutRow[] = []): SubmissionInput => {
    const made = submission(rows, { path: SHEET });
    return { ...made, snapshot: { ...made.snapshot, text: HEADER }, leftOut };
  };

  it('are known later, of the campaign and of the run', async () => {
    const run = await bench.begin(manifest([row(4, 'c'), row(5, 'd')]));
    const expected = [{ run: 'spring.1', manifest: '/manifests/spring.csv', rows: 2, lines: [4, 5] }];
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual(expected);
    expect(await bench.ledger.leftOut(run)).toEqual(expected);
  });

  it('no longer count once they were submitted corrected, one by one', async () => {
    const first = await bench.begin(manifest([row(4, 'c'), row(5, 'd')]));
    await bench.begin(sheet(entries('c')));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toMatchObject([{ rows: 1, lines: [5] }]);
    await bench.begin(sheet(entries('d')));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual([]);
    expect(await bench.ledger.leftOut(first)).toEqual([]);
  });

  it('no longer count once the manifest has none', async () => {
    await bench.begin(manifest([row(4, 'c')]));
    await bench.begin(manifest([], entries('a', 'b', 'c')));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual([]);
  });

  it('count once if a sheet leaves them out again, which is then where they are', async () => {
    await bench.begin(manifest([row(4, 'c'), row(5, 'd'), row(6, 'e')]));
    await bench.begin(sheet(entries('c'), [row(3, 'd')]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual([
      { run: 'spring.1', manifest: '/manifests/spring.csv', rows: 1, lines: [6] },
      { run: 'spring.1', manifest: SHEET, rows: 1, lines: [3] },
    ]);
  });

  it('stay settled when the unchanged manifest leaves them out again', async () => {
    await bench.begin(manifest([row(4, 'c')]));
    await bench.begin(sheet(entries('c')));
    await bench.begin(manifest([row(4, 'c')]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual([]);
  });

  it('are settled by number if nothing identifies them: their correction may change all of it', async () => {
    const keyless = [
      { line: 4, key: null, source: null },
      { line: 5, key: source('typo'), source: source('typo') },
      row(6, 'e'),
    ];
    await bench.begin(manifest(keyless));
    const right = ['x', 'y'].map((key, at) =>
      entry(at, source(key), { values: { source: source(key) }, cells: { reelay_line: String(4 + at) } }),
    );
    const added = entry(2, 'added');
    await bench.begin(sheet([added]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toMatchObject([{ rows: 3, lines: [4, 5, 6] }]);
    await bench.begin(sheet([...right.slice(0, 1), added]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toMatchObject([{ rows: 2, lines: [6] }]);
    await bench.begin(sheet([...right, added]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toMatchObject([{ rows: 1, lines: [6] }]);
  });

  it('are not hidden by a row of the same campaign that is only similar', async () => {
    await bench.begin(manifest([row(4, 'c')]));
    await bench.begin(sheet([entry(0, 'other')]));
    expect(await bench.ledger.leftOut(CAMPAIGN)).toMatchObject([{ rows: 1, lines: [4] }]);
  });

  it('keep rows that a sheet has corrected in the campaign when the manifest is changed elsewhere', async () => {
    await bench.begin(manifest([row(4, 'c')]));
    await bench.begin(sheet(entries('c')));
    const run = await bench.import();
    for (const id of await bench.rowIds(run)) {
      await bench.claimed(run, id);
      const publicationId = `pub-${id}`;
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId, status: 'processing' });
      await bench.ledger.recordEnds([{ rowId: id, publicationId, state: 'published', status: 'published' }]);
    }
    await bench.begin(manifest([row(4, 'c')], [entry(0, 'a'), entry(1, 'b'), entry(3, 'f')]));
    const found: string[] = [];
    for await (const { key, code } of bench.ledger.results(CAMPAIGN)) found.push(`${key} ${code ?? '-'}`);
    expect(found).toEqual(['a -', 'b -', 'f -', 'c -']);
    expect(await bench.ledger.leftOut(CAMPAIGN)).toEqual([]);
  });
});
