import { Bench, entries, entry, submission } from '../support';

let bench: Bench;
beforeEach(async () => (bench = await new Bench().open()));
afterEach(() => bench.close());

/** `a` is published, `b` and `c` are cancelled, by the whole run or by their keys. */
async function cancelled(keys?: readonly string[]) {
  const run = await bench.begin(submission(entries('a', 'b', 'c')));
  const [a = 0] = await bench.rowIds(run);
  await bench.claimed(run, a);
  await bench.ledger.record(a, 1, { kind: 'accepted', publicationId: 'pub-a', status: 'processing' });
  await bench.ledger.cancel({ run, by: 'ana@desk', ...(keys === undefined ? {} : { keys }) });
  expect(await bench.states(run)).toMatchObject({ a: 'processing', b: 'cancelled', c: 'cancelled' });
  return run;
}

it.each([['a run', undefined] as const, ['rows', ['b', 'c']] as const])(
  'what a person cancelled (%s) is sent by no further submit that does not say so',
  async (_, keys) => {
    const run = await cancelled(keys);
    const again = submission(entries('a', 'b', 'c'));
    const [problem, ...others] = await bench.problems(again);
    expect([problem?.code, problem?.severity, others]).toEqual(['rows-cancelled', 'error', []]);
    expect([problem?.message, problem?.hint]).toEqual([
      '2 rows of the manifest were cancelled, and would be sent now: b, c',
      expect.stringContaining('--yes'),
    ]);
    await bench.import();
    expect(await bench.states(run)).toMatchObject({ b: 'cancelled', c: 'cancelled' });
    // Left out by the manifest itself, nothing is asked; new rows go out beside them.
    const skip = { skip: true };
    expect(
      await bench.problems(submission([entry(0, 'a'), entry(1, 'b', skip), entry(2, 'c', skip), entry(3, 'd')])),
    ).toEqual([]);
    await bench.import();
    expect(await bench.states(run)).toMatchObject({ b: 'cancelled', c: 'cancelled', d: 'planned' });
  },
);

it('they are sent after all if confirmed, and stay cancelled if no one can be asked', async () => {
  const run = await cancelled();
  await bench.begin(submission(entries('a', 'b', 'c', 'd'), { cancelled: 'leave' }));
  expect(await bench.states(run)).toMatchObject({ b: 'cancelled', c: 'cancelled', d: 'planned' });
  await bench.begin(submission(entries('a', 'b', 'c', 'd'), { cancelled: 'send' }));
  expect(await bench.states(run)).toMatchObject({ b: 'planned', c: 'planned', d: 'planned' });
});

it('rows that the manifest itself had left out or lost are no matter of a person’s cancel', async () => {
  await bench.begin(submission([entry(0, 'a', { skip: true }), entry(1, 'b'), entry(2, 'c')]));
  await bench.begin(submission(entries('c'), { vanished: 'prune' }));
  expect(await bench.problems(submission(entries('a', 'b', 'c'), { forceOld: true }))).toEqual([]);
});
