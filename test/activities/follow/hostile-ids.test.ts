import { keptId } from '../../../service/api/half-characters';
import { runDetails } from '../../../workflows/details';
import { Harness } from '../harness';

let harness: Harness;
afterEach(() => harness.close());

/** What the service returns instead of the ids of the first rows. */
const IDS = ['.', '..', 'half-\ud83d'];

test('rows whose ids can’t be asked for are their own problem, and the rows beside them end before these do', async () => {
  const giveUpAfterMs = 600_000;
  harness = await Harness.open({ rows: 6, giveUpAfterMs });
  const real = harness.service.createPublication.bind(harness.service);
  jest.spyOn(harness.service, 'createPublication').mockImplementation(async (...given) => {
    const created = await real(...given);
    const id = IDS[Number(/\d+$/.exec(given[0].title ?? '')?.[0])];
    return id === undefined ? created : { ...created, publication: { ...created.publication, id: keptId(id) } };
  });
  await harness.create();
  const states = async () => (await harness.results()).map(({ state }) => state);
  while ((await harness.watch({ budgetMs: 200 })).counts['published'] !== 3);
  expect(await states()).toEqual([...Array(3).fill('processing'), ...Array(3).fill('published')]);
  harness.deps.now = () => Date.now() + giveUpAfterMs;
  const ended = await harness.watch({ budgetMs: 20_000 });
  expect(ended.open).toBe(0);
  expect(await states()).toEqual([...Array(3).fill('overdue'), ...Array(3).fill('published')]);
  const records = await harness.results();
  expect(records.slice(0, 3).map(({ publication_id, code }) => [publication_id, code])).toEqual(
    IDS.map((id) => [keptId(id), 'deadline']),
  );
  for (const { message } of records.slice(0, 3)) expect(message).not.toBe('');
  expect(ended.problems?.map(({ state }) => state)).toEqual(Array(3).fill('overdue'));
  const details = runDetails(harness.run, ended);
  expect(details).toContain('`reelay retry trial.1 --watch`');
  expect(details).toContain('`reelay results trial.1 --state overdue`');
  // No create was repeated for them.
  expect([...harness.accepted().values()]).toEqual(Array(6).fill(1));
});
