// Keeps the real one for the scheduler, before it is replaced here.
import './drained';
import { type WorldRandom } from '../world/random';
import { type Owner, type Scheduler, type Step } from './scheduler';

/** Noon of some day: the time of a simulation's clock when it begins. */
export const BEGINNING = Date.UTC(2026, 2, 2, 12);

interface Simulated {
  scheduler: Scheduler;
  /** How far the machine's clock is ahead of the true time, ms. */
  ahead: (owner: Owner | null) => number;
  random: WorldRandom;
}

let simulated: Simulated | undefined;

const RealDate = Date;
const real = { setImmediate };

/** From now on the process's clocks, timers and random numbers are those of this simulation. */
export function simulateTime(given: Simulated): void {
  simulated = given;
}

/** What its wall clock shows, ms since the epoch. */
export function wallClock(): number {
  if (simulated === undefined) return RealDate.now();
  const { scheduler, ahead } = simulated;
  return Math.round(BEGINNING + scheduler.now + ahead(scheduler.current));
}

class VirtualDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(wallClock());
    else super(...(given as [number]));
  }

  static override now(): number {
    return wallClock();
  }
}

function timer(ms: number | undefined, repeats: boolean, callback: () => void): { step: Step } {
  if (simulated === undefined) throw new Error('a timer outside of a simulation');
  const { scheduler } = simulated;
  const owner = scheduler.current;
  if (owner === null) throw new Error('a timer that is nobody’s');
  const handle = {} as { step: Step };
  const arm = (): void => {
    handle.step = scheduler.add(owner, Math.max(ms ?? 0, 1), null, () => {
      if (repeats) arm();
      callback();
    });
  };
  arm();
  return handle;
}

function clear(handle: { step?: Step } | undefined): void {
  if (handle?.step !== undefined) handle.step.cancelled = true;
}

/** Replaces everything by which a process could observe the real world. For a process that only simulates. */
export function replaceRealTime(): void {
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: (callback: () => void, ms?: number) => timer(ms, false, callback),
    setInterval: (callback: () => void, ms?: number) => timer(ms, true, callback),
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: (callback: () => void) => {
      // Whatever loads the program may use it before.
      if (simulated === undefined) return real.setImmediate(callback);
      return void Promise.resolve().then(callback);
    },
  });
  Object.defineProperty(performance, 'now', { value: () => simulated?.scheduler.now ?? 0 });
  Math.random = () => simulated?.random.next() ?? 0.5;
}

/** Replaces `node:timers/promises`. */
export const VIRTUAL_TIMERS = {
  setTimeout: (ms: number) => new Promise<void>((resolve) => timer(ms, false, resolve)),
  // A turn of the event loop: nothing else can have one before the next step.
  setImmediate: () => Promise.resolve(),
};
