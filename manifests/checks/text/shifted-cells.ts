import { type Place, type ProblemList } from '../../problems/problems';
import { showValue } from '../../text';
import { type DraftRow } from '../row-context';

/** A cell that isn't what the sheet records of its row. */
interface Changed {
  key: string;
  /** Where it would be the same video. */
  channel: string;
  now: string;
  at: Place;
}

const FIELDS = ['title', 'source'] as const;

/**
 * Notices a results sheet of which only some columns were sorted, moved or filled down: titles of its rows that were
 * changed are those that the sheet records for others of these rows; or a source is the one that it records for another
 * row of the same channel, changed or not.
 */
export class ShiftedCells {
  readonly #changed = { title: new Array<Changed>(), source: new Array<Changed>() };
  /** The keys of the rows for which a value is recorded. */
  readonly #recorded = { title: new Map<string, Set<string>>(), source: new Map<string, Set<string>>() };

  take({ row, raw }: DraftRow): void {
    // Only a results sheet records anything.
    if (raw.result.size === 0) return;
    const { key, line } = row;
    const channel = JSON.stringify([row.account, row.profile, row.platform]);
    for (const field of FIELDS) {
      const recorded = raw.result.get(`reelay_${field}`)?.text.trim() ?? '';
      const now = row[field]?.trim() ?? '';
      if (recorded === '' || now === '') continue;
      const isChanged = now !== recorded;
      if (field === 'source') this.#note(field, key, channel + recorded);
      else if (isChanged) this.#note(field, key, recorded);
      if (!isChanged) continue;
      const at = raw.slots.get(field)?.at ?? { line, column: field, file: raw.file };
      this.#changed[field].push({ key, channel, now, at });
    }
  }

  finish(problems: ProblemList): void {
    for (const field of FIELDS) {
      const shifted = this.#changed[field].filter(({ key, channel, now }) => {
        const keys = this.#recorded[field].get(field === 'source' ? channel + now : now);
        return keys !== undefined && (keys.size > 1 || !keys.has(key));
      });
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

  #note(field: (typeof FIELDS)[number], key: string, value: string): void {
    const keys = this.#recorded[field].get(value);
    if (keys === undefined) this.#recorded[field].set(value, new Set([key]));
    else keys.add(key);
  }
}
