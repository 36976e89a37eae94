import { Bench, entries, entry, submission } from '../support';

let bench: Bench;
beforeEach(async () => (bench = await new Bench().open()));
afterEach(() => bench.close());

it('interrupts uploads before the many rows that were never sent are ended', async () => {
  const run = await bench.begin(submission(entries(...Array.from({ length: 2_000 }, (_, at) => `k${at}`))));
  const id = await bench.firstId(run);
  await bench.claimed(run, id);
  const cancelling = bench.ledger.cancel({ run, by: 'ana' });
  while ((await bench.ledger.cancelsAsked([id])).length === 0) await new Promise(setImmediate);
  const { cancelled = 0 } = await bench.ledger.counts(run);
  expect(cancelled).toBeLessThan(1_999);
  expect(await cancelling).toEqual({ cancelled: 1_999, claimed: 1 });
});

it('shows beforehand what it will affect: waiting rows, uploads and creates under way', async () => {
  const file = { values: { source: '/clips/a.mp4', sourceKind: 'file' as const } };
  const kitchen = { values: { profileId: 'p-2', profileName: 'Kitchen' } };
  const rows = [entry(0, 'a', file), entry(1, 'b'), entry(2, 'c'), entry(3, 'd', kitchen)];
  const run = await bench.begin(submission(rows));
  expect(await bench.ledger.previewCancel({ run })).toEqual({ unsent: 4, uploads: 0, sending: 0 });
  const [a, b, c] = await bench.rowIds(run);
  await bench.claimed(run, a!);
  await bench.claimed(run, b!);
  const accepted = { kind: 'accepted', publicationId: 'pub-c', status: 'processing' } as const;
  await bench.ledger.record(c!, await bench.claimed(run, c!), accepted);
  expect(await bench.ledger.previewCancel({ run })).toEqual({ unsent: 1, uploads: 1, sending: 1 });
  expect(await bench.ledger.previewCancel({ run, keys: ['a', 'd'] })).toMatchObject({ unsent: 1, uploads: 1 });
  const garden = (await bench.ledger.channels(run)).find(({ label }) => label === 'Garden · long')!;
  const ofGarden = await bench.ledger.previewCancel({ run, channelId: garden.id });
  expect(ofGarden).toEqual({ unsent: 0, uploads: 1, sending: 1 });
  // An upload whose answer was lost is over: there is nothing to cut.
  await bench.ledger.record(a!, 1, { kind: 'unknown', code: 'lost', message: 'cut off' });
  expect(await bench.ledger.previewCancel({ run })).toEqual({ unsent: 1, uploads: 0, sending: 2 });
});
