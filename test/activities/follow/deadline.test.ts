import { Harness } from '../harness';

let harness: Harness;
afterEach(() => harness.close());

test('an outage across the deadline makes no row overdue: it is read when the service answers again', async () => {
  harness = await Harness.open({ rows: 3, giveUpAfterMs: 150, sandbox: { processing: { minMs: 400, maxMs: 400 } } });
  await harness.create();
  for (const what of ['get', 'list']) harness.sandbox.rules.add(`${what} -> status 500`);
  const seen = await harness.watch({ budgetMs: 900 });
  expect(seen.counts).toEqual({ processing: 3 });
  expect(seen.notes).toContainEqual(expect.stringContaining('past its deadline'));
  // A failed read is followed by a pause, also past the deadline.
  expect(harness.sandbox.stats().requests.get).toBeLessThan(40);
  harness.sandbox.rules.clear();
  await harness.finish();
  expect((await harness.results()).map((record) => record.state)).toEqual(Array(3).fill('published'));
});

test('a row that the service shows as unfinished at its deadline is overdue', async () => {
  harness = await Harness.open({
    rows: 1,
    giveUpAfterMs: 150,
    sandbox: { processing: { minMs: 60_000, maxMs: 60_000 } },
  });
  await harness.create();
  await harness.finish();
  expect((await harness.results())[0]).toMatchObject({ state: 'overdue', code: 'deadline' });
});

test.each(['an id of nothing', 'refused'])(
  'a row whose id the service will never answer for is overdue at its deadline: %s',
  async (how) => {
    harness = await Harness.open({ rows: 1, giveUpAfterMs: 150 });
    if (how === 'refused') harness.sandbox.rules.add('get -> status 414');
    else {
      const real = harness.service.createPublication.bind(harness.service);
      jest.spyOn(harness.service, 'createPublication').mockImplementation(async (...given) => {
        const created = await real(...given);
        return { ...created, publication: { ...created.publication, id: '../profiles' } };
      });
    }
    await harness.create();
    await harness.finish();
    expect((await harness.results())[0]).toMatchObject({ state: 'overdue', code: 'deadline' });
  },
);
