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
      '2 rows of the manifest were cancelled by a person: b, c',
      expect.stringMatching(/^with --uncancel /u),
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

describe('a row that is being created', () => {
  const LOST = { kind: 'unknown', code: 'lost', message: 'cut' } as const;
  const ALL = entries('a', 'b');
  const skipped = submission([entry(0, 'a', { skip: true }), entry(1, 'b')]);
  const pruned = submission(entries('b'), { vanished: 'prune' });

  /** Row `a`, whose answer was lost. */
  async function creating() {
    const run = await bench.begin(submission(ALL));
    const [a = 0] = await bench.rowIds(run);
    await bench.claimed(run, a);
    await bench.ledger.record(a, 1, LOST);
    return { run, a };
  }

  /** It turns out that the create did not happen: what the results show of the row then. */
  async function notHappened(a: number) {
    const state = await bench.ledger.settle(a, 1, { kind: 'repeat' });
    for await (const { key, code, message } of bench.ledger.results({ campaign: 'spring', number: 1 }))
      if (key === 'a') return { state, code, message };
    return state;
  }

  it.each([
    ['skipped', skipped, { state: 'cancelled', code: 'skip', message: 'the manifest says skip' }],
    ['pruned', pruned, { state: 'cancelled', code: 'pruned', message: 'the manifest no longer has the row' }],
  ])('and is %s by a newer manifest is cancelled for that reason', async (_, without, shown) => {
    const { a } = await creating();
    await bench.begin(without);
    expect(await bench.ledger.cancelsAsked([a])).toEqual([a]);
    expect(await notHappened(a)).toEqual(shown);
    // Nothing is asked about it: no person cancelled it.
    expect(await bench.problems(submission(ALL, { forceOld: true }))).toEqual([]);
  });

  it.each([
    ['skipped', skipped],
    ['pruned', pruned],
  ])('and is %s by a manifest is sent after all if a newer one wants it', async (_, without) => {
    const { a } = await creating();
    await bench.begin(without);
    await bench.begin(submission(ALL, { forceOld: true }));
    expect(await bench.ledger.cancelsAsked([a])).toEqual([]);
    expect(await notHappened(a)).toMatchObject({ state: 'planned', code: null });
  });

  it('and cancelled by a person is not sent by a manifest alone, which is asked about it', async () => {
    const { run, a } = await creating();
    await bench.ledger.cancel({ run, by: 'ana@desk', keys: ['a'] });
    const [problem, ...others] = await bench.problems(submission(ALL));
    expect([problem?.code, problem?.key, others]).toEqual(['rows-cancelled', 'a', []]);
    // A schedule's firing asks no one; a manifest that skips it doesn't send it.
    await bench.begin(submission(ALL, { cancelled: 'leave' }));
    await bench.begin(skipped);
    await bench.begin(submission(ALL, { cancelled: 'leave', forceOld: true }));
    expect(await notHappened(a)).toMatchObject({ state: 'cancelled', code: 'cancelled' });
  });

  it('and cancelled by a person is sent after all once that is confirmed', async () => {
    const { run, a } = await creating();
    await bench.ledger.cancel({ run, by: 'ana@desk' });
    await bench.begin(submission(ALL, { cancelled: 'send' }));
    expect(await bench.ledger.cancelsAsked([a])).toEqual([]);
    expect(await notHappened(a)).toMatchObject({ state: 'planned', code: null });
  });

  it('and was skipped while it seemed accepted is sent after all too, if the publication was another row’s', async () => {
    const { a } = await creating();
    await bench.begin(skipped);
    await bench.ledger.record(a, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    await bench.begin(submission(ALL, { forceOld: true }));
    expect(await bench.ledger.cancelsAsked([a])).toEqual([]);
  });
});

it('rows that the manifest itself had left out or lost are no matter of a person’s cancel', async () => {
  await bench.begin(submission([entry(0, 'a', { skip: true }), entry(1, 'b'), entry(2, 'c')]));
  await bench.begin(submission(entries('c'), { vanished: 'prune' }));
  expect(await bench.problems(submission(entries('a', 'b', 'c'), { forceOld: true }))).toEqual([]);
});
