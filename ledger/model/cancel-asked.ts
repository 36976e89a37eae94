import { CANCELLED, PRUNED as PRUNED_CODE } from './converge';

/**
 * Whether a row that is being created is cancelled if its create turns out not to have happened. A newer manifest takes
 * back what an earlier one asked for; what a person cancelled, only if it is confirmed.
 */
export const NOT_ASKED = 0;
export const BY_PERSON = 1;
export const BY_SKIP = 2;
export const BY_PRUNE = 3;

/** Why a manifest leaves out a row. */
export const SKIPPED = { code: 'skip', message: 'the manifest says skip' };
export const PRUNED = { code: PRUNED_CODE, message: 'the manifest no longer has the row' };

/** Why a row is cancelled, by who asked for it. */
export function reasonAsked(asked: number): { code: string; message: string } {
  if (asked === BY_SKIP) return SKIPPED;
  return asked === BY_PRUNE ? PRUNED : { code: CANCELLED, message: 'cancelled before it was sent' };
}
