import { nearest } from '../../fields/classify-column';
import { checkCharacters } from './check-text';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { showValue } from '../../text';
import { shellWord } from '../../../wording/shell';

const YES = /^(yes|y|true|1|x)$/i;
const NO = /^(no|n|false|0)$/i;

/** `skip`: false when blank; undefined after an error. */
export function parseSkip(cell: Cell | undefined, problems: ProblemList): boolean | undefined {
  const text = cell?.text.trim() ?? '';
  if (cell === undefined || text === '' || NO.test(text)) return false;
  if (YES.test(text)) return true;
  problems.add({
    code: 'bad-skip',
    at: cell.at,
    value: text,
    message: `skip is “${showValue(text)}”, neither yes nor no.`,
  });
  return undefined;
}

export const STATUSES = ['published', 'draft', 'pending'] as const;

const CHOICE_CODES = { status: 'bad-status', via: 'bad-via', privacy: 'bad-privacy' } as const;

/** One of a few words, in any case; the first when blank; undefined after an error. */
export function parseChoice<T extends string>(
  cell: Cell | undefined,
  field: keyof typeof CHOICE_CODES,
  choices: readonly [T, ...T[]],
  problems: ProblemList,
): T | undefined {
  if (cell === undefined) return choices[0];
  const text = cell.text.trim();
  const found = choices.find((choice) => choice === text.toLowerCase());
  if (found !== undefined) return found;
  const near = nearest(text.toLowerCase(), choices);
  const message = `${field} can’t be “${showValue(text)}”.${near === undefined ? '' : ` Did you mean “${near}”?`}`;
  const shared = cell.level !== 'row';
  const hint = near === undefined && !shared && field !== 'privacy' ? ownColumn(cell, choices) : {};
  problems.add({ code: CHOICE_CODES[field], at: cell.at, value: text, message, shared, ...hint });
  return undefined;
}

// “Status: Approved” is a column from someone’s workflow that happens to have a field’s name.
function ownColumn(cell: Cell, choices: readonly string[]): { hint: string } {
  const name = showValue(cell.at.column ?? '');
  return {
    hint: `Use ${choices.join(' or ')}. If the column is one of your own, keep it as such: columns: {${name}: ignore}, or --column ${shellWord(`${name}=ignore`)}.`,
  };
}

/** A name on one line: trimmed, NFC; null when blank; undefined after an error. */
export function parseName(cell: Cell | undefined, what: string, problems: ProblemList): string | null | undefined {
  const name = cell?.text.trim().normalize('NFC') ?? '';
  if (cell === undefined || name === '') return null;
  if (/[\r\n\t\u0085\u2028\u2029]/.test(name) || name.length > 500) {
    const message = `The ${what} has a line break or tab in it, or is far too long.`;
    problems.add({ code: 'bad-account', at: cell.at, value: name, message, shared: cell.level !== 'row' });
    return undefined;
  }
  return checkCharacters(name, what, { cell, problems }) ? name : undefined;
}
