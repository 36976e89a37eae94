import { laterOf, slotsFor, type Slot } from '../pace/pace';
import { type PaceBook } from './pacing';
import { yieldToEventLoop } from '../engine/store';

/** Rows of one channel that are still to be sent, in their order, and the rules of its pace. */
export interface PacedWork {
  /** The earliest time for each, ms since the epoch, not before now. */
  readyAt: readonly number[];
  own: PaceBook[];
  /** Of its account, the same for all channels of it. */
  account: PaceBook[];
}

/**
 * Without a cap on the account, channels are independent; with one, the channel that can send first takes the next of
 * the account's slots.
 */
export async function slotsOfAccount(group: readonly PacedWork[]): Promise<Slot[][]> {
  const shared = group[0]?.account ?? [];
  if (shared.length === 0) {
    const all: Slot[][] = [];
    for (const { own, readyAt } of group) {
      all.push(slotsFor(own, readyAt));
      await yieldToEventLoop();
    }
    return all;
  }
  const slots: Slot[][] = group.map(() => []);
  const next = group.map(({ own, readyAt }) => laterOf(own, readyAt[0] ?? 0));
  for (let left = group.reduce((sum, { readyAt }) => sum + readyAt.length, 0); left > 0; left -= 1) {
    let first = -1;
    for (const [at, { readyAt }] of group.entries()) {
      if ((slots[at]?.length ?? 0) >= readyAt.length) continue;
      if (first < 0 || (next[at]?.at ?? 0) < (next[first]?.at ?? 0)) first = at;
    }
    const chosen = group[first];
    const before = next[first];
    if (!chosen || !before) break;
    const later = laterOf([...shared, ...chosen.own], before.at);
    const slot = later.at > before.at ? later : before;
    slots[first]?.push(slot);
    for (const book of [...shared, ...chosen.own]) if (Number.isFinite(slot.at)) book.history.push(slot.at);
    const ready = chosen.readyAt[slots[first]?.length ?? 0];
    if (ready !== undefined) next[first] = laterOf(chosen.own, ready);
    if (left % 1_000 === 0) await yieldToEventLoop();
  }
  return slots;
}
