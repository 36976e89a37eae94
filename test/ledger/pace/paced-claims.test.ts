import fc from 'fast-check';
import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, NOON, submission } from '../support';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a paced channel', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const begin = (pace: PaceLayer, ...keys: string[]): Promise<RunRef> =>
    bench.begin(submission(entries(...keys), { settings: { pace: [pace] } }));

  it('refuses a claim before its slot, says when and why, and page, channel and claim agree', async () => {
    const run = await begin({ minGapMs: 10 * MINUTE, jitter: 0 }, 'a', 'b', 'c');
    const [a, b] = await bench.rowIds(run);
    await bench.ledger.record(a!, await bench.claimed(run, a!), {
      kind: 'accepted',
      publicationId: 'pub-a',
      status: 'processing',
    });
    bench.time += MINUTE;
    const at = new Date(NOON + 10 * MINUTE).toISOString();
    expect(await bench.claim(run, b!)).toEqual({
      claimed: false,
      reason: 'paced',
      state: 'planned',
      readyAt: at,
      why: 'gap of 10m',
    });
    const [channel] = await bench.ledger.channels(run);
    expect(channel).toMatchObject({ nextReadyAt: at, why: 'gap of 10m', open: 2 });
    const page = await bench.ledger.takePage({ run, channelId: channel!.id, limit: 10, now: bench.time });
    expect(page.map((row) => row.readyAt)).toEqual([at, new Date(NOON + 20 * MINUTE).toISOString()]);
    bench.time = NOON + 10 * MINUTE;
    expect((await bench.claim(run, b!)).claimed).toBe(true);
  });

  it('gives the slot of a create back that certainly did not happen, and keeps that of one that may have', async () => {
    const run = await begin({ maxPer: [{ count: 1, windowMs: 24 * HOUR }] }, 'a', 'b', 'c', 'd');
    const [a, b, c, d] = await bench.rowIds(run);
    await bench.ledger.record(a!, await bench.claimed(run, a!), { kind: 'rejected', code: 'x', message: 'x' });
    await bench.ledger.record(b!, await bench.claimed(run, b!), { kind: 'never-sent', code: 'x', message: 'x' });
    const lost = await bench.claimed(run, c!);
    await bench.ledger.record(c!, lost, { kind: 'unknown', code: 'lost', message: 'cut' });
    expect(await bench.claim(run, d!)).toMatchObject({ reason: 'paced' });
    await bench.ledger.settle(c!, lost, { kind: 'repeat' });
    expect((await bench.claim(run, d!)).claimed).toBe(true);
  });

  it('counts the creates of other campaigns and runs', async () => {
    const pace = [{ maxPer: [{ count: 2, windowMs: HOUR }] }];
    const one = await bench.begin(submission(entries('a', 'b'), { settings: { pace } }));
    for (const id of await bench.rowIds(one)) await bench.claimed(one, id);
    const other = await bench.begin(submission(entries('x'), { campaign: 'autumn', settings: { pace } }));
    const id = await bench.firstId(other);
    expect(await bench.claim(other, id)).toMatchObject({ reason: 'paced', why: 'cap 2 per 1h reached' });
    const free = await bench.begin(submission(entries('y'), { campaign: 'winter' }));
    bench.time += MINUTE;
    expect((await bench.claim(free, await bench.firstId(free))).claimed).toBe(true);
  });

  it('shares the creates a minute of its account with the other channels', async () => {
    const rows = [0, 1, 2].map((at) =>
      entry(at, `k${at}`, { values: { profileId: `p-${at}`, profileName: `P${at}` } }),
    );
    const run = await bench.begin(submission(rows, { settings: { pace: [{ createsPerMinute: 2 }] } }));
    const reasons: (string | boolean)[] = [];
    for (const id of await bench.rowIds(run)) {
      const claim = await bench.claim(run, id);
      reasons.push(claim.claimed || claim.reason);
    }
    expect(reasons).toEqual([true, true, 'paced']);
  });

  it('keeps to the concurrency of its rules', async () => {
    const run = await begin({ channels: [{ match: { profile: 'garden' }, concurrency: 1 }] }, 'a', 'b');
    const [a, b] = await bench.rowIds(run);
    await bench.claimed(run, a!);
    expect(await bench.claim(run, b!)).toMatchObject({ reason: 'busy' });
    const [channel] = await bench.ledger.channels(run);
    expect(await bench.ledger.channelConcurrency(run, channel!.id)).toBe(1);
  });

  it('is planned with its history: when it ends, and which rows would miss their time', async () => {
    const rows = [0, 1, 2].map((at) =>
      entry(at, `k${at}`, { values: { publishAt: new Date(NOON + HOUR).toISOString() } }),
    );
    const pace = [{ minGapMs: 2 * HOUR, jitter: 0 }];
    const plan = await bench.ledger.plan(submission(rows, { settings: { pace } }));
    expect(plan.channels).toMatchObject([
      {
        label: 'Garden · long',
        rows: 3,
        firstAt: new Date(NOON + HOUR).toISOString(),
        lastAt: new Date(NOON + 5 * HOUR).toISOString(),
        late: 2,
        times: [1, 3, 5].map((hours, position) => ({ position, at: NOON + hours * HOUR })),
      },
    ]);
    expect(plan.problems).toMatchObject([
      { code: 'misses-time', severity: 'warning', line: 3, message: expect.stringContaining('lines 3, 4') },
    ]);
  });

  it('is planned with the deadlines of its rows and of their signed URLs, and what makes them late', async () => {
    const at = (hours: number) => new Date(NOON + hours * HOUR).toISOString();
    const rows = [
      entry(0, 'a', { values: { deadline: at(1) } }),
      entry(1, 'b', { values: { deadline: at(1) } }),
      entry(2, 'c', { values: { sourceExpiresAt: at(3) } }),
      entry(3, 'd', { values: { deadline: at(8), sourceExpiresAt: at(8) } }),
    ];
    const plan = await bench.ledger.plan(submission(rows, { settings: { pace: [{ minGapMs: 2 * HOUR, jitter: 0 }] } }));
    const why = 'gap of 2h';
    expect(plan.channels[0]?.misses).toEqual([
      { line: 3, key: 'b', time: 'deadline', wanted: at(1), at: at(2), why },
      { line: 4, key: 'c', time: 'url_expiry', wanted: at(3), at: at(4), why },
    ]);
    expect(plan.problems).toMatchObject([
      {
        code: 'misses-deadline',
        line: 3,
        message: expect.stringContaining('1 row would miss their deadline (gap of 2h)'),
      },
      { code: 'misses-deadline', line: 4, message: expect.stringContaining('signed URL has expired') },
    ]);
  });

  it('does not send a row after its deadline: it waits for a later one, or is left out where late says skip', async () => {
    const deadline = new Date(NOON + HOUR).toISOString();
    for (const late of ['hold', 'publish', 'skip'] as const) {
      bench.time = NOON;
      const row = (values: object) => [entry(0, 'a', { values: { deadline, ...values } })];
      const of = { campaign: late, settings: { late, repeat: 'allow' as const } };
      const run = await bench.begin(submission(row({}), of));
      const id = await bench.firstId(run);
      bench.time += HOUR + 1;
      expect((await bench.claim(run, id)).claimed).toBe(false);
      const [record] = await all(bench.ledger.results(run));
      expect(record).toMatchObject({ state: late === 'skip' ? 'cancelled' : 'waiting', code: 'deadline-passed' });
      expect(await bench.rowIds(run)).toEqual([]);
      const later = await bench.begin(submission(row({ deadline: new Date(bench.time + HOUR).toISOString() }), of));
      expect((await bench.claim(later, id)).claimed).toBe(true);
    }
  });

  it('is reported to burst if nothing spreads its rows', async () => {
    const rows = Array.from({ length: 83 }, (_, at) => entry(at, `k${at}`));
    const plan = await bench.ledger.plan(submission(rows));
    expect(plan.problems).toMatchObject([{ code: 'burst', message: 'Garden · long: 83 at once' }]);
    const spread = await bench.ledger.plan(submission(rows, { settings: { pace: [{ minGapMs: MINUTE, jitter: 0 }] } }));
    expect(spread.problems).toEqual([]);
    expect(spread.channels[0]?.lastAt).toBe(new Date(NOON + 82 * MINUTE).toISOString());
  });
});

describe('two campaigns in one channel', () => {
  it('keep its caps together and end when a simulation of the rules ends', async () => {
    const cap = fc.record({ count: fc.integer({ min: 1, max: 4 }), minutes: fc.integer({ min: 1, max: 30 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(cap, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 7 }),
        async (caps, rows) => {
          const maxPer = caps.map(({ count, minutes }) => ({ count, windowMs: minutes * MINUTE }));
          const sent = await sendBoth(maxPer, rows);
          expect(sent).toEqual(simulate(maxPer, 2 * rows));
        },
      ),
      { numRuns: 12 },
    );
  });
});

/** When the creates of two campaigns are claimed, each row as soon as the ledger lets it. */
async function sendBoth(maxPer: readonly { count: number; windowMs: number }[], rows: number): Promise<number[]> {
  const bench = await new Bench().open();
  const sent: number[] = [];
  try {
    const runs: RunRef[] = [];
    for (const campaign of ['north', 'south']) {
      const keys = Array.from({ length: rows }, (_, at) => `${campaign}-${at}`);
      const settings = { channelConcurrency: 100, accountConcurrency: 100, pace: [{ maxPer }] };
      runs.push(await bench.begin(submission(entries(...keys), { campaign, settings })));
    }
    while (sent.length < 2 * rows) {
      let soonest = Infinity;
      for (const run of runs) {
        for (const channel of await bench.ledger.channels(run)) {
          const page = await bench.ledger.takePage({ run, channelId: channel.id, limit: 20, now: bench.time });
          for (const row of page) {
            const claim = await bench.claim(run, row.id);
            if (claim.claimed) sent.push(bench.time);
            else if (claim.readyAt !== undefined) soonest = Math.min(soonest, Date.parse(claim.readyAt));
          }
        }
      }
      if (sent.length < 2 * rows) bench.time = soonest;
    }
  } finally {
    await bench.close();
  }
  return sent;
}

/** The same by counting what every window holds, minute by minute. */
function simulate(maxPer: readonly { count: number; windowMs: number }[], rows: number): number[] {
  const sent: number[] = [];
  const fits = (at: number): boolean =>
    maxPer.every(({ count, windowMs }) => sent.filter((time) => time > at - windowMs).length < count);
  for (let at = NOON; sent.length < rows; at += MINUTE) while (sent.length < rows && fits(at)) sent.push(at);
  return sent;
}
