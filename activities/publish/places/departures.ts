import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScopedCap } from '../../../ledger/pace/pace';

/** A create whose first byte has left. */
interface Departure {
  /** By the monotonic clock, ms. */
  readonly at: number;
  answeredAt: number;
}

/** What the creates of one scope, an account or a channel, have left behind, and who leaves next. */
interface Gate {
  departures: Departure[];
  last: Promise<void>;
}

/** Share of a window (ms) by which a request without an early answer is taken to arrive late. */
const LATE_SHARE = 0.1;
const LATE_MOST_MS = 100;

/**
 * Holds creates back so that the service counts no more of them in a short window than a cap allows. What it counts are
 * arrivals: one lies between the moment its request left and the moment its answer came, so the window of the create that the
 * cap looks back to has passed for sure a window after that answer. Where answers take long, the request is taken to have arrived
 * within a tenth of the window. Of this process alone: other processes are the ledger's to count.
 */
export class Departures {
  readonly #gates = new Map<string, Gate>();

  /**
   * Waits for the caps, then for `permit`, and notes that the create leaves now. Returns what notes that its answer has come.
   * @throws what `permit` throws; nothing is noted then
   */
  async leave(caps: readonly ScopedCap[], permit: () => Promise<void>): Promise<() => void> {
    const gates: Gate[] = [];
    const release: (() => void)[] = [];
    try {
      // Every claim names its channel's caps before its account's, so that no two creates wait for each other.
      for (const cap of caps) {
        const gate = this.#gateOf(cap.scope);
        if (!gates.includes(gate)) {
          release.push(await enter(gate));
          gates.push(gate);
        }
        for (let ms = dueIn(gate, cap); ms > 0; ms = dueIn(gate, cap)) await sleep(ms);
      }
      await permit();
      const departure = { at: performance.now(), answeredAt: Infinity };
      for (const gate of gates) gate.departures.push(departure);
      for (const cap of caps) {
        const gate = this.#gateOf(cap.scope);
        const most = Math.max(...caps.filter(({ scope }) => scope === cap.scope).map(({ count }) => count));
        if (gate.departures.length > most) gate.departures = gate.departures.slice(-most);
      }
      return () => {
        departure.answeredAt = performance.now();
      };
    } finally {
      for (const free of release) free();
    }
  }

  #gateOf(scope: string): Gate {
    const known = this.#gates.get(scope);
    if (known !== undefined) return known;
    const gate = { departures: [], last: Promise.resolve() };
    this.#gates.set(scope, gate);
    return gate;
  }
}

/** Takes the place at the head of a gate, in the order in which it is asked for. */
async function enter(gate: Gate): Promise<() => void> {
  const before = gate.last;
  let free: () => void = () => undefined;
  gate.last = new Promise((resolve) => (free = resolve));
  await before;
  return free;
}

function dueIn({ departures }: Gate, { count, windowMs, spacingMs }: ScopedCap): number {
  const newest = departures.at(-1);
  const counted = departures.at(-count);
  const late = Math.min(windowMs * LATE_SHARE, LATE_MOST_MS);
  const after = Math.max(
    newest === undefined ? 0 : newest.at + spacingMs,
    counted === undefined ? 0 : Math.min(counted.answeredAt, counted.at + late) + windowMs,
  );
  // A timer may fire a moment early.
  return Math.ceil(after - performance.now());
}
