import { accountRulesOf, rulesOf } from '../../../ledger/pace/pace-rules';
import { Bench, entry, submission } from '../support';

const PER_SECOND = 20;
const ROWS = 200;

describe('creates per second of an account', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('get 20 slots in each second over two channels, never more in any second, and none is left out', async () => {
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const profile = at % 2 === 0 ? 'p-1' : 'p-2';
      return entry(at, `k${at}`, { values: { profileId: profile, profileName: profile } });
    });
    const run = await bench.begin(submission(rows, { settings: { pace: [{ createsPerSecond: PER_SECOND }] } }));
    const slots: number[] = [];
    for (const id of await bench.rowIds(run)) {
      let claim = await bench.claim(run, id);
      while (!claim.claimed) {
        if (claim.reason !== 'paced' || claim.readyAt === undefined) throw new Error(`not claimed: ${claim.reason}`);
        // A worker that asks again as soon as the ledger lets it.
        bench.time = Math.max(Date.parse(claim.readyAt) - (claim.aheadMs ?? 0), bench.time + 1);
        claim = await bench.claim(run, id);
      }
      slots.push(claim.sendAt === undefined ? bench.time : Date.parse(claim.sendAt));
      await bench.ledger.record(id, claim.attempt, {
        kind: 'accepted',
        publicationId: `pub-${id}`,
        status: 'processing',
      });
    }
    expect(slots).toHaveLength(ROWS);
    for (const from of slots) {
      const within = slots.filter((slot) => slot >= from && slot < from + 1_000).length;
      expect(within).toBeLessThanOrEqual(PER_SECOND);
    }
    // The 21st comes as soon as the first one's second and its margin are over, and so on.
    for (let at = PER_SECOND; at < ROWS; at += 1) expect(slots[at]! - slots[at - PER_SECOND]!).toBe(1_050);
    const least = (ROWS / PER_SECOND - 1) * 1_000;
    expect(slots.at(-1)! - slots[0]!).toBeLessThanOrEqual(least * 1.1 + 100);
  });

  it('grants a slot a moment ahead, to be sent at its time and not before', async () => {
    const run = await bench.begin(
      submission([entry(0, 'a'), entry(1, 'b')], { settings: { pace: [{ createsPerSecond: 5 }] } }),
    );
    const [a, b] = await bench.rowIds(run);
    expect(await bench.claim(run, a!)).not.toHaveProperty('sendAt');
    expect(await bench.claim(run, b!)).toMatchObject({
      claimed: true,
      sendAt: new Date(bench.time + 100).toISOString(),
    });
  });

  it('are the account’s: a layer for one account sets them for it, and no channel has them for itself', () => {
    const layers = [{ createsPerSecond: 20, channels: [{ match: { account: 'cafe' }, createsPerSecond: 2 }] }];
    expect(accountRulesOf(layers, 'garden')).toEqual({ createsPerSecond: 20 });
    expect(accountRulesOf(layers, 'cafe')).toEqual({ createsPerSecond: 2 });
    const names = { account: 'cafe', profileId: 'p', profileName: 'P', platform: 'platform_a', platformKind: 'short' };
    expect(rulesOf(layers, names)).not.toHaveProperty('createsPerSecond');
  });
});
