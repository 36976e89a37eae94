import { nextDay } from './calendar-day';
import { nextOpening, type OpenHours } from './open-hours';

/** A maximum number in any period of this length, wherever it begins; or, with a zone, in each day of its calendar. */
export interface Cap {
  count: number;
  /** With a zone: 24 h, whatever the length of the day. */
  windowMs: number;
  /** IANA zone, or an offset such as `+02:00`. */
  zone?: string;
}

/** How fast a channel, or an account, may send. What is absent doesn't limit. */
export interface PaceRules {
  /** Creates open at once. Counted by the claim; it is not a matter of time slots. */
  concurrency?: number;
  /** Between two creates, ms. */
  minGapMs?: number;
  /** Maximum share of the gap that is added, 0 to 1, so that creates aren't perfectly regular. @default 0.1 */
  jitter?: number;
  maxPer?: readonly Cap[];
  hours?: OpenHours;
  /** For the whole account, over all its channels. */
  createsPerSecond?: number;
  /** The same, per minute. */
  createsPerMinute?: number;
}

export interface Slot {
  /** ms since the epoch; Infinity where the rules never allow one. */
  at: number;
  /** What the slot waits for, for people; null when it is now. */
  why: string | null;
}

export const DEFAULT_JITTER = 0.1;
/** Below this, the service's count of arrivals differs from ours because requests take different times to reach it. */
const SHORT_WINDOW_MS = 60_000;
const MAX_TRANSIT_MARGIN_MS = 50;

/**
 * A cap over less than a minute. The sending process enforces it too, by the times at which its requests are actually
 * sent.
 */
export interface ShortCap extends Cap {
  /** Between two creates, ms. */
  spacingMs: number;
}

/** One cap, with the scope that it counts: `account:cafe`, `channel:7`. */
export type ScopedCap = ShortCap & { scope: string };

/**
 * When the next create may be sent: the only place that decides this. Pure, so that the claim, the pages of a channel
 * and a plan give the same answer. `history` has the times (ms) of creates that happened or may have happened, oldest
 * first; a create that certainly didn't happen isn't among them. Taking the earliest slot each time finishes a list of
 * rows as early as any order of slots can. `alone`: only the calling process has sent lately; it enforces short caps by
 * when requests are actually sent (`shortCapsOf`), so its slots need no margin for that.
 */
export function nextSlot(rules: PaceRules, history: readonly number[], now: number, alone = false): Slot {
  let slot: Slot = { at: now, why: null };
  const atLeast = (at: number, why: string): void => {
    if (at > slot.at) slot = { at, why };
  };
  const newest = history.at(-1);
  if (rules.minGapMs !== undefined && newest !== undefined) {
    atLeast(newest + gapAfter(rules, newest), `gap of ${span(rules.minGapMs)}`);
  }
  for (const { count, windowMs, zone } of capsOf(rules)) {
    const oldest = history.at(-count);
    const why = `cap ${count} per ${zone === undefined ? span(windowMs) : 'day'} reached`;
    if (oldest !== undefined) {
      const over = zone === undefined ? oldest + windowMs : nextDay(zone, oldest);
      atLeast(over + (alone ? 0 : transitMargin(windowMs)), why);
    }
    if (newest !== undefined && !alone) atLeast(newest + spacing({ count, windowMs }), why);
  }
  if (rules.hours !== undefined) atLeast(nextOpening(rules.hours, slot.at), 'outside its hours');
  return slot;
}

/** The slots of `count` further creates, each taken as early as possible. */
export function slotsFor(
  rules: readonly { rules: PaceRules; history: readonly number[] }[],
  readyAt: readonly number[],
): Slot[] {
  const books = rules.map((one) => ({ rules: one.rules, history: one.history.slice(-historyNeeded(one.rules)) }));
  return readyAt.map((ready) => {
    const slot = laterOf(books, ready);
    if (Number.isFinite(slot.at)) {
      for (const book of books) {
        book.history.push(slot.at);
        if (book.history.length > 2 * historyNeeded(book.rules) + 64) {
          book.history = book.history.slice(-historyNeeded(book.rules));
        }
      }
    }
    return slot;
  });
}

/** The earliest moment that all of several rules allow: a channel's and its account's. */
export function laterOf(
  rules: readonly { rules: PaceRules; history: readonly number[] }[],
  now: number,
  alone = false,
): Slot {
  let slot: Slot = { at: now, why: null };
  // Each pass only moves later. Hours may move the end of a gap later, but never the reverse: few passes are enough.
  for (let pass = 0; pass < 8; pass += 1) {
    const before = slot.at;
    for (const one of rules) {
      const next = nextSlot(one.rules, one.history, slot.at, alone);
      if (next.at > slot.at) slot = next;
    }
    if (slot.at === before || !Number.isFinite(slot.at)) break;
  }
  return slot;
}

/** How many of the newest creates the rules look at. */
export function historyNeeded(rules: PaceRules): number {
  const caps = capsOf(rules).map((cap) => cap.count);
  return Math.max(rules.minGapMs === undefined ? 0 : 1, ...caps, 0);
}

/** Whether the rules can ever make a create wait. */
export function isPaced(rules: PaceRules): boolean {
  return historyNeeded(rules) > 0 || rules.hours !== undefined;
}

export function shortCapsOf(rules: PaceRules): ShortCap[] {
  const short = capsOf(rules).filter(({ windowMs }) => windowMs < SHORT_WINDOW_MS);
  return short.map((cap) => ({ ...cap, spacingMs: spacing(cap) }));
}

/** The rules without the caps that the sending process enforces as well. */
export function withoutShortCaps(rules: PaceRules): PaceRules {
  const others = { ...rules };
  delete others.createsPerSecond;
  if (others.maxPer !== undefined) others.maxPer = others.maxPer.filter(({ windowMs }) => windowMs >= SHORT_WINDOW_MS);
  return others;
}

function capsOf(rules: PaceRules): readonly Cap[] {
  const { maxPer = [], createsPerSecond, createsPerMinute } = rules;
  return [
    ...maxPer,
    ...(createsPerSecond === undefined ? [] : [{ count: createsPerSecond, windowMs: 1_000 }]),
    ...(createsPerMinute === undefined ? [] : [{ count: createsPerMinute, windowMs: 60_000 }]),
  ];
}

/**
 * Added to the window (ms) of a short cap. The service counts when requests arrive, and a request that takes 30 ms less
 * than the one before it arrives 30 ms too soon. In a window of a minute or more, clocks and limits are coarser than
 * that.
 */
function transitMargin(windowMs: number): number {
  return windowMs < SHORT_WINDOW_MS ? Math.min(MAX_TRANSIT_MARGIN_MS, Math.ceil(windowMs * 0.05)) : 0;
}

/**
 * Time (ms) between two creates of a short cap. If they were all sent at once, they would delay each other, and their
 * transit times would differ by more than the margin allows. Half of the even spacing is enough to avoid that, and a
 * late create doesn't delay all those after it.
 */
function spacing({ count, windowMs }: Cap): number {
  return windowMs < SHORT_WINDOW_MS ? Math.floor(windowMs / count / 2) : 0;
}

/** The jitter of a gap depends only on the create before it: every caller gets the same gap, however often it asks. */
function gapAfter(rules: PaceRules, newest: number): number {
  const gap = rules.minGapMs ?? 0;
  const mixed = Math.imul((newest ^ (newest / 2 ** 32)) >>> 0, 0x9e3779b1) >>> 0;
  return gap + Math.floor(gap * (rules.jitter ?? DEFAULT_JITTER) * (mixed / 2 ** 32));
}

const UNITS: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
];

/** `24h`, `90s`, `2d`: in the largest unit that is exact, except that one day is 24h. */
export function span(ms: number): string {
  if (ms === 86_400_000) return '24h';
  for (const [unit, name] of UNITS) if (ms >= unit && ms % unit === 0) return `${ms / unit}${name}`;
  return `${ms}ms`;
}
