import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScopedCap } from '../../../ledger/pace/pace';

/** A create whose first byte was sent. */
interface Departure {
  /** By the monotonic clock, ms. */
  readonly at: number;
  answeredAt: number;
}

/** The recent creates of one scope (an account or a channel), and which create is sent next. */
interface Gate {
  departures: Departure[];
  last: Promise<void>;
}

/** A request without an answer is assumed to arrive at most this share of a window (ms) late. */
const LATE_SHARE = 0.1;
const LATE_MOST_MS = 100;

/**
 * Delays creates so that the service counts no more of them in a short window than a cap allows. The service counts
 * arrivals: a request arrives between the moment it was sent and the moment its answer came, so the window of an
 * earlier create has certainly passed one window after its answer. If answers take long, the request is assumed to have
 * arrived within a tenth of the window. For this process only: the ledger counts other processes.
 */
export class Departures {
  readonly #gates = new Map<string, Gate>();

  /**
   * Waits for the caps, then for `permit`, and records that the create is sent now. Returns a function that records its
   * answer.
   * @throws what `permit` throws; nothing is recorded then
   */
  async leave(caps: readonly ScopedCap[], permit: () => Promise<void>): Promise<() => void> {
    const gates: Gate[] = [];
    const release: (() => void)[] = [];
    try {
      // Every claim lists its channel's caps before its account's, so that no two creates wait for each other.
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

/** Takes the place at the head of a queue, in the order of the requests. */
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
