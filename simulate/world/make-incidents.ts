import { type WorldRandom } from './random';
import { CRASH_POINTS } from '../actors/points';
import { manyOf, SECOND } from './parts';
import { type WorldCommand, type WorldIncident } from './world';

/** A worker that doesn't come back for the rest of the world. */
const FOR_GOOD_MS = 3_600 * SECOND;

export function incident(random: WorldRandom, hosts: readonly number[]): WorldIncident {
  const workers = hosts.length;
  // On another host its death can't be proven: it stays silent, or has an answer that it records much later.
  if (workers > 1 && hosts[1] !== hosts[0] && random.chance(0.4)) {
    const points = ['POST answered', 'record before', 'record before', 'claim after', 'POST sent'] as const;
    const base = { worker: 1, point: random.pick(points), nth: random.whole(1, 2) };
    return random.chance(0.3)
      ? { ...base, does: 'crash', forMs: FOR_GOOD_MS }
      : { ...base, does: 'freeze', forMs: 25 * SECOND };
  }
  return {
    worker: random.whole(0, workers - 1),
    point: random.pick(CRASH_POINTS),
    nth: random.weighed([
      [6, 1],
      [3, 2],
      [1, random.whole(3, 6)],
    ] as const),
    does: random.chance(0.6) ? 'crash' : 'freeze',
    forMs: random.pick([300, 2 * SECOND, 8 * SECOND, 20 * SECOND]),
  };
}

/** When a person acts exactly in between: a run is about to close, a row about to be settled. */
const MOMENTS = ['finishRun before', 'finishRun after', 'settle before', 'recordEnds after', 'claim after'] as const;

export function command(random: WorldRandom, campaigns: number): WorldCommand {
  return {
    atMs: random.whole(0, 25 * SECOND),
    ...(random.chance(0.3) ? { on: random.pick(MOMENTS) } : {}),
    campaign: random.whole(0, campaigns - 1),
    does: random.weighed([
      [3, 'submit-again'],
      [2, 'submit-more'],
      [2, 'pause'],
      [1, 'resume'],
      [1, 'cancel'],
      [3, 'retry'],
      [3, 'resolve'],
      [1, 'give-up'],
      [1, 'cancel-in-temporal'],
      [2, 'terminate'],
      [1, 'fire'],
    ] as const),
  };
}

/** Drafts are changed, some before they exist. */
export function draftCommands(random: WorldRandom, campaigns: number): WorldCommand[] {
  return manyOf(random.whole(1, 3), () => ({
    atMs: random.whole(0, 20 * SECOND),
    campaign: random.whole(0, campaigns - 1),
    does: random.pick(['change-drafts', 'pend-drafts', 'replace-drafts', 'replace-drafts']),
  }));
}

export function window(random: WorldRandom): { atMs: number; forMs: number } {
  return { atMs: random.whole(0, 12 * SECOND), forMs: random.pick([1 * SECOND, 4 * SECOND, 12 * SECOND]) };
}
