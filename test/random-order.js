'use strict';

const { randomInt } = require('node:crypto');
const { readFileSync } = require('node:fs');

/**
 * Runs the files in a random order, so that none comes to rely on one before it; `REELAY_TEST_ORDER=N` repeats an order. The
 * seed is printed with it. Those that ask for the most time begin, so that none of them is left alone at the end.
 */
class RandomOrder {
  sort(tests) {
    const seed = Number(process.env.REELAY_TEST_ORDER ?? randomInt(1, 1_000_000));
    if (tests.length > 1) process.stderr.write(`order of the test files: REELAY_TEST_ORDER=${seed}\n`);
    const next = mulberry32(seed);
    return [...tests]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map((test) => ({ test, place: next() - asksForTime(test.path) }))
      .sort((a, b) => a.place - b.place)
      .map(({ test }) => test);
  }

  /** Nothing is remembered from run to run: these are what else Jest asks of a sequencer. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}

/** The limit (s) that it sets for itself or for one of its parts, where that is 100 s or more; else 0. */
function asksForTime(path) {
  const limits = [...readFileSync(path, 'utf8').matchAll(/(?:setTimeout\(|\}, )(\d{3})_000\)/gu)];
  return Math.max(0, ...limits.map(([, seconds]) => Number(seconds)));
}

/** Numbers from 0 to 1 that follow from the seed. */
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

module.exports = RandomOrder;
