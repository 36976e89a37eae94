import { Temporal } from '@js-temporal/polyfill';
import { type Expanded, datePlaceholder, expandPlaceholders, isTemplateFault, type Placeholder } from './placeholders';
import { type ProblemList } from '../problems/problems';
import { type Cell, type RawRow, setOwn } from '../raw-row';
import { showValue } from '../text';
import { type ManifestSettings, type ReadOptions } from '../types';

/** Slots that may have placeholders. */
const SLOTS: readonly string[] = ['source', 'key', 'title', 'title.short', 'title.long'];

/**
 * `template: true`: placeholders in `source`, `key` and `title` are filled in from the nominal local date. Rows and
 * defaults are filled in before they are checked, so that what is checked is what is sent.
 */
export class Template {
  readonly #on: boolean;
  readonly #everyRun: boolean;
  readonly #values: Readonly<Record<string, Placeholder>>;
  readonly #problems: ProblemList;

  constructor(settings: ManifestSettings, options: Pick<ReadOptions, 'now' | 'nominal'>, problems: ProblemList) {
    this.#on = settings.template === true;
    this.#everyRun = settings.repeat === 'every-run';
    this.#problems = problems;
    const zone = options.nominal?.zone ?? settings.schedule?.timezone ?? settings.timezone;
    if (this.#on && zone === undefined) {
      const message = 'template: the date of a placeholder depends on the zone, and the manifest has no timezone.';
      problems.add({ code: 'time-zone-missing', at: { line: null, column: 'timezone' }, message });
    }
    if (this.#everyRun && !this.#on) {
      const message = 'repeat: every-run needs template: true, and a key with a placeholder.';
      problems.add({ code: 'bad-setting', at: { line: null, column: 'repeat' }, message });
    }
    const at = Temporal.Instant.fromEpochMilliseconds(options.nominal?.at ?? options.now);
    this.#values = { date: datePlaceholder(at.toZonedDateTimeISO(zone ?? 'UTC').toPlainDateTime()) };
  }

  /** Defaults with their placeholders filled in. */
  expandDefaults(slots: ReadonlyMap<string, Cell>): ReadonlyMap<string, Cell> {
    const expanded = new Map(slots);
    for (const slot of SLOTS) {
      const cell = slots.get(slot);
      const made = cell === undefined ? undefined : this.#expand(cell);
      if (cell !== undefined && made) expanded.set(slot, { ...cell, text: made.text });
    }
    return expanded;
  }

  /** Fills in a row's placeholders, in its own columns too, so that a results file shows the filled-in values. */
  expandRow(raw: RawRow): void {
    const dated = new Map<string, boolean>();
    for (const slot of SLOTS) {
      const cell = raw.slots.get(slot);
      if (cell === undefined) continue;
      if (cell.literal === true) {
        dated.set(slot, false);
        continue;
      }
      const made = this.#expand(cell);
      if (made === null) raw.refused = true;
      if (!made) continue;
      dated.set(slot, made.used.size > 0);
      if (made.text === cell.text) continue;
      raw.slots.set(slot, { ...cell, text: made.text });
      if (cell.at.column !== null && Object.hasOwn(raw.cells, cell.at.column))
        setOwn(raw.cells, cell.at.column, made.text);
    }
    if (this.#on && !raw.refused) this.#checkKey(raw, dated);
  }

  #checkKey(raw: RawRow, dated: ReadonlyMap<string, boolean>): void {
    const key = dated.get('key');
    const source = dated.get('source');
    const at = raw.slots.get('key')?.at ?? { line: raw.line, column: 'key', file: raw.file };
    const refuse = (message: string, hint: string): void => {
      raw.refused = true;
      this.#problems.add({ code: 'template-key', at, message, hint });
    };
    // A recorded key identifies a row of a particular day.
    if (raw.result.has('reelay_key')) return;
    if (this.#everyRun) {
      if (key !== true)
        refuse(
          'repeat: every-run publishes the row each time: it needs a key that changes each time.',
          'Give it a key with a placeholder, such as "jingle-{date:yyyy-MM-dd}".',
        );
    } else if (key === true && source === false) {
      refuse(
        'The key changes with the date but the source doesn’t: the same video would be published each time.',
        'Put the date into the source too; or repeat: every-run above, if that is meant.',
      );
    } else if (key === false && source === true) {
      refuse(
        'The source changes with the date but the key doesn’t: the next video would have the key of this one.',
        'Put the date into the key too, or leave the key out.',
      );
    }
  }

  /** Undefined if there is nothing to do; null after an error. */
  #expand(cell: Cell): Expanded | undefined | null {
    if (!this.#on) {
      if (cell.text.includes('{date')) this.#tellOff(cell);
      return undefined;
    }
    const made = expandPlaceholders(cell.text, this.#values);
    if (!isTemplateFault(made)) return made;
    const message = `Its character ${made.character}: ${made.message}.`;
    const shared = cell.level !== 'row';
    this.#problems.add({ code: 'template-placeholder', at: cell.at, value: cell.text, message, shared });
    return null;
  }

  #tellOff(cell: Cell): void {
    const message = `“${showValue(cell.text)}” looks like a template, but the manifest doesn’t say template: true; it is taken literally.`;
    this.#problems.add({ code: 'template-off', at: cell.at, value: cell.text, message, shared: cell.level !== 'row' });
  }
}
