import { join } from 'node:path';
import { parseDateFormat } from '../manifests/times/date-format';
import { worstGrowth } from './support/expressions/attacks';
import { expressionsIn, sourceFiles } from './support/expressions/find-expressions';

const ROOT = join(__dirname, '..');
/** Linear time is 2, quadratic time 4. */
const MOST_GROWTH = 3;

test.each([
  [/a+$/, 4],
  [/^(a+)+$/, Infinity],
  [/x*y*x*z/, 4],
  [/\bhttps?:\/\/[^\s?]*\?/, 4],
])('the growth of %s is found', (expression, growth) => {
  expect(worstGrowth(expression).ratio).toBeGreaterThan(growth === Infinity ? 100 : growth * 0.8);
});

test.each([/^a+$/, /[^,]*/g, /\s{1,20}$/, /^(?:a|b)*c/])('%s is found to be linear', (expression) => {
  expect(worstGrowth(expression).ratio).toBeLessThan(MOST_GROWTH);
});

/**
 * Files that make expressions while they run: of date formats, which are tested here, of a port's number in the log of the server that was
 * started here, and of a test's own order to the sandbox.
 */
const MADE = ['embedded/server/temporal-server.ts', 'manifests/times/date-format.ts', 'sandbox/faults/fault-queue.ts'];

test('an expression made while the program runs stands in a known file, and takes linear time', () => {
  const made = sourceFiles(ROOT).flatMap((file) =>
    expressionsIn(ROOT, file).filter(({ expression }) => expression === null),
  );
  expect(new Set(made.map(({ place }) => place.split(':')[0]))).toEqual(new Set(MADE));
  for (const format of ['d/m/yyyy h:mm:ss a', 'mmm   d   yyyy', 'MM/DD/YY']) {
    const pattern = parseDateFormat(format)?.pattern ?? /never/;
    expect(worstGrowth(pattern).ratio).toBeLessThan(MOST_GROWTH);
  }
});

test('no regular expression of the product takes more than linear time, whatever it is given', () => {
  const found = sourceFiles(ROOT).flatMap((file) => expressionsIn(ROOT, file));
  expect(found.length).toBeGreaterThan(200);
  const slow = found.flatMap(({ place, expression }) => {
    if (expression === null) return [];
    const { ratio, ...attack } = worstGrowth(expression);
    return ratio < MOST_GROWTH ? [] : [`${place} ${String(expression)} ${ratio.toFixed(1)} ${JSON.stringify(attack)}`];
  });
  expect(slow).toEqual([]);
}, 300_000);
