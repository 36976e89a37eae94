import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';

const CODES = { title: 'title-length-unclear', description: 'description-length-unclear' } as const;

/**
 * The interface counts “characters”, which code points fit best. If the text exceeds the limit by another way of
 * counting, a warning says so, because the service would refuse it only after the rows before were sent.
 */
export function checkOtherCounts(input: {
  text: string;
  what: 'title' | 'description';
  /** In code points. */
  length: number;
  limit: number;
  cell: Cell;
  problems: ProblemList;
}): void {
  const { text, what, length, limit, cell, problems } = input;
  // No character takes more than 3 bytes for each of its units.
  if (text.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(text, 'utf8');
  const units = text.length;
  const others = [...(units > limit ? [`${units} UTF-16 units`] : []), ...(bytes > limit ? [`${bytes} bytes`] : [])];
  if (others.length === 0) return;
  const message = `The ${what} has ${length} characters of ${limit} allowed, but ${others.join(' and ')}.`;
  problems.add({ code: CODES[what], at: cell.at, value: text, shared: cell.level !== 'row', message });
}
