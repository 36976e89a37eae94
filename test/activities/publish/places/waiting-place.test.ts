import { createPublications } from '../../../../activities/publish/create-publications';
import { Slots } from '../../../../activities/publish/places/slots';
import { defaultProfiles } from '../../../../sandbox/profiles';
import { Harness } from '../../harness';

let harness: Harness;
afterEach(() => harness.close());

test('a row that waits for its channel’s place keeps no place of the process from other channels', async () => {
  const profiles = defaultProfiles(2, { short: 'platform_a', long: 'platform_b', photo: 'platform_c' });
  harness = await Harness.open({
    rows: 3,
    values: (at) => ({ profileId: profiles[at < 2 ? 0 : 1]!.id }),
    sandbox: { profiles },
    settings: { channelConcurrency: 1 },
    // Longer than the test may last.
    timings: { slotWaitMs: 3_600_000 },
  });
  const channels = await harness.ledger.channels(harness.run);
  const rowsOf = async (channelId: string) =>
    (await harness.ledger.takePage({ run: harness.run, channelId, limit: 9, now: Date.now() })).map((row) => row.id);
  const full = channels.find((channel) => channel.open === 2)!;
  const free = channels.find((channel) => channel.open === 1)!;
  const [taken, waiting] = await rowsOf(full.id);
  const [other] = await rowsOf(free.id);
  await harness.ledger.claim({ rowId: taken!, run: harness.run, worker: harness.deps.worker.id, now: Date.now() });

  const slots = new Slots(1);
  const deps = { ...harness.deps, slots: () => slots };
  const cancelled = new AbortController();
  let tries = 0;
  const context = {
    cancelled: cancelled.signal,
    shuttingDown: () => false,
    heartbeat: () => undefined,
    pause: async () => {
      tries += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
  const held = createPublications(deps, { run: harness.run, channelId: full.id, rowIds: [waiting!] }, context);
  while (tries === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const created = await createPublications(deps, { run: harness.run, channelId: free.id, rowIds: [other!] }, context);
  expect(created.rows).toMatchObject([{ result: 'done', state: 'processing' }]);
  cancelled.abort();
  expect((await held).rows).toMatchObject([{ result: 'later', code: 'busy' }]);
});
