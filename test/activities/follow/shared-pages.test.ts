import { SharedPages } from '../../../activities/follow/shared-pages';
import { AttemptClock } from '../../../activities/reconcile/attempt-clock';
import { watchPublications } from '../../../activities/run/watch-publications';
import { type RunRef } from '../../../ledger/model/types';
import { AbortedError, ThrottledError } from '../../../service/errors';
import { Harness, manifestOf } from '../harness';

const ROWS = 30;
const LASTS_MS = 2_500;
const FACTS = { method: 'GET', path: '/v1/publications', sent: 'answered' } as const;

/** A clock for activities that run beside each other: while all of them wait, it is set to the end of the first wait. */
class WaitingTime {
  private at = Date.now();
  private readonly waits: { until: number; resolve: () => void }[] = [];

  constructor(private running: number) {}

  readonly now = (): number => this.at;

  readonly pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.waits.push({ until: this.at + ms, resolve });
      this.pass();
    });

  readonly end = (): void => {
    this.running -= 1;
    this.pass();
  };

  private pass(): void {
    if (this.waits.length < this.running) return;
    const [first] = this.waits.sort((a, b) => a.until - b.until).splice(0, 1);
    if (first === undefined) return;
    this.at = Math.max(this.at, first.until);
    first.resolve();
  }
}

describe('the list of an account', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  async function another(campaign: string): Promise<RunRef> {
    const { ledger } = harness;
    const own = manifestOf({ rows: ROWS, settings: { repeat: 'allow' } }, campaign);
    const { run } = await ledger.submit({ ...own, campaign });
    await ledger.beginRun({ campaign, workflowId: `campaign/${campaign}`, workflowRunId: campaign });
    await ledger.importSubmissions(run);
    return run;
  }

  /** Requests of it while these runs are watched at once. */
  async function readsOf(campaigns: readonly string[]): Promise<number> {
    harness = await Harness.open({
      rows: 0,
      timings: { pollMs: 250, pollMaxMs: 250 },
      sandbox: { processing: { minMs: 600_000, maxMs: 600_000 } },
    });
    const runs: RunRef[] = [];
    for (const campaign of campaigns) {
      harness.run = await another(campaign);
      await harness.create();
      runs.push(harness.run);
    }
    const before = harness.sandbox.stats().requests.list;
    const { now, pause, end } = new WaitingTime(runs.length);
    const clock = new AttemptClock({ wall: now, monotonic: now, awake: now });
    const deps = { ...harness.deps, now, clock, pages: new SharedPages(clock) };
    const context = { ...harness.context(), pause };
    const watch = (run: RunRef) =>
      watchPublications(deps, { run, budgetMs: LASTS_MS, atLeastMs: LASTS_MS }, context).finally(end);
    await Promise.all(runs.map(watch));
    return harness.sandbox.stats().requests.list - before;
  }

  it('is read for three campaigns about as often as for one', async () => {
    const one = await readsOf(['spring']);
    await harness.close();
    const three = await readsOf(['spring', 'summer', 'autumn']);
    expect(one).toBeGreaterThan(3);
    // Three times as often if they didn't share. Answers that come in another order are shared less.
    expect(three).toBeLessThan(2.5 * one);
  });
});

describe('a page that several runs ask for', () => {
  let time = 1_000;
  const asked: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const answer = { publications: [], total: 0, limit: 100, offset: 0, servedAt: null };
  const account = {
    name: 'main',
    client: {
      listPublications: () =>
        new Promise<typeof answer>((resolve, reject) => asked.push({ resolve: () => resolve(answer), reject })),
    },
  } as unknown as Parameters<SharedPages['read']>[0];
  let pages: SharedPages;
  beforeEach(() => {
    time = 1_000;
    asked.length = 0;
    pages = new SharedPages({ evenTime: () => time });
  });

  it('is asked for once while it is on its way, and after it came for as long as each of them allows', async () => {
    const first = pages.read(account, { offset: 0, after: -Infinity });
    time = 1_500;
    const second = pages.read(account, { offset: 0, after: 900 });
    expect(asked).toHaveLength(1);
    asked[0]?.resolve();
    expect(await first).toEqual({ page: answer, begunAt: 1_000 });
    expect(await second).toEqual({ page: answer, begunAt: 1_000 });
    expect(await pages.read(account, { offset: 0, after: 999 })).toEqual({ page: answer, begunAt: 1_000 });
    // One that began at that time itself is what the run has seen already.
    const next = pages.read(account, { offset: 0, after: 1_000 });
    asked[1]?.resolve();
    expect(await next).toEqual({ page: answer, begunAt: 1_500 });
    const below = pages.read(account, { offset: 100, after: -Infinity });
    asked[2]?.resolve();
    expect(await below).toMatchObject({ begunAt: 1_500 });
  });

  it('fails for all of them, but is asked for again where only one of them was stopped', async () => {
    const failing = [0, 1].map(() => pages.read(account, { offset: 0, after: -Infinity }));
    asked[0]?.reject(new ThrottledError('not so fast', FACTS));
    for (const each of failing) await expect(each).rejects.toThrow('not so fast');
    const stopped = pages.read(account, { offset: 0, after: -Infinity });
    const going = [0, 1].map(() => pages.read(account, { offset: 0, after: -Infinity }));
    asked[1]?.reject(new AbortedError('stopped', FACTS));
    await expect(stopped).rejects.toThrow('stopped');
    await new Promise(setImmediate);
    expect(asked).toHaveLength(3);
    asked[2]?.resolve();
    for (const each of going) expect(await each).toMatchObject({ page: answer });
  });
});
