import { type Place, type ProblemList } from '../../problems/problems';
import { showValue } from '../../text';
import { type DraftRow } from '../row-context';

/** What a results sheet says of a row, and what its own cell says now. */
interface Cells {
  recorded: string;
  now: string;
  at: Place;
}

const FIELDS = ['title', 'source'] as const;

/**
 * Notices a results sheet of which only some columns were sorted or moved: titles, or sources, of its rows are those that
 * the sheet records for others.
 */
export class ShiftedCells {
  readonly #changed = { title: new Array<Cells>(), source: new Array<Cells>() };

  take({ row, raw }: DraftRow): void {
    for (const field of FIELDS) {
      const recorded = raw.result.get(`reelay_${field}`)?.text.trim() ?? '';
      const now = row[field]?.trim() ?? '';
      if (recorded === '' || now === '' || now === recorded) continue;
      const at = raw.slots.get(field)?.at ?? { line: row.line, column: field, file: raw.file };
      this.#changed[field].push({ recorded, now, at });
    }
  }

  finish(problems: ProblemList): void {
    for (const field of FIELDS) {
      const changed = this.#changed[field];
      const recorded = new Set(changed.map((cells) => cells.recorded));
      const shifted = changed.filter(({ now }) => recorded.has(now));
      const [first] = shifted;
      if (first === undefined) continue;
      const others = shifted.length === 1 ? '' : ` So are those of ${shifted.length - 1} more.`;
      problems.add({
        code: 'cells-shifted',
        at: first.at,
        value: first.now,
        message: `The row’s ${field} “${showValue(first.now)}” is the one that the sheet records for another row (reelay_${field}).${others}`,
      });
    }
  }
}
