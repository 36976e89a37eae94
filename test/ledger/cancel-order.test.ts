import { Bench, entries, submission } from './support';

let bench: Bench;
beforeEach(async () => (bench = await new Bench().open()));
afterEach(() => bench.close());

it('tells uploads of a cancel before the many rows that were never sent are ended', async () => {
  const run = await bench.begin(submission(entries(...Array.from({ length: 2_000 }, (_, at) => `k${at}`))));
  const id = await bench.firstId(run);
  await bench.claimed(run, id);
  const cancelling = bench.ledger.cancel({ run, by: 'ana' });
  while ((await bench.ledger.cancelsAsked([id])).length === 0) await new Promise(setImmediate);
  const { cancelled = 0 } = await bench.ledger.counts(run);
  expect(cancelled).toBeLessThan(1_999);
  expect(await cancelling).toEqual({ cancelled: 1_999, claimed: 1, live: 0 });
});
