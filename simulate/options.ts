import { parseArgs } from 'node:util';
import { availableParallelism } from 'node:os';

export interface SimulateOptions {
  /** The first seed; fresh ones begin somewhere else each time. */
  from: number;
  /** At most so many. */
  seeds: number;
  /** No seed is begun after so long, s. */
  seconds: number;
  /** The kept worlds are played first. */
  kept: boolean;
  /** The trace is printed, whatever happens. */
  trace: boolean;
  /** A file with a world, in place of seeds. */
  world: string | undefined;
  processes: number;
}

/** A fresh range of seeds; ranges of two runs seldom meet. */
const FRESH = 1_000_000_000;

/** `[--seed N | --from N] [--seeds N] [--seconds N] [--kept] [--world FILE] [--trace] [--processes N]`. @throws Error for what can't be understood */
export function chosenOptions(args: readonly string[]): SimulateOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: text,
      from: text,
      seeds: text,
      seconds: text,
      kept: flag,
      world: text,
      trace: flag,
      processes: text,
    },
  });
  const seed = wholeNumber('--seed', values.seed);
  const seconds = wholeNumber('--seconds', values.seconds);
  const seeds = seed !== undefined ? 1 : wholeNumber('--seeds', values.seeds);
  return {
    from: seed ?? wholeNumber('--from', values.from) ?? Date.now() % FRESH,
    seeds: seeds ?? (seconds === undefined ? 1_000 : Infinity),
    seconds: seconds ?? Infinity,
    kept: values.kept,
    trace: values.trace,
    world: values.world,
    processes: wholeNumber('--processes', values.processes) ?? (seed === undefined ? availableParallelism() : 1),
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/u.test(text)) throw new Error(`${name}: “${text}” is not a whole number`);
  return Number(text);
}
