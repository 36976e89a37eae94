import { EXIT, EXIT_MEANING, PRECEDENCE, pickExit, type ExitCode } from '../../../cli/errors/exit-codes';
import { exitOf, reasonsOf } from '../../../cli/summary/reasons';
import { STATE_WORDS } from '../../../cli/terminal/texts/state-words';
import { END_STATES, ROW_STATES } from '../../../ledger/model/states';
import { type Counts } from '../../../ledger/model/types';

const quiet = { openRows: 0, cancelled: false, accessRefused: false };

describe('exit codes', () => {
  test.each<[string, Counts, Partial<typeof quiet>, ExitCode]>([
    ['every row succeeded', { published: 3, drafted: 1, submitted: 1 }, {}, 0],
    ['rows that the manifest skips are as requested', { published: 3, cancelled: 1 }, {}, 0],
    ['some failed', { published: 3, failed: 1 }, {}, 5],
    ['some were rejected', { published: 3, rejected: 1 }, {}, 5],
    ['unconfirmed goes before failed', { failed: 1, unconfirmed: 1 }, {}, 6],
    ['overdue goes before failed', { failed: 1, overdue: 1 }, {}, 6],
    ['cancelled goes before unconfirmed', { unconfirmed: 1 }, { cancelled: true }, 8],
    ['a refused key goes before cancelled', { planned: 2 }, { cancelled: true, accessRefused: true, openRows: 2 }, 4],
    ['a refused key that no row waits for any more is history', { published: 2 }, { accessRefused: true }, 0],
    ['rows are still open', { published: 1, waiting: 1 }, { openRows: 1 }, 9],
    ['failed goes before still open', { failed: 1, waiting: 1 }, { openRows: 1 }, 5],
  ])('%s', (_, counts, more, code) => {
    const reasons = reasonsOf({ counts, ...quiet, ...more });
    expect(exitOf(reasons)).toBe(code);
    expect(reasons.every(({ text }) => text !== '')).toBe(true);
  });

  test('interrupted goes before everything, unreachable before what the rows say', () => {
    expect(pickExit([5, 130, 7])).toBe(130);
    expect(pickExit([6, 7, 4])).toBe(7);
    expect(pickExit([])).toBe(EXIT.ok);
  });

  test('every code has a meaning and a place in the precedence', () => {
    const codes = Object.values(EXIT).sort((a, b) => a - b);
    expect([...PRECEDENCE].sort((a, b) => a - b)).toEqual(codes);
    expect(
      Object.keys(EXIT_MEANING)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(codes);
  });
});

describe('row states on the command line', () => {
  test('every state of the ledger has its words, and the same ones are ends', () => {
    expect(Object.keys(STATE_WORDS).sort()).toEqual([...ROW_STATES].sort());
    const ends = ROW_STATES.filter((state) => STATE_WORDS[state].ended);
    expect([...ends].sort()).toEqual([...END_STATES].sort());
  });
});
