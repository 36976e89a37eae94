import { type SubmissionProblem, SubmissionRefusedError } from '../../../ledger/model/errors';
import { type SubmissionInput } from '../../../ledger/model/submission-types';
import { Bench, entries, entry, submission } from '../support';

describe('a source that another submission sends to the same channel', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  async function refusal(input: SubmissionInput): Promise<readonly SubmissionProblem[]> {
    const problems = await bench.problems(input);
    if (problems.length === 0) throw new Error('accepted');
    return problems;
  }

  const places = (problems: readonly SubmissionProblem[]) =>
    problems.map(({ line, code, message }) => [line, code, message.split(' in ')[1]]);

  it('is refused while the other submission is accepted, but not imported yet', async () => {
    await bench.ledger.submit(submission(entries('a', 'b'), { campaign: 'winter' }));
    expect(places(await refusal(submission(entries('x', 'b'))))).toEqual([
      [3, 'source-repeated', 'campaign winter, row 3'],
    ]);
    const { problems } = await bench.ledger.plan(submission(entries('x', 'b')));
    expect(places(problems)).toEqual([[3, 'source-repeated', 'campaign winter, row 3']]);
    await bench.import('winter');
    expect(places(await refusal(submission(entries('x', 'b'))))).toHaveLength(1);
  });

  it('is accepted with repeat: allow, and for rows that the other manifest skips', async () => {
    const skipped = [entry(0, 'a', { skip: true }), entry(1, 'b')];
    await bench.ledger.submit(submission(skipped, { campaign: 'winter' }));
    await bench.ledger.submit(submission(entries('a'), { campaign: 'spring' }));
    await bench.ledger.submit(submission(entries('x', 'b'), { campaign: 'summer', settings: { repeat: 'allow' } }));
  });

  describe('in nearly all rows of a new campaign', () => {
    const rows = entries('a', 'b', 'c', 'd', 'e');
    beforeEach(() => bench.begin(submission(rows, { campaign: 'final' })));

    it('is reported once: the file is probably that campaign’s manifest under a new name', async () => {
      const [problem, ...more] = await refusal(submission(rows));
      expect(more).toEqual([]);
      expect(problem).toMatchObject({ line: null, code: 'source-repeated' });
      expect(problem?.message).toBe(
        'these are the rows of campaign final (5 of 5): the same videos for the same channels',
      );
      expect(problem?.hint).toBe(
        'is this file a newer version of it? Then give --campaign final; --repeat allow publishes these videos a second time',
      );
      const [nearly, ...others] = await refusal(submission([...rows.slice(1), entry(5, 'f')]));
      expect([nearly?.message, others]).toEqual([expect.stringContaining('campaign final (4 of 5)'), []]);
      expect((await bench.ledger.plan(submission(rows))).actions).toEqual({ refuse: 5 });
    });

    it('is reported row by row where others are new, or the campaign has rows of its own', async () => {
      const half = [...entries('a', 'b'), entry(2, 'f'), entry(3, 'g')];
      expect(places(await refusal(submission(half)))).toHaveLength(2);
      await bench.begin(submission(entries('z')));
      const own = submission([entry(0, 'z'), ...rows.map((row) => ({ ...row, position: row.position + 1 }))]);
      expect(places(await refusal(own))).toHaveLength(5);
    });
  });

  it('is refused for one of two submits at the same time', async () => {
    const rows = Array.from({ length: 1200 }, (_, at) => `k${at}`);
    const submits = ['winter', 'spring'].map((campaign) =>
      bench.ledger.submit(submission(entries(...rows), { campaign })),
    );
    const ends = await Promise.allSettled(submits);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = ends.find((end) => end.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(SubmissionRefusedError);
  });

  it('is refused when the other row was given up after a create that may have happened', async () => {
    const run = await bench.begin(submission(entries('a'), { campaign: 'winter' }));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.settle(id, 1, { kind: 'unconfirmed', code: 'worker-silent', message: 'silent', candidates: [] });
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'give-up' }, by: 'ana@desk' });
    expect(places(await refusal(submission(entries('a'))))).toEqual([[2, 'source-repeated', 'campaign winter, row 2']]);
  });

  it('leaves a code with a row that another campaign published between its acceptance and its import', async () => {
    const first = await bench.begin(submission(entries('a')));
    await bench.ledger.cancel({ run: first, by: 'ana@desk' });
    await bench.ledger.finishRun(first);
    await bench.ledger.submit(submission(entries('a'), { cancelled: 'send' }));
    await bench.begin(submission(entries('a'), { campaign: 'winter', settings: { repeat: 'allow' } }));
    const run = await bench.import();
    for await (const record of bench.ledger.results(run))
      expect(record).toMatchObject({ state: 'cancelled', code: 'source-repeated' });
  });

  it('is named by the line that the sheet of today has, not by that of a file with corrections', async () => {
    const winter = entries('a', 'b', 'c', 'd');
    await bench.begin(submission(winter, { campaign: 'winter' }));
    const sheet = submission([entry(0, 'd', { values: { title: 'Corrected' } })], { path: '/m/corrected.csv' });
    await bench.ledger.submit({ ...sheet, campaign: 'winter', vanished: 'keep' });
    await bench.import('winter');
    expect(places(await refusal(submission(entries('d'))))).toEqual([[2, 'source-repeated', 'campaign winter, row 5']]);
  });

  it('that the sheet of today lacks is named with the file that had it', async () => {
    await bench.begin(submission(entries('a', 'b', 'c', 'd'), { campaign: 'winter', path: '/m/old.csv' }));
    await bench.ledger.submit({
      ...submission(entries('a', 'x'), { path: '/m/new.csv' }),
      campaign: 'winter',
      vanished: 'keep',
    });
    await bench.import('winter');
    const [place] = places(await refusal(submission(entries('d'))));
    expect(place).toEqual([2, 'source-repeated', 'campaign winter, row 5 of old.csv']);
  });
});
