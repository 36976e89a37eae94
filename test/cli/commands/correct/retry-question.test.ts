import { retryQuestion } from '../../../../cli/commands/correct/retry-selection';

test.each([
  [{ rejected: 1 }, 'Retry spring: send 1 row again (1 rejected)?'],
  [{ failed: 1 }, 'Retry spring: send 1 row again (1 failed, unless its publication has succeeded after all)?'],
  [
    { failed: 2, rejected: 1, overdue: 3, late: 1 },
    'Retry spring: send 3 rows again (1 rejected; 2 failed, unless their publications have succeeded after all); read the publications of 3 overdue rows again; follow 1 row whose answer came late?',
  ],
])('a retry of %j asks what it does to how many rows', (rows, expected) => {
  expect(retryQuestion('spring', { late: 0, ...rows })).toBe(expected);
});
