import { ServiceConfigError } from '../config-error';

/** The client's own time limits, all in ms. They replace those of the HTTP library, which would end slow uploads. */
export interface TimeLimits {
  /** Name look-up, proxy, TCP and TLS together. @default 10 s */
  connectMs: number;
  /** From sending a plain request (list, read, change, delete) to the last byte of its answer. @default 30 s */
  answerMs: number;
  /** The same for a create without a file. @default 60 s */
  createAnswerMs: number;
  /** An upload ends if no byte is accepted for this long. @default 120 s */
  uploadStallMs: number;
  /** From the last byte of an upload to the last byte of its answer. @default 10 min */
  uploadAnswerMs: number;
  /** A whole upload, from its first byte to the end of its answer; null for no limit. @default null */
  uploadTotalMs: number | null;
}

export const DEFAULT_TIME_LIMITS: Readonly<TimeLimits> = {
  connectMs: 10_000,
  answerMs: 30_000,
  createAnswerMs: 60_000,
  uploadStallMs: 120_000,
  uploadAnswerMs: 600_000,
  uploadTotalMs: null,
};

/** Timers beyond this fire at once. */
const TIMER_MAX = 2 ** 31 - 1;

/** @throws ServiceConfigError for a limit that is no positive number of ms */
export function completeTimeLimits(given: Partial<TimeLimits> = {}): TimeLimits {
  const limits: TimeLimits = { ...DEFAULT_TIME_LIMITS, ...given };
  for (const [name, value] of Object.entries<number | null>({ ...limits })) {
    if (value === null && name === 'uploadTotalMs') continue;
    if (value === null || !(value > 0) || value > TIMER_MAX) {
      throw new ServiceConfigError('limits', `The time limit ${name} is ${value}; give 1 to ${TIMER_MAX} ms.`);
    }
  }
  return limits;
}
