import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Preloaded into a worker to measure its event loop's longest turn. Linux only. */
export const LOOP_MONITOR = join(__dirname, 'loop-monitor.js');
export const CAN_MEASURE_LOOP = existsSync('/proc/self/task');

export interface LoopFacts {
  /** CPU time of the loop's thread in its longest turn, ms. */
  cpuMs: number;
  /** The same by the clock, ms: on a busy machine it includes other processes' time. */
  wallMs: number;
}

export async function loopFacts(path: string): Promise<LoopFacts> {
  return JSON.parse(await readFile(path, 'utf8')) as LoopFacts;
}
