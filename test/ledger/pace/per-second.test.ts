import { accountRulesOf, rulesOf } from '../../../ledger/pace/pace-rules';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entry, submission, worker } from '../support';

const PER_SECOND = 20;
const ROWS = 200;

describe('creates per second of an account', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const setUp = async (perSecond: number) => {
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const profile = at % 2 === 0 ? 'p-1' : 'p-2';
      return entry(at, `k${at}`, { values: { profileId: profile, profileName: profile } });
    });
    const pace = [{ createsPerSecond: perSecond }];
    return bench.begin(submission(rows, { settings: { pace, channelConcurrency: ROWS, accountConcurrency: ROWS } }));
  };

  /** Claims a row as soon as the ledger lets it; the time of that. */
  const claimed = async (run: RunRef, id: number, by: string): Promise<number> => {
    let claim = await bench.claim(run, id, by);
    while (!claim.claimed) {
      if (claim.reason !== 'paced' || claim.readyAt === undefined) throw new Error(`not claimed: ${claim.reason}`);
      bench.time = Math.max(Date.parse(claim.readyAt), bench.time + 1);
      claim = await bench.claim(run, id, by);
    }
    expect(claim.caps).toEqual([
      { scope: 'account:default', count: PER_SECOND, windowMs: 1_000, spacingMs: 500 / PER_SECOND },
    ]);
    return bench.time;
  };

  it('are left to the only process that sends, which may claim a second’s worth ahead', async () => {
    const run = await setUp(PER_SECOND);
    const times: number[] = [];
    for (const id of await bench.rowIds(run)) times.push(await claimed(run, id, 'worker-1'));
    // Two seconds' worth at once, then 20 more each second: never more ahead of when they may leave.
    for (const [at, time] of times.entries())
      expect(time - times[0]!).toBe(Math.max(0, Math.floor(at / PER_SECOND) - 1) * 1_000);
  });

  it('never give several processes more than 20 slots in a second, with a margin for transit', async () => {
    await bench.ledger.registerWorker(worker('worker-2'));
    const run = await setUp(PER_SECOND);
    const times: number[] = [];
    for (const [at, id] of (await bench.rowIds(run)).entries())
      times.push(await claimed(run, id, `worker-${1 + (at % 2)}`));
    const both = times.slice(1);
    for (const from of both)
      expect(both.filter((time) => time >= from && time < from + 1_000).length).toBeLessThanOrEqual(PER_SECOND);
    for (let at = PER_SECOND; at < both.length; at += 1) expect(both[at]! - both[at - PER_SECOND]!).toBe(1_050);
  });

  it('are the account’s: a layer for one account sets them for it, and no channel has them for itself', () => {
    const layers = [{ createsPerSecond: 20, channels: [{ match: { account: 'cafe' }, createsPerSecond: 2 }] }];
    expect(accountRulesOf(layers, 'garden')).toEqual({ createsPerSecond: 20 });
    expect(accountRulesOf(layers, 'cafe')).toEqual({ createsPerSecond: 2 });
    const names = { account: 'cafe', profileId: 'p', profileName: 'P', platform: 'platform_a', platformKind: 'short' };
    expect(rulesOf(layers, names)).not.toHaveProperty('createsPerSecond');
  });
});
