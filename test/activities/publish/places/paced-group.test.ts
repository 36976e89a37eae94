import Database from 'libsql';
import { join } from 'node:path';
import { classifyCreateFailure } from '../../../../activities/publish/failure-table';
import { PRODUCTION_TIMINGS } from '../../../../activities/timings';
import { ThrottledError } from '../../../../service/errors';
import { Harness } from '../../harness';

const SHORT_GAP_MS = 150;

test('rows whose gap is under a second are sent by one activity, each at its slot', async () => {
  const pace = [{ minGapMs: SHORT_GAP_MS, jitter: 0 }];
  const harness = await Harness.open({ rows: 6, settings: { pace } });
  try {
    const { rows } = await harness.createGroup({ rows: 6, places: 1 });
    expect(rows.map(({ result }) => result)).toEqual(Array(6).fill('done'));
    const database = new Database(join(harness.folder, 'ledger.db'), { readonly: true });
    const claims = database.prepare('select claimed_at from attempts order by claimed_at').all() as {
      claimed_at: number;
    }[];
    database.close();
    for (const [at, claim] of claims.entries()) {
      const before = claims[at - 1];
      if (before !== undefined) expect(claim.claimed_at - before.claimed_at).toBeGreaterThanOrEqual(SHORT_GAP_MS);
    }
  } finally {
    await harness.close();
  }
});

test('a page gives what comes within a moment as ready, and what comes soon a little before its slot', async () => {
  const pace = [{ minGapMs: 1_500, jitter: 0 }];
  const harness = await Harness.open({ rows: 12, settings: { pace } });
  try {
    const [channel] = await harness.ledger.channels(harness.run);
    await harness.createFirst();
    const now = Date.now();
    const page = await harness.ledger.takePage({ run: harness.run, channelId: channel!.id, limit: 12, now });
    const inMs = page.map(({ readyAt }) => (readyAt === null ? 0 : Date.parse(readyAt) - now));
    expect(inMs[0]).toBe(0);
    // Further slots lie 1.5 s apart; those of the next 10 s are taken up a second early.
    expect(inMs[4]! - inMs[3]!).toBe(1_500);
    expect(inMs[8]! - inMs[4]!).toBe(4 * 1_500 + 1_000);
  } finally {
    await harness.close();
  }
});

test('the wait that a service asks for gets jitter by its own length', () => {
  const facts = {
    method: 'POST',
    path: '/v1/publications',
    sent: 'answered' as const,
    status: 429,
    retryAfterMs: 1_000,
  };
  for (let each = 0; each < 200; each += 1) {
    const context = { now: 0, timings: PRODUCTION_TIMINGS, trust429: true, leaving: true };
    const outcome = classifyCreateFailure(new ThrottledError('too many requests', facts), context);
    const wait = outcome.kind === 'never-sent' ? (outcome.retryAt ?? 0) : 0;
    expect(wait).toBeGreaterThanOrEqual(1_000);
    expect(wait).toBeLessThanOrEqual(1_100);
  }
});
