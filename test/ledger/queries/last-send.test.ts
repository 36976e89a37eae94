import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { Bench, entries, entry, NOON, submission } from '../support';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('what a run still has before it', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const paced = (pace: PaceLayer, keys: string[], more = {}) =>
    submission(entries(...keys), { settings: { pace: [pace] }, ...more });

  it.each<[string, PaceLayer]>([
    ['a gap', { minGapMs: 10 * MINUTE, jitter: 0 }],
    ['a cap', { maxPer: [{ count: 2, windowMs: 24 * HOUR }] }],
    ['creates of the account per minute', { createsPerMinute: 1 }],
  ])('ends when the plan said it would: %s', async (_, pace) => {
    const input = paced(pace, ['a', 'b', 'c', 'd', 'e']);
    const { channels } = await bench.ledger.plan(input);
    const run = await bench.begin(input);
    const { at } = await bench.ledger.lastSend(run);
    expect(at).toBeGreaterThan(NOON);
    expect(new Date(at ?? 0).toISOString()).toBe(channels[0]?.lastAt);
  });

  it('has no time without a pace, none of rows that are held, and none of rows that a trial leaves out', async () => {
    const plain = await bench.begin(submission(entries('a', 'b')));
    expect(await bench.ledger.lastSend(plain)).toEqual({ at: null, held: 0, late: null });
    const trial = await bench.begin(
      paced({ minGapMs: HOUR, jitter: 0 }, ['x', 'y', 'z'], { campaign: 'trial', select: { limit: 2 } }),
    );
    expect(await bench.ledger.openRows(trial)).toBe(2);
    expect(await bench.ledger.lastSend(trial)).toEqual({ at: NOON + HOUR, held: 0, late: null });
    const [channel] = await bench.ledger.channels(trial);
    await bench.ledger.setGate({
      scope: `channel:${channel?.id ?? ''}`,
      kind: 'parked',
      by: 'reelay',
      reason: 'no access',
    });
    expect(await bench.ledger.lastSend(trial)).toEqual({ at: null, held: 2, late: null });
  });

  it('says what happens to rows that miss their time, if there are any', async () => {
    const publishAt = new Date(NOON + HOUR).toISOString();
    const timed = submission([entry(0, 'a', { values: { publishAt } }), entry(1, 'b')], { settings: { late: 'skip' } });
    expect((await bench.ledger.plan(timed)).channels).toMatchObject([{ timed: true }]);
    const run = await bench.begin(timed);
    expect(await bench.ledger.lastSend(run)).toEqual({ at: NOON + HOUR, held: 0, late: 'skip' });
    expect((await bench.ledger.plan(paced({ minGapMs: HOUR }, ['c', 'd']))).channels).toMatchObject([{ timed: false }]);
  });

  it('shows the newest rows that went wrong, and the worker that was heard last', async () => {
    const run = await bench.begin(submission(entries('a', 'b', 'c')));
    for (const [at, row] of (await bench.rowIds(run)).entries()) {
      bench.time = NOON + at * MINUTE;
      const attempt = await bench.claimed(run, row);
      if (at < 2) await bench.ledger.record(row, attempt, { kind: 'rejected', code: `c-${at}`, message: 'no' });
    }
    const rows = await bench.ledger.problemRows(run);
    expect(rows.map(({ key, state, code, message }) => ({ key, state, code, message }))).toEqual([
      { key: 'b', state: 'rejected', code: 'c-1', message: 'no' },
      { key: 'a', state: 'rejected', code: 'c-0', message: 'no' },
    ]);
    expect(await bench.ledger.problemRows(run, 1)).toHaveLength(1);
    await bench.ledger.workerSeen('worker-1');
    expect(await bench.ledger.lastPulse()).toMatchObject({
      id: 'worker-1',
      seenAt: new Date(NOON + 2 * MINUTE).toISOString(),
    });
  });

  it('keeps how its rows stood at its end, whatever a later run makes of them', async () => {
    const run = await bench.begin(submission(entries('a')));
    const row = await bench.firstId(run);
    await bench.ledger.record(row, await bench.claimed(run, row), { kind: 'rejected', code: 'c', message: 'no' });
    expect(await bench.ledger.finishRun(run)).toBe(true);
    await bench.ledger.retry({ run, by: 'ana@desk' });
    expect(await bench.ledger.findRun({ campaign: 'spring', number: 1 })).toMatchObject({
      endedCounts: { rejected: 1 },
    });
    expect(await bench.ledger.findRun({ campaign: 'spring', number: 2 })).toMatchObject({ endedCounts: null });
  });
});
