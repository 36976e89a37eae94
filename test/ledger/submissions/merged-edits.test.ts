import { type ResultRecord } from '../../../ledger/model/result-types';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry, type RowValues } from '../../../ledger/model/types';
import { Bench, entry, submission } from '../support';

const HEADER = '\ufeffkey,source,title,reelay_key,reelay_campaign,reelay_line,reelay_version\n';
const DEC = (day: number) => `2026-12-${String(day)}T12:00:00.000Z`;

let bench: Bench;
beforeEach(async () => (bench = await new Bench().open()));
afterEach(() => bench.close());

type Changes = Partial<Pick<RowValues, 'title' | 'publishAt' | 'source'>>;

/** A row whose cells say what its values are. */
function row(position: number, key: string, changes: Changes = {}): Entry {
  const made = entry(position, key, { values: { publishAt: DEC(21), ...changes } });
  const { title, publishAt, source } = made.values;
  return { ...made, cells: { key, title: title ?? '', at: publishAt ?? '', source: source ?? '' } };
}

async function records(): Promise<ResultRecord[]> {
  const found: ResultRecord[] = [];
  for await (const record of bench.ledger.results({ campaign: 'spring', number: null })) found.push(record);
  return found;
}

/** The file of results as it is now, with edits in it. */
async function writtenNow(): Promise<
  (edits: Record<string, Changes>, changes?: Partial<SubmissionInput>) => SubmissionInput
> {
  const written = await records();
  return (edits, changes = {}) => {
    const rows = written.map(({ key, cells, version }, at) => {
      const { title = '', at: publishAt = '', source = '' } = cells;
      return { ...row(at, key, { title, publishAt, source, ...edits[key] }), ...(version === null ? {} : { version }) };
    });
    const made = submission(rows, { path: '/home/results.csv' });
    return { ...made, ...changes, snapshot: { ...made.snapshot, text: HEADER } };
  };
}

/** `title at file` of each row: what is accepted, and what its cells say. */
async function shown(): Promise<Record<string, string>> {
  const found = await records();
  return Object.fromEntries(
    found.map(({ key, title, publish_at: at, source, cells }) => {
      expect([cells['title'], cells['at'], cells['source']]).toEqual([title, at, source]);
      return [key, `${String(title)} ${String(at?.slice(8, 10))} ${String(source?.split('/').at(-1))}`];
    }),
  );
}

describe('a file of results that is older than its rows', () => {
  it('changes only what was edited in it', async () => {
    await bench.begin(submission([row(0, 'a'), row(1, 'b')]));
    const results = await writtenNow();
    await bench.begin(submission([row(0, 'a', { publishAt: DEC(28) }), row(1, 'b')]));
    const input = results({ b: { title: 'Better' } });
    const { rows, ...plan } = await bench.ledger.plan(input);
    expect(plan).toMatchObject({ problems: [], actions: { continue: 1, update: 1 } });
    expect(rows[0]).toMatchObject({ key: 'a', values: { publishAt: DEC(28) } });
    await bench.begin(input);
    expect(await shown()).toEqual({ a: 'Episode a 28 a.mp4', b: 'Better 21 b.mp4' });
    await bench.begin(submission([row(0, 'a', { publishAt: DEC(28) }), row(1, 'b')]));
    expect(await shown()).toEqual({ a: 'Episode a 28 a.mp4', b: 'Better 21 b.mp4' });
  });

  it('keeps what another copy of it corrected in the same row', async () => {
    await bench.begin(submission([row(0, 'a')]));
    const results = await writtenNow();
    await bench.begin(results({ a: { source: 'https://media.example/right.mp4' } }));
    await bench.begin(results({ a: { title: 'Better' } }));
    expect(await shown()).toEqual({ a: 'Better 21 right.mp4' });
    // A file that is written now has both.
    await bench.begin((await writtenNow())({ a: { publishAt: DEC(24) } }));
    expect(await shown()).toEqual({ a: 'Better 24 right.mp4' });
  });

  it('is refused where the same value was changed in both, with both values', async () => {
    await bench.begin(submission([row(0, 'a')]));
    const results = await writtenNow();
    await bench.begin(submission([row(0, 'a', { publishAt: DEC(28), title: 'Same' })]));
    const edits = { a: { publishAt: DEC(24), title: 'Same' } };
    expect(await bench.problems(results(edits))).toMatchObject([
      {
        ...{ code: 'changed-since', severity: 'error', line: 2, key: 'a' },
        message: `key a has another publish_at since this file was written: this file has “${DEC(24)}”, the row “${DEC(28)}”`,
      },
    ]);
    expect(await shown()).toEqual({ a: 'Same 28 a.mp4' });
    await bench.begin(results(edits, { acceptDifferences: true }));
    expect(await shown()).toEqual({ a: 'Same 24 a.mp4' });
  });

  it('is taken as it is without the version, or with that of another row or campaign', async () => {
    await bench.begin(submission([row(0, 'a'), row(1, 'b')]));
    const results = await writtenNow();
    await bench.begin(submission([row(0, 'a', { publishAt: DEC(28) }), row(1, 'b')]));
    const input = results({});
    for (const version of [undefined, '', 'v1', '1.0', 'v9999.0', 'v1.1']) {
      const rows = (input.entries as Entry[]).map((one) => {
        const changed = { ...one };
        delete changed.version;
        return version === undefined ? changed : { ...changed, version };
      });
      expect(await bench.ledger.plan({ ...input, entries: rows })).toMatchObject({ actions: { update: 1 } });
    }
  });
});
