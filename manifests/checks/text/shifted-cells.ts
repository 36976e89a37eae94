import { type Place, type ProblemList } from '../../problems/problems';
import { showValue } from '../../text';
import { type DraftRow } from '../row-context';

/** A cell that isn't what the sheet records of its row. */
interface Changed {
  key: string;
  /** Where it would be the same video. */
  channel: string;
  now: string;
  recorded: string;
  at: Place;
}

const FIELDS = ['title', 'source'] as const;

/**
 * Notices a results sheet of which only some columns were sorted, moved or filled down: titles of its rows that were
 * changed are those that the sheet records for others of these rows; or a source is the one that it records for another
 * row of the same channel, changed or not. Titles that were renumbered are no such find: “Part 1” is “Part 2”, whose row
 * is “Part 3”.
 */
export class ShiftedCells {
  readonly #changed = { title: new Array<Changed>(), source: new Array<Changed>() };
  /** The keys of the rows for which a value is recorded. */
  readonly #recorded = { title: new Map<string, Set<string>>(), source: new Map<string, Set<string>>() };

  readonly #renumbered = new RenumberedTitles();

  take({ row, raw }: DraftRow): void {
    // Only a results sheet records anything.
    if (raw.result.size === 0) return;
    const { key, line } = row;
    const channel = JSON.stringify([row.account, row.profile, row.platform]);
    for (const field of FIELDS) {
      const recorded = raw.result.get(`reelay_${field}`)?.text.trim() ?? '';
      const now = row[field]?.trim() ?? '';
      if (recorded === '') continue;
      if (field === 'title') this.#renumbered.take(recorded, now);
      if (now === '') continue;
      const isChanged = now !== recorded;
      if (field === 'source') this.#note(field, key, channel + recorded);
      else if (isChanged) this.#note(field, key, recorded);
      if (!isChanged) continue;
      const at = raw.slots.get(field)?.at ?? { line, column: field, file: raw.file };
      this.#changed[field].push({ key, channel, recorded, now, at });
    }
  }

  finish(problems: ProblemList): void {
    for (const field of FIELDS) {
      const shifted = this.#changed[field].filter(({ key, channel, recorded, now }) => {
        const keys = this.#recorded[field].get(field === 'source' ? channel + now : now);
        if (keys === undefined || (keys.size === 1 && keys.has(key))) return false;
        return field === 'source' || !this.#renumbered.has(recorded);
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

/**
 * Titles of which one number is further by a step, and whose new title, if another row had it, is further by the same
 * step: whatever only moves titles among rows doesn't do that.
 */
class RenumberedTitles {
  /** By recorded title: what it is now; null: it isn't the same in all rows, or differs in more than one number. */
  readonly #changes = new Map<string, { now: string; step: number } | null>();
  readonly #known = new Map<string, boolean>();

  take(recorded: string, now: string): void {
    const step = stepOf(recorded, now);
    const before = this.#changes.get(recorded);
    const isSame = before === undefined || before?.now === now;
    this.#changes.set(recorded, step === null || !isSame ? null : { now, step });
  }

  /** Asked once all are taken. */
  has(recorded: string): boolean {
    const chain: string[] = [];
    let isRenumbered: boolean | undefined;
    // With one step throughout, no title comes again.
    for (let title = recorded, step: number | undefined; isRenumbered === undefined;) {
      const change = this.#changes.get(title);
      const known = this.#known.get(title);
      if (change === undefined) isRenumbered = true;
      else if (change === null || change.step !== (step ?? change.step)) isRenumbered = false;
      else if (known !== undefined) isRenumbered = known;
      else {
        chain.push(title);
        ({ now: title, step } = change);
      }
    }
    for (const title of chain) this.#known.set(title, isRenumbered);
    return isRenumbered;
  }
}

/** How much further the one number is in which two texts differ; null: they don't, or differ in more. */
function stepOf(before: string, after: string): number | null {
  const [parts, others] = [before.split(/(\d+)/), after.split(/(\d+)/)];
  if (parts.length !== others.length) return null;
  const steps = parts.flatMap((part, at) => (part === others[at] ? [] : [Number(others[at]) - Number(part)]));
  const [step = 0] = steps;
  return steps.length !== 1 || step === 0 || Number.isNaN(step) ? null : step;
}
