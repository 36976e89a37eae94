import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry } from '../../../ledger/model/types';
import { Bench, entries, entry, submission } from '../support';

const HEADER = '\ufeffkey,source,note,reelay_key,reelay_campaign,reelay_line\n';

let bench: Bench;
beforeEach(async () => (bench = await new Bench().open()));
afterEach(() => bench.close());

const results = (rows: readonly Entry[], changes: Partial<SubmissionInput> = {}): SubmissionInput => {
  const made = submission(rows, { path: '/home/results.csv' });
  return { ...made, ...changes, snapshot: { ...made.snapshot, text: HEADER } };
};
const titled = (position: number, key: string, title: string) => entry(position, key, { values: { title } });

describe('--prune after rows were corrected in a file of results', () => {
  const prune = (keys: readonly string[]) => submission(entries(...keys), { vanished: 'prune' });

  /** What the plan prunes, and which rows are cancelled then. */
  async function pruned(input: SubmissionInput): Promise<{ planned: string[]; cancelled: string[]; said: string[] }> {
    const { rows, problems } = await bench.ledger.plan(input);
    const planned = rows.filter(({ action }) => action === 'prune').map(({ key }) => key);
    const run = await bench.begin(input);
    const states = Object.entries(await bench.states(run));
    return {
      planned,
      cancelled: states
        .filter(([, state]) => state === 'cancelled')
        .map(([key]) => key)
        .toSorted(),
      said: problems.map(({ code, severity, message }) => `${severity} ${code}: ${message}`),
    };
  }

  it('keeps a corrected row that the manifest still has', async () => {
    await bench.begin(submission(entries('a', 'b')));
    await bench.begin(results([titled(0, 'a', 'Better'), entry(1, 'b')]));
    expect(await pruned(prune(['a', 'b']))).toEqual({ planned: [], cancelled: [], said: [] });
  });

  it('cancels only the rows that are no longer in the manifest, and names them', async () => {
    await bench.begin(submission(entries('a', 'b', 'c')));
    await bench.begin(results([titled(0, 'a', 'Better'), titled(1, 'b', 'Best'), titled(2, 'c', 'New “title”')]));
    expect(await pruned(prune(['a', 'b']))).toEqual({
      planned: ['c'],
      cancelled: ['c'],
      said: [
        'warning rows-vanished: 1 row of the campaign is no longer in the manifest, and is cancelled: c (New “title”)',
      ],
    });
  });

  it('names the first of many', async () => {
    await bench.begin(submission(entries('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')));
    const { said } = await pruned(prune(['a']));
    expect(said).toEqual([
      'warning rows-vanished: 7 rows of the campaign are no longer in the manifest, and are cancelled: b (Episode b), c (Episode c), d (Episode d), e (Episode e), f (Episode f) and 2 more',
    ]);
  });

  it('leaves a row alone that was added in the file, whatever was done to it', async () => {
    await bench.begin(submission(entries('a', 'b', 'c')));
    await bench.begin(results([titled(0, 'a', 'Better'), entry(1, 'new')]));
    await bench.begin(results([titled(0, 'new', 'Another')]));
    expect(await pruned(prune(['a', 'b']))).toMatchObject({ planned: ['c'], cancelled: ['c'] });
    // Submitted again, and once more: the same.
    expect(await pruned(prune(['a']))).toMatchObject({ planned: ['b'], cancelled: ['b', 'c'] });
  });

  it('cancels a row that was in the manifest with an error, was corrected in a file, and is gone', async () => {
    const leftOut = [{ line: 4, key: 'b', source: 'https://media.example/b.mp4' }];
    await bench.begin(submission(entries('a'), { leftOut }));
    await bench.begin(results([titled(0, 'b', 'Better')]));
    expect(await pruned(prune(['a']))).toMatchObject({ planned: ['b'], cancelled: ['b'] });
  });

  it('holds for rows that are being created too: of those, it takes out what the manifest no longer has', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await bench.begin(results([titled(0, 'a', 'Better'), entry(1, 'new')]));
    const ids = await bench.rowIds(run);
    for (const id of ids) {
      const attempt = await bench.claimed(run, id);
      await bench.ledger.record(id, attempt, { kind: 'unknown', code: 'lost', message: 'cut' });
    }
    await bench.begin(prune(['a']));
    const asked = await bench.ledger.cancelsAsked(ids);
    for (const id of asked) await bench.ledger.settle(id, 1, { kind: 'repeat' });
    const states = Object.entries(await bench.states(run));
    expect(states.filter(([, state]) => state === 'cancelled')).toEqual([['b', 'cancelled']]);
    expect(asked).toHaveLength(1);
  });
});

describe('rows that were pruned, in a file of results', () => {
  beforeEach(async () => {
    await bench.begin(submission(entries('a', 'b')));
    await bench.begin(submission(entries('a'), { vanished: 'prune' }));
  });

  it('stay cancelled, and the plan says so', async () => {
    const { problems, actions } = await bench.ledger.plan(results([entry(0, 'b')]));
    expect(actions).toMatchObject({ leave: 1 });
    expect(problems).toEqual([
      {
        code: 'rows-cancelled',
        severity: 'warning',
        line: null,
        key: 'b',
        message: '1 row of this file was pruned and stays cancelled: b',
        hint: 'with --uncancel it is sent after all; so is a row that is edited',
      },
    ]);
  });

  it('are sent after all with --uncancel', async () => {
    const input = results([entry(0, 'b')], { cancelled: 'send' });
    expect(await bench.ledger.plan(input)).toMatchObject({ problems: [], actions: { recreate: 1 } });
    expect(await bench.states(await bench.begin(input))).toMatchObject({ a: 'planned', b: 'planned' });
  });
});

it('--uncancel of a manifest names the cancelled rows that were added in a file of results', async () => {
  await bench.begin(submission(entries('a')));
  const run = await bench.begin(results([entry(0, 'new'), titled(1, 'other', 'Other')]));
  await bench.ledger.cancel({ run, by: 'ana@desk' });
  const input = submission(entries('a'), { cancelled: 'send' });
  expect((await bench.ledger.plan(input)).problems).toEqual([
    {
      code: 'rows-cancelled',
      severity: 'warning',
      line: null,
      key: 'new',
      message: '2 rows that were added in a correction stay cancelled, since this file doesn’t have them: new, other',
      hint: 'to send them too, submit a file with them: `reelay results spring --state cancelled -o csv --out cancelled.csv`, then `reelay submit cancelled.csv --uncancel`',
    },
  ]);
  await bench.begin(input);
  expect(await bench.states(run)).toEqual({ a: 'planned', new: 'cancelled', other: 'cancelled' });
  const file = results([titled(0, 'other', 'Other'), entry(1, 'new')], { cancelled: 'send' });
  expect((await bench.ledger.plan(file)).problems).toEqual([]);
  await bench.begin(file);
  expect(await bench.states(run)).toEqual({ a: 'planned', new: 'planned', other: 'planned' });
});
