import { Temporal } from '@js-temporal/polyfill';
import fc from 'fast-check';
import { nextOpening, type OpenHours } from '../../../ledger/pace/open-hours';
import { laterOf, nextSlot, type PaceRules, slotsFor } from '../../../ledger/pace/pace';
import { rulesOf } from '../../../ledger/pace/pace-rules';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 2, 27, 9, 17);

/** Whether a clock of the zone shows an allowed time: asked of the calendar, minute by minute, not of our arithmetic. */
function isOpen(hours: OpenHours, ms: number): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(hours.zone);
  const minute = local.hour * 60 + local.minute;
  const yesterday = ((local.dayOfWeek + 5) % 7) + 1;
  return hours.spans.some(({ days, from, until }) =>
    from < until
      ? days.includes(local.dayOfWeek) && minute >= from && minute < until
      : (days.includes(local.dayOfWeek) && minute >= from) || (days.includes(yesterday) && minute < until),
  );
}

/** Everything in these properties falls on half hours, and so may the steps of the simulation. */
const STEP = 30 * MINUTE;

/** Sends as soon as a step allows it, by counting in every window: slow and plain. */
function bruteForce(rules: PaceRules, count: number, from: number): number[] {
  const sent: number[] = [];
  for (let at = from; sent.length < count; at += STEP) {
    while (sent.length < count && allows(rules, sent, at)) sent.push(at);
    if (at > from + 120 * 24 * HOUR) throw new Error('the rules let nothing through');
  }
  return sent;
}

function allows(rules: PaceRules, sent: readonly number[], at: number): boolean {
  if (rules.minGapMs !== undefined && sent.some((one) => at - one < (rules.minGapMs ?? 0))) return false;
  for (const { count, windowMs, zone } of rules.maxPer ?? []) {
    const counts = (one: number) => (zone === undefined ? at - one < windowMs : dateIn(zone, one) === dateIn(zone, at));
    if (sent.filter(counts).length >= count) return false;
  }
  return rules.hours === undefined || isOpen(rules.hours, at);
}

function dateIn(zone: string, ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();
}

/** The end of the shortest of all lists of sends that the rules allow, found by trying every one of them. */
function earliestEnd(rules: PaceRules, readyAt: readonly number[]): number {
  const within = (sent: readonly number[], at: number, end: number): boolean => {
    if (sent.length === readyAt.length) return true;
    if (at > end) return false;
    const ready = readyAt[sent.length] ?? Infinity;
    // Sent now, with more of them perhaps; or not before the next step.
    if (ready <= at && allows(rules, sent, at) && within([...sent, at], at, end)) return true;
    return within(sent, at + STEP, end);
  };
  for (let end = readyAt.at(-1) ?? START; ; end += STEP) if (within([], START, end)) return end;
}

const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC', '+05:30');
const openSpan = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
    from: fc.integer({ min: 0, max: 47 }).map((half) => half * 30),
    until: fc.integer({ min: 1, max: 48 }).map((half) => half * 30),
  })
  .filter(({ from, until }) => from !== until);
const hours = fc.record({ zone, spans: fc.array(openSpan, { minLength: 1, maxLength: 3 }) });
const count = fc.integer({ min: 1, max: 5 });
const caps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ count, windowMs: fc.integer({ min: 1, max: 24 }).map((n) => n * 30 * MINUTE) }),
    },
    { weight: 1, arbitrary: fc.record({ count, windowMs: fc.constant(24 * HOUR), zone }) },
  ),
  { maxLength: 3 },
);
const rules = fc
  .record({
    minGapMs: fc.option(
      fc.integer({ min: 1, max: 6 }).map((n) => n * STEP),
      { nil: undefined },
    ),
    maxPer: caps,
    hours: fc.option(hours, { nil: undefined }),
  })
  .map(({ minGapMs, maxPer, hours: open }): PaceRules => ({
    jitter: 0,
    maxPer,
    ...(minGapMs === undefined ? {} : { minGapMs }),
    ...(open === undefined ? {} : { hours: open }),
  }));

/** Around both clock changes of the zones, and in between. */
const start = fc
  .tuple(
    fc.constantFrom(
      Date.UTC(2026, 2, 28, 12),
      Date.UTC(2026, 9, 24, 12),
      Date.UTC(2026, 2, 7, 12),
      Date.UTC(2026, 3, 4),
    ),
    fc.integer({ min: 0, max: 48 }),
  )
  .map(([at, half]) => at + half * 30 * MINUTE);

describe('slots', () => {
  it('are those of a step-by-step simulation: no window exceeded, no slot later than it could be', () => {
    fc.assert(
      fc.property(rules, start, fc.integer({ min: 1, max: 12 }), (given, from, count) => {
        const slots = slotsFor([{ rules: given, history: [] }], Array<number>(count).fill(from)).map((slot) => slot.at);
        expect(slots).toEqual(bruteForce(given, count, from));
      }),
      { numRuns: 60 },
    );
  });

  it('end a list of rows as early as any order of sending could, whenever each row is ready', () => {
    const small = fc
      .record({
        gap: fc.integer({ min: 0, max: 3 }),
        maxPer: fc.array(fc.record({ count: fc.integer({ min: 1, max: 3 }), steps: fc.integer({ min: 1, max: 5 }) }), {
          maxLength: 2,
        }),
      })
      .map(({ gap, maxPer }): PaceRules => ({
        jitter: 0,
        maxPer: maxPer.map(({ count, steps }) => ({ count, windowMs: steps * STEP })),
        ...(gap === 0 ? {} : { minGapMs: gap * STEP }),
      }));
    const ready = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(small, ready, (given, steps) => {
        const readyAt = steps.sort((a, b) => a - b).map((step) => START + step * STEP);
        const slots = slotsFor([{ rules: given, history: [] }], readyAt);
        expect(slots.at(-1)?.at).toBe(earliestEnd(given, readyAt));
      }),
      { numRuns: 80 },
    );
  });

  it('never exceed a window or a gap with jitter, from any moment asked', () => {
    const asked = fc.array(fc.integer({ min: 0, max: 3 * HOUR }), { minLength: 5, maxLength: 40 });
    fc.assert(
      fc.property(rules, fc.double({ min: 0, max: 1, noNaN: true }), asked, (given, jitter, pauses) => {
        const jittered = { ...given, jitter };
        const sent: number[] = [];
        let now = START;
        for (const pause of pauses) {
          now += pause;
          const slot = nextSlot(jittered, sent, now);
          // A claim goes through only when its slot is now.
          if (slot.at > now) {
            expect(slot.why).not.toBeNull();
            continue;
          }
          expect(allows(given, sent, now)).toBe(true);
          sent.push(now);
        }
      }),
    );
  });

  it('give every caller the same jitter, between nothing and the whole share', () => {
    const given = { minGapMs: 10 * MINUTE, jitter: 0.5 };
    const gaps = Array.from({ length: 200 }, (_, at) => {
      const sent = START + at * 61_234;
      const slot = nextSlot(given, [sent], sent);
      expect(nextSlot(given, [sent], sent + 1_000).at).toBe(slot.at);
      return slot.at - sent;
    });
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(15 * MINUTE);
    expect(new Set(gaps).size).toBeGreaterThan(100);
  });

  it('say what they wait for', () => {
    const given: PaceRules = { maxPer: [{ count: 2, windowMs: 24 * HOUR }] };
    expect(nextSlot(given, [START - HOUR], START)).toEqual({ at: START, why: null });
    expect(nextSlot(given, [START - HOUR, START], START)).toEqual({
      at: START + 23 * HOUR,
      why: 'cap 2 per 24h reached',
    });
    expect(nextSlot({ minGapMs: 10 * MINUTE, jitter: 0 }, [START], START)).toEqual({
      at: START + 10 * MINUTE,
      why: 'gap of 10m',
    });
  });

  it('are those that the channel and its account allow together', () => {
    const channel = {
      rules: { hours: { zone: 'UTC', spans: [{ days: [1, 2, 3, 4, 5, 6, 7], from: 540, until: 600 }] } },
      history: [],
    };
    const account = { rules: { createsPerMinute: 1 }, history: [Date.UTC(2026, 2, 27, 9, 59, 30)] };
    const at = laterOf([channel, account], Date.UTC(2026, 2, 27, 9, 59, 40)).at;
    expect(new Date(at).toISOString()).toBe('2026-03-28T09:00:00.000Z');
  });
});

describe('open hours', () => {
  it('open at the first allowed minute, over clock changes too', () => {
    fc.assert(
      fc.property(hours, start, (given, from) => {
        const opening = nextOpening(given, from);
        let expected = from;
        while (!isOpen(given, expected)) expected += 30 * MINUTE;
        // Every zone here changes and every span begins on a half hour.
        expect(opening).toBe(expected);
      }),
      { numRuns: 80 },
    );
  });

  it('are shorter by the hour that is skipped, and longer by the one that comes twice', () => {
    const night = { zone: 'Europe/Berlin', spans: [{ days: [7], from: 120, until: 240 }] };
    const minutesOpen = (day: number): number => {
      let open = 0;
      for (let at = day; at < day + 24 * HOUR; at += MINUTE) if (nextOpening(night, at) === at) open += 1;
      return open;
    };
    expect(minutesOpen(Date.UTC(2026, 2, 29))).toBe(60);
    expect(minutesOpen(Date.UTC(2026, 9, 25))).toBe(180);
    expect(minutesOpen(Date.UTC(2026, 5, 7))).toBe(120);
  });

  it('that never come make a slot that never comes', () => {
    expect(nextSlot({ hours: { zone: 'UTC', spans: [] } }, [], START).at).toBe(Infinity);
  });
});

describe('rules', () => {
  const garden = {
    account: 'default',
    profileId: 'p-1',
    profileName: 'Garden',
    platform: 'platform_b',
    platformKind: 'long',
  };

  it('come from the strongest source, and within one from what names the channel', () => {
    const config = { minGapMs: HOUR, jitter: 0, channels: [{ match: { profile: 'garden' }, minGapMs: 2 * HOUR }] };
    const manifest = { minGapMs: MINUTE, channels: [{ match: { platform: 'long' }, concurrency: 2 }] };
    expect(rulesOf([config], garden)).toMatchObject({ minGapMs: 2 * HOUR, jitter: 0 });
    expect(rulesOf([config, manifest], garden)).toMatchObject({ minGapMs: MINUTE, concurrency: 2 });
    expect(rulesOf([config], { ...garden, profileName: 'Kitchen', profileId: 'p-2' }).minGapMs).toBe(HOUR);
  });

  test('a cap per day begins anew with each local day, also where the last send was late and the clock changes', () => {
    const evening = { days: [1, 2, 3, 4, 5, 6, 7], from: 18 * 60, until: 19 * 60 };
    const rules = {
      maxPer: [{ count: 1, windowMs: 24 * HOUR, zone: 'Europe/Berlin' }],
      hours: { zone: 'Europe/Berlin', spans: [evening] },
    };
    const late = Date.UTC(2026, 9, 23, 16, 50);
    const slots = slotsFor([{ rules, history: [late] }], [late, late, late]);
    expect(slots.map(({ at }) => new Date(at).toISOString())).toEqual([
      '2026-10-24T16:00:00.000Z',
      '2026-10-25T17:00:00.000Z',
      '2026-10-26T17:00:00.000Z',
    ]);
    const rolling = slotsFor(
      [{ rules: { ...rules, maxPer: [{ count: 1, windowMs: 24 * HOUR }] }, history: [late] }],
      [late],
    );
    expect(rolling.map(({ at }) => new Date(at).toISOString())).toEqual(['2026-10-24T16:50:00.000Z']);
  });
});
