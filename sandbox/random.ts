/**
 * A number in [0, 1) that depends only on its arguments, so that a run with the same seed repeats however its requests
 * interleave: the nth publication always has the same outcome.
 */
export function seededRandom(seed: number, ...parts: number[]): number {
  let state = seed | 0;
  for (const part of parts) {
    state = Math.imul(state ^ (part | 0), 0x9e3779b1);
    state ^= state >>> 15;
  }
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
