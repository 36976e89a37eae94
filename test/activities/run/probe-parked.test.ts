import { setTimeout as sleep } from 'node:timers/promises';
import { gateScope } from '../../../ledger/runs/gates';
import { defaultProfiles } from '../../../sandbox/profiles';
import { Harness } from '../harness';

const PLATFORMS = { short: 'platform_a', long: 'platform_b', photo: 'platform_c' };

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await sleep(20);
}

describe('what is parked', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  it('continues automatically once the key is accepted again, and not while it is refused', async () => {
    harness = await Harness.open({ rows: 3 });
    for (const what of ['create', 'list']) harness.sandbox.rules.add(`${what} -> status 401`);
    await harness.create();
    const refused = () => harness.sandbox.stats().answers['401'] ?? 0;
    const finished = harness.finish();
    await until(async () => refused() >= 3);
    expect((await harness.ledger.gates(harness.run)).map((gate) => gate.kind)).toEqual(['parked']);
    harness.sandbox.rules.clear();
    await finished;
    expect((await harness.results()).map((record) => record.state)).toEqual(Array(3).fill('published'));
    expect(await harness.ledger.liveChanges(harness.run, 5)).toMatchObject([
      { by: 'reelay', what: expect.stringContaining('the key is accepted again') },
    ]);
  });

  it('continues automatically once its channel was connected again, and not before', async () => {
    const profiles = defaultProfiles(2, PLATFORMS);
    const [garden, kitchen] = profiles;
    harness = await Harness.open({
      rows: 4,
      values: (at) => (at % 2 === 0 ? { profileId: garden!.id } : { profileId: kitchen!.id }),
      sandbox: { profiles, faults: [`create profile-id=${garden!.id} times=1 -> status 403`] },
    });
    await harness.create();
    const finished = harness.finish();
    const seen = async () => (await harness.results()).map((record) => record.state);
    // Looked at more than once, with the connection as it was.
    await until(async () => harness.sandbox.stats().requests.profile >= 3);
    expect((await seen()).filter((state) => state === 'planned')).toHaveLength(2);
    expect((await harness.ledger.gates(harness.run)).map((gate) => gate.kind)).toEqual(['parked']);
    (garden!.channels[0] as { connected_at: string }).connected_at = '2026-02-03T10:00:00.000Z';
    await finished;
    expect(await seen()).toEqual(Array(4).fill('published'));
    expect(await harness.ledger.gates(harness.run)).toEqual([]);
  });

  it('waits for a person where no read can tell', async () => {
    harness = await Harness.open({ rows: 1, sandbox: { faults: ['create times=1 -> status 403'] } });
    await harness.create();
    const probe = () => harness.ledger.takeProbes({ run: harness.run, now: Date.now() + 9e9, everyMs: 1, mostMs: 1 });
    const [parking] = await probe();
    expect(parking).toMatchObject({ channel: { profileId: null }, connected: null });
    expect((await harness.ledger.gates(harness.run)).map((gate) => gate.kind)).toEqual(['parked']);
    expect(await harness.ledger.unpark({ scope: parking!.scope, by: 'ana', why: 'looked' })).toBe(true);
    expect(await harness.ledger.unpark({ scope: gateScope.account('main'), by: 'ana', why: 'looked' })).toBe(false);
    await harness.create();
    await harness.finish();
    // The service may have stored what it refused, and its list has never shown a create of this account.
    expect(await harness.results()).toMatchObject([{ state: 'unconfirmed', code: 'list-unproven' }]);
  });

  it('is noticed within a look when another run, or a person, opened it; also between two watches', async () => {
    harness = await Harness.open({ rows: 1, sandbox: { faults: ['create times=1 -> status 403'] } });
    await harness.create();
    const [gate] = await harness.ledger.gates(harness.run);
    const opening = { scope: gate!.scope, by: 'ana', why: 'submitted again' };
    const watching = harness.watch({ budgetMs: 120_000 });
    expect((await harness.watch({ budgetMs: 1 })).parked).toEqual([gate!.scope]);
    await harness.ledger.unpark(opening);
    const seen = await watching;
    expect([seen.hurry, seen.parked, seen.open]).toEqual([true, undefined, 1]);
    expect((await harness.watch({ budgetMs: 1, parked: [gate!.scope] })).hurry).toBe(true);
    expect((await harness.watch({ budgetMs: 1 })).hurry).toBeUndefined();
  });
});
