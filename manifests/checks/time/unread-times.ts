import { type ProblemList } from '../../problems/problems';
import { type RawRow, type RawTable } from '../../raw-row';
import { shellWord } from '../../../wording/shell';
import { showValue } from '../../text';
import { daysMeant } from '../../times/days-meant';
import { type DraftRow } from '../row-context';

/** A column of the user's own whose cells, so far, are all dates. */
interface Dates {
  line: number;
  /** The first one that isn't over yet. */
  coming: string | null;
}

/**
 * Notices a sheet that says when to publish in a column that isn't read, such as “Datum”: every row would be sent at
 * once. Dates that are over, such as when a video was made, say nothing about that.
 */
export class UnreadTimes {
  readonly #table: RawTable;
  readonly #now: number;
  /** By column; null: it has other cells too. */
  readonly #columns = new Map<string, Dates | null>();
  #isTimed = false;

  constructor(table: RawTable, now: number) {
    this.#table = table;
    this.#now = now;
  }

  take(raw: RawRow, drafts: readonly DraftRow[]): void {
    this.#isTimed ||= raw.slots.has('publish_at') || drafts.some(({ row }) => row.publishAt !== null);
    if (this.#isTimed) return;
    for (const name of this.#table.kept ?? []) this.#note(name, raw.cells[name]?.trim() ?? '', raw.line);
  }

  finish(problems: ProblemList): void {
    if (this.#isTimed || this.#table.suspected.has('publish_at')) return;
    for (const [name, dates] of this.#columns) {
      if (dates === null || dates.coming === null) continue;
      const map = (target: string) => `--column ${shellWord(`${showValue(name)}=${target}`)}`;
      problems.add({
        code: 'times-unread',
        at: { line: dates.line, column: name },
        value: dates.coming,
        message: `“${showValue(name, 40)}” has dates to come, but it is a column of your own, and nothing else says when to publish: every row would be sent at once.`,
        hint: `If they are when to publish, map the column with ${map('publish_at')} (${map('publish_date')} if the time of day has a column of its own); otherwise keep it as your own with ${map('ignore')}.`,
      });
    }
  }

  #note(name: string, text: string, line: number): void {
    const before = this.#columns.get(name);
    if (text === '' || before === null) return;
    const { days } = daysMeant(text);
    if (days.length === 0) {
      this.#columns.set(name, null);
      return;
    }
    if (before !== undefined && before.coming !== null) return;
    const coming = days.some((day) => day > this.#now) ? text : null;
    if (before === undefined || coming !== null) this.#columns.set(name, { line, coming });
  }
}
