import { parseArgs } from 'node:util';
import { availableParallelism } from 'node:os';

export interface SimulateOptions {
  /** The first seed; fresh seeds begin at a different number each time. */
  from: number;
  /** Maximum number of seeds. */
  seeds: number;
  /** No seed is begun after this time, s. */
  seconds: number;
  /** The same in CPU seconds of all processes together. */
  computing: number;
  /** The saved worlds are run first. */
  kept: boolean;
  /** Seeds that fail are only listed. */
  survey: boolean;
  /** Failures are named, but neither shrunk nor traced. */
  brief: boolean;
  /** The trace is always printed. */
  trace: boolean;
  /** A file with a world, instead of seeds. */
  world: string | undefined;
  processes: number;
}

/** A fresh range of seeds; ranges of two runs seldom meet. */
const FRESH = 1_000_000_000;

/**
 * `[--seed N | --from N] [--seeds N] [--seconds N] [--computing N] [--kept] [--world FILE] [--trace] [--survey |
 * --brief] [--processes N]`. @throws Error for invalid options
 */
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
      computing: text,
      kept: flag,
      world: text,
      survey: flag,
      brief: flag,
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
    computing: wholeNumber('--computing', values.computing) ?? Infinity,
    kept: values.kept,
    survey: values.survey,
    brief: values.brief,
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
