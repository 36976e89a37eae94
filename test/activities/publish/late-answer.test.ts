import { AttemptReconciler } from '../../../activities/reconcile/attempt-reconciler';
import { ListReads } from '../../../activities/follow/list-reads';
import { type AttemptOutcome } from '../../../ledger/model/attempt-types';
import { Harness } from '../harness';

const NEVER_SENT = { kind: 'never-sent', code: 'unreachable', message: 'connection refused' } as const;

describe('a worker that froze with a create claimed and answers late', () => {
  let harness: Harness;
  let reconciler: AttemptReconciler;
  let rowId: number;
  /** Time that passes for the watch, ms. */
  let ahead: number;

  beforeEach(async () => {
    harness = await Harness.open({ rows: 1, timings: { silentAfterMs: 60_000, silentUnconfirmedMs: 1e9 } });
    ahead = 0;
    reconciler = new AttemptReconciler(
      { ...harness.deps, now: () => Date.now() + ahead },
      new ListReads(harness.deps.clock),
    );
    const frozen = { ...harness.deps.worker, id: 'frozen' };
    await harness.ledger.registerWorker(frozen);
    const { run } = harness;
    const [channel] = await harness.ledger.channels(run);
    const [row] = await harness.ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    rowId = row!.id;
    await harness.ledger.claim({ rowId, run, worker: 'frozen', now: Date.now() });
  });
  afterEach(() => harness.close());

  /** Ids of the channels that are to be woken. */
  async function look(): Promise<string[]> {
    const info = await harness.ledger.newestRun('trial');
    return (await reconciler.settle(harness.run, info!)).repeated;
  }

  const answers = (outcome: AttemptOutcome) => harness.ledger.record(rowId, 1, outcome);

  it('has its channel woken when nothing was sent, once', async () => {
    ahead = 120_000;
    expect(await look()).toEqual([]);
    await answers(NEVER_SENT);
    const [channel] = await harness.ledger.channels(harness.run);
    expect([await look(), await look()]).toEqual([[channel!.id], []]);
  });

  it('has it woken no sooner than the service asked for', async () => {
    ahead = 120_000;
    expect(await look()).toEqual([]);
    await answers({ ...NEVER_SENT, code: 'http-429', retryAt: Date.now() + 600_000 });
    expect(await look()).toEqual([]);
    ahead = 700_000;
    expect(await look()).toHaveLength(1);
  });

  it('has nothing woken when it was accepted, or was heard all the time', async () => {
    expect(await look()).toEqual([]);
    await answers(NEVER_SENT);
    expect(await look()).toEqual([]);
    await harness.ledger.claim({ rowId, run: harness.run, worker: 'frozen', now: Date.now() });
    ahead = 120_000;
    expect(await look()).toEqual([]);
    await harness.ledger.record(rowId, 2, { kind: 'accepted', publicationId: 'pub-1', status: 'processing' });
    expect(await look()).toEqual([]);
  });
});
