import { type ReadingLedger } from '../../../ledger/interfaces/reading';
import { type Counts, type ViewRef } from '../../../ledger/model/types';
import { type Output } from '../output';
import { plural, safeText } from '../safe-text';
import { STATE_WORDS } from './state-words';

/** A row that did not succeed, as part of a summary. */
export interface ShownProblem {
  line: number;
  /** The name of the file that has the row, if the manifest that is shown doesn't. */
  file: string | null;
  key: string;
  /** `row 12 · Episode 3 → long` */
  label: string;
  channel: string;
  /** `drafted`: a draft that could not be changed; `published`: live but not as requested. */
  state: 'failed' | 'rejected' | 'overdue' | 'unconfirmed' | 'drafted' | 'published';
  code: string | null;
  message: string | null;
  /** `NAME.N`: an earlier run than the one that is shown, in which it ended and since which it was not tried again. */
  earlier_run: string | null;
}

/** Maximum number of rows shown individually; the rest is counted. */
const SHOWN = 5;

/** The newest rows that went wrong, except for unconfirmed ones, which are shown with the commands that settle them. */
export async function problemsOf(
  ledger: ReadingLedger,
  view: ViewRef,
  counts: Counts,
  { limit = SHOWN, endedOtherwise = 0 } = {},
): Promise<ShownProblem[]> {
  if (problemCount(counts) + endedOtherwise === 0) return [];
  const rows = await ledger.problemRows(view, limit + (counts.unconfirmed ?? 0));
  return rows
    .filter((row) => row.state !== 'unconfirmed')
    .slice(0, limit)
    .map(({ line, file, key, label, channel, state, code, message, run }) => ({
      ...{ line, file, key, label, channel, code, message },
      state: state as ShownProblem['state'],
      earlier_run:
        run !== null && OTHERWISE[state as ShownProblem['state']] === undefined && isEarlier(run, view) ? run : null,
    }));
}

/** A draft belongs to the run that created it, also while a later one tries to change it. */
function isEarlier(run: string, { number }: ViewRef): boolean {
  return number !== null && Number(run.slice(run.lastIndexOf('.') + 1)) < number;
}

/** `failed`, and `failed in spring.1` for a row that the run shown didn't try again. */
export function problemState({ state, earlier_run: run }: ShownProblem): string {
  return `${OTHERWISE[state] ?? state}${run === null ? '' : ` in ${run}`}`;
}

/** `failed: row 7 · Lisbon on foot → short, key travel-01 (Travel · short) — service-failed: the service gave no reason` */
export function problemLine(row: ShownProblem, local: (text: string) => string = (text) => text): string {
  const why = [row.code, row.message === null ? null : local(row.message)].filter((part) => part !== null).join(': ');
  const what = `${safeText(row.label)}, key ${safeText(row.key)} (${safeText(row.channel)})`;
  return why === '' ? what : `${what} — ${safeText(why)}`;
}

/** States that are good in themselves: the rows shown are not as requested. */
const OTHERWISE: Partial<Record<ShownProblem['state'], string>> = {
  drafted: 'draft not changed',
  published: 'published, not as requested',
};

/** `endedOtherwise`: drafts that could not be changed, and rows that are live but not as requested. */
export function printProblems(
  output: Output,
  shown: readonly ShownProblem[],
  counts: Counts,
  endedOtherwise = 0,
): void {
  for (const row of shown) {
    const style = OTHERWISE[row.state] === undefined ? STATE_WORDS[row.state].style : 'red';
    output.note(`${output.paint(style, problemState(row))}: ${problemLine(row, (text) => output.local(text))}`);
  }
  const more = problemCount(counts) + endedOtherwise - shown.length;
  if (shown.length > 0 && more > 0) output.note(`… and ${plural(more, 'more row')} that went wrong`);
}

function problemCount(counts: Counts): number {
  return (counts.failed ?? 0) + (counts.rejected ?? 0) + (counts.overdue ?? 0);
}
