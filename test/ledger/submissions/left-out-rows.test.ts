import { type LeftOutRow, type SubmissionInput } from '../../../ledger/model/submission-types';
import { Bench, entries, entry, submission } from '../support';

const B_IS_WRONG: LeftOutRow = { line: 3, key: 'b', source: 'https://media.example/b.mp4' };

describe('rows that are left out because of an error', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const withoutB = (changes: Partial<SubmissionInput>): SubmissionInput => ({
    ...submission(entries('a')),
    leftOut: [B_IS_WRONG],
    ...changes,
  });

  it.each(['refuse', 'keep', 'prune'] as const)(
    'refuse the manifest while their earlier version is unsent (rows that vanish: %s)',
    async (vanished) => {
      const run = await bench.begin(submission(entries('a', 'b')));
      const input = withoutB({ vanished });
      expect(await bench.problems(input)).toMatchObject([
        {
          ...{ code: 'left-out-unsent', severity: 'error', line: 3, key: 'b' },
          message: expect.stringContaining('key b is'),
          hint: expect.stringContaining('`reelay cancel spring --key b`'),
        },
      ]);
      const plan = await bench.ledger.plan(input);
      expect(plan.rows.map(({ line, key, action }) => [line, key, action])).toEqual([
        [2, 'a', 'continue'],
        [3, 'b', 'refuse'],
      ]);
      expect(await bench.states(run)).toEqual({ a: 'planned', b: 'planned' });
    },
  );

  it('are recognised by their key in another channel, and by their source under another key', async () => {
    await bench.begin(submission([entry(0, 'a'), entry(1, 'b', { values: { profileId: 'p-2' } }), entry(2, 'c')]));
    const leftOut = [B_IS_WRONG, { line: 4, key: 'new', source: 'https://media.example/c.mp4' }];
    const found = await bench.problems(withoutB({ vanished: 'keep', leftOut }));
    expect(found.map(({ code, line, key }) => [code, line, key])).toEqual([
      ['left-out-unsent', 3, 'b'],
      ['left-out-unsent', 4, 'c'],
    ]);
  });

  it.each(['refuse', 'keep'] as const)(
    'may be any unsent row that no line has, if their key can’t be read (rows that vanish: %s)',
    async (vanished) => {
      await bench.begin(submission(entries('a', 'b')));
      const leftOut = [{ line: 3, key: null, source: null }];
      expect(await bench.problems(withoutB({ vanished, leftOut }))).toMatchObject([
        {
          ...{ code: 'left-out-unsent', line: 3, key: null },
          message: expect.stringMatching(/no other line has: b$/u),
          hint: expect.stringContaining('`reelay cancel spring --key b`'),
        },
      ]);
      expect(await bench.problems({ ...submission(entries('a', 'b')), leftOut })).toEqual([]);
    },
  );

  it('are no obstacle once their earlier version was sent or cancelled, or if there is none', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await bench.ledger.cancel({ run, keys: ['b'], by: 'ana@desk' });
    expect(await bench.problems(withoutB({}))).toEqual([]);
    await bench.import();
    expect(await bench.states(run)).toEqual({ a: 'planned', b: 'cancelled' });
    expect(await bench.problems({ ...submission(entries('x'), { campaign: 'other' }), leftOut: [B_IS_WRONG] })).toEqual(
      [],
    );
  });
});
