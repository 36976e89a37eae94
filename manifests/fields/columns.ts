import { classifyColumn, nearest, slotNamed, type ColumnMeaning } from './classify-column';
import { findExport, type FoundExport, lackingText } from './export-formats';
import { foldName } from './fields';
import { type ProblemList, type Place } from '../problems/problems';
import { showValue } from '../text';
import { shellWord } from '../../wording/shell';
import { type PlatformConfig } from '../types';

/** The folder where a row's relative source starts, in a sheet that reelay wrote into another folder. */
export const FOLDER_COLUMN = 'reelay_folder';
/** In a sheet of left-out rows: the line that a row has in its manifest. A row that was added to the sheet has none. */
export const LINE_COLUMN = 'reelay_line';

/** Columns of a result file that are read; all its other columns are ours and ignored. */
const RESULT_COLUMNS: ReadonlySet<string> = new Set([
  'reelay_key',
  'reelay_campaign',
  'reelay_account',
  'reelay_profile_id',
  'reelay_platform',
  'reelay_state',
  'reelay_title',
  'reelay_source',
  'reelay_version',
  FOLDER_COLUMN,
  LINE_COLUMN,
]);

/** Fields whose values are checked even under a wrong name. A “date” or a “channel” may be anything. */
const CHECKED_UNDER_WRONG_NAMES: ReadonlySet<string> = new Set([
  'source',
  'title',
  'description',
  'privacy',
  'platform',
]);

/** Why a name is taken for a field's, where it is no slip of one. */
const EXACT: ReadonlySet<string> = new Set(['synonym', 'translation']);

/** What the readers do with a column. */
export type ColumnUse = (
  | {
      use: 'slot';
      slot: string;
      guessed?: true;
      /** Further slots that get the same value. */
      also?: readonly string[];
    }
  | { use: 'result'; name: string }
  | { use: 'keep' }
  | { use: 'drop' }
) & {
  /** The field that a column with a wrong name is most likely meant for. */
  possiblySent?: string;
};

export interface ColumnsInput {
  platforms: readonly PlatformConfig[];
  problems: ProblemList;
  /** The form of the manifest: a CSV uses flags for settings that a YAML has at its top. */
  settings: 'csv' | 'yaml';
  /** Header → field or `ignore`, from all sources. */
  mapping?: Readonly<Record<string, string>>;
  /** The manifest's own part of the mapping, whose headers must exist, and its place. */
  required?: { headers: readonly string[]; at: Place };
}

/** Decides once for each header (or YAML key) what it means, and reports each mistake once. */
export class Columns {
  readonly #input: ColumnsInput;
  readonly #mapping = new Map<string, string>();
  readonly #also = new Map<string, readonly string[]>();
  readonly #uses = new Map<string, ColumnUse>();
  readonly #seen = new Set<string>();
  readonly #kept: string[] = [];
  /** Of the first of them. */
  #keptAt: Place | undefined;
  readonly #suspected = new Set<string>();

  constructor(input: ColumnsInput) {
    this.#input = input;
    for (const [header, target] of Object.entries(input.mapping ?? {})) this.#map(header, target);
  }

  /** Fields that a column with a wrong name is most likely meant for; grows as columns are seen. */
  get suspected(): ReadonlySet<string> {
    return this.#suspected;
  }

  /** Columns that aren't read, and that no mapping says to ignore. */
  get kept(): readonly string[] {
    return this.#kept;
  }

  /**
   * The columns are named by their numbers (`--column 1=publish_at`), as in a file without a header: `first` is a row
   * of it and not a header with these numbers.
   */
  numbered(first: readonly string[]): boolean {
    const names = [...this.#mapping.keys()];
    if (names.length === 0 || !names.every((name) => /^[1-9]\d*$/.test(name))) return false;
    return !first.some((cell) => this.#mapping.has(foldName(cell)));
  }

  /** How many of these cells name a field, as the header of a table does. */
  namesIn(cells: readonly string[]): number {
    const names = new Set(cells.map(foldName).filter((name) => name !== ''));
    return [...names].filter((name) => {
      const meaning = classifyColumn(name, { platforms: this.#input.platforms, mapping: this.#mapping });
      return meaning.kind !== 'own' && (meaning.kind !== 'mistaken' || EXACT.has(meaning.reason));
    }).length;
  }

  /** The tool whose file this is, according to its first record, unless its columns are mapped. */
  exportOf(first: readonly string[]): FoundExport | null {
    return findExport(first, this.#mapping);
  }

  /** How another tool’s file can be read: with which mapping of its columns, written where the manifest’s settings are. */
  exportHint({ columns, note, lacks }: FoundExport): string {
    const mapping =
      this.#input.settings === 'csv'
        ? columns.map(([header, field]) => this.#mapped(header, field)).join(' ')
        : `columns: {${columns.map(([header, field]) => yamlPair(header, field)).join(', ')}}`;
    return [`Read it with ${mapping}.`, note, lackingText(lacks, this.#input.settings)].filter(Boolean).join(' ');
  }

  /** What to do with a column; reports only its first use. `beside`: the names of all columns there. */
  use(header: string, at: Place, beside: () => readonly string[] = () => []): ColumnUse {
    const known = this.#uses.get(header);
    if (known !== undefined) return known;
    this.#seen.add(foldName(header));
    const meaning = classifyColumn(header, { platforms: this.#input.platforms, mapping: this.#mapping });
    const use = this.#judge(header, meaning, at, beside);
    this.#uses.set(header, use);
    return use;
  }

  /** Reports what is known only after all columns were seen. */
  finish(): void {
    const { problems, required } = this.#input;
    if (this.#keptAt !== undefined) {
      const names = this.#kept.map((name) => `“${showValue(name, 40)}”`);
      const list =
        names.length > 12 ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more` : names.join(', ');
      const at = { ...this.#keptAt, column: null };
      problems.add({ code: 'columns-kept', at, message: `Kept for the results, not sent: ${list}.` });
    }
    for (const header of required?.headers ?? []) {
      if (this.#seen.has(foldName(header)) || this.#mapping.get(foldName(header)) === 'ignore') continue;
      const near = nearest(foldName(header), this.#seen);
      problems.add({
        code: 'columns-setting',
        at: required?.at ?? { line: null, column: 'columns' },
        value: header,
        message: `columns maps “${showValue(header)}”, but there is no such column${near === undefined ? '' : `; there is “${showValue(near)}”`}.`,
      });
    }
  }

  /** So that one mistake is reported once, and the values below are checked in the same round. */
  #suspect(suggestion: string): ColumnUse {
    const slot = slotNamed(suggestion, this.#input.platforms);
    if (slot === undefined) return { use: 'keep' };
    const [field = slot] = slot.split('.');
    this.#suspected.add(field);
    return CHECKED_UNDER_WRONG_NAMES.has(field)
      ? { use: 'slot', slot, guessed: true, possiblySent: field }
      : { use: 'keep', possiblySent: field };
  }

  #map(header: string, target: string): void {
    const slots = target.split('+').map((one) => slotNamed(one, this.#input.platforms));
    const slot = foldName(target) === 'ignore' ? 'ignore' : slots[0];
    if (slot !== undefined && (slot === 'ignore' || !slots.includes(undefined))) {
      this.#mapping.set(foldName(header), slot);
      this.#also.set(
        foldName(header),
        slots.slice(1).filter((one) => one !== undefined),
      );
      return;
    }
    this.#input.problems.add({
      code: 'columns-setting',
      at: this.#input.required?.at ?? { line: null, column: 'columns' },
      value: target,
      message: `columns maps “${showValue(header)}” to “${showValue(target)}”, which is neither a field nor ignore.`,
    });
    this.#mapping.set(foldName(header), 'ignore');
  }

  /** A CSV has no place for settings. */
  #mapped(header: string, target: string): string {
    return this.#input.settings === 'yaml'
      ? `columns: {${yamlPair(header, target)}}`
      : `--column ${shellWord(`${showValue(header)}=${target}`)}`;
  }

  #renaming(header: string, suggestion: string): string {
    const kept = this.#input.settings === 'yaml' ? '' : ' (columns: in the configuration saves the mapping)';
    // “title.short or title.long”: each of them is one.
    const choices = suggestion.split(' or ').filter((one) => slotNamed(one, this.#input.platforms) !== undefined);
    const mapped = choices.map((one) => this.#mapped(header, one)).join(' or ');
    const mapping = mapped === '' ? '' : `, map it with ${mapped}`;
    return `Rename it to ${suggestion}${mapping}, or keep it as your own with ${this.#mapped(header, 'ignore')}${kept}.`;
  }

  /** For a column whose likely field has a column already. */
  #elsewhere(header: string, suggestion: string, taken: ReadonlySet<string>): string {
    const texts = ['title', 'description'];
    const free = texts.includes(suggestion) ? texts.find((slot) => !taken.has(slot)) : undefined;
    const own = `Keep it as your own with ${this.#mapped(header, 'ignore')}`;
    return free === undefined
      ? `${own}.`
      : `${own}, or map it to another field, such as ${this.#mapped(header, free)}.`;
  }

  /** The fields that have a column with their own name, or a mapped one. */
  #slotsOf(headers: readonly string[]): ReadonlySet<string> {
    const meanings = headers.map((name) =>
      classifyColumn(name, { platforms: this.#input.platforms, mapping: this.#mapping }),
    );
    return new Set(meanings.flatMap((meaning) => (meaning.kind === 'field' ? [meaning.slot] : [])));
  }

  #slotUse(header: string, slot: string): ColumnUse {
    const also = this.#also.get(foldName(header)) ?? [];
    return also.length === 0 ? { use: 'slot', slot } : { use: 'slot', slot, also };
  }

  #keep(header: string, at: Place): ColumnUse {
    this.#keptAt ??= at;
    this.#kept.push(header);
    return { use: 'keep' };
  }

  #judge(header: string, meaning: ColumnMeaning, at: Place, beside: () => readonly string[]): ColumnUse {
    const { problems } = this.#input;
    switch (meaning.kind) {
      case 'field':
        return this.#slotUse(header, meaning.slot);
      case 'result':
        return RESULT_COLUMNS.has(meaning.name) ? { use: 'result', name: meaning.name } : { use: 'drop' };
      case 'ignored':
        return { use: 'keep' };
      case 'own':
        return this.#keep(header, at);
      case 'not-offered':
        problems.add({
          code: 'column-not-offered',
          at,
          value: header,
          message: `The service has no field for “${showValue(header)}”: it is kept for the results and not sent.`,
        });
        return { use: 'keep' };
      case 'mistaken': {
        // A suggestion ends like the header: the text after a dot is the sheet's own.
        const suggestion = showValue(meaning.suggestion);
        const taken = this.#slotsOf(beside());
        // The same in a language of one's own, for the team: the field has what is sent.
        if (meaning.reason === 'translation' && hasField(taken, meaning.suggestion)) return this.#keep(header, at);
        if (taken.has(meaning.suggestion)) {
          const message = `“${showValue(header)}” isn’t a field’s name here, and there is a column for “${suggestion}” already.`;
          const hint = this.#elsewhere(header, meaning.suggestion, taken);
          problems.add({ code: 'column-unknown', at, value: header, message, hint });
          return this.#suspect(meaning.suggestion);
        }
        const message = {
          synonym: `“${showValue(header)}” isn’t a field’s name here; the field is “${suggestion}”.`,
          translation: `“${showValue(header)}” isn’t a field’s name here; the field is “${suggestion}”.`,
          near: `“${showValue(header)}” is not known. Did you mean “${suggestion}”?`,
          platform: `“${showValue(header)}” is not known; there is “${suggestion}”.`,
        }[meaning.reason];
        const hint = this.#renaming(header, suggestion);
        problems.add({ code: 'column-unknown', at, value: header, message, hint });
        return this.#suspect(meaning.suggestion);
      }
    }
  }
}

/** Whether a field has a column, for all platforms or for one. */
function hasField(slots: ReadonlySet<string>, slot: string): boolean {
  const [field = slot] = slot.split('.');
  return [slot, field, `${field}.short`, `${field}.long`].some((one) => slots.has(one));
}

function yamlPair(header: string, field: string): string {
  const name = showValue(header);
  return `${/^[A-Za-z][\w .-]*$/.test(name) ? name : JSON.stringify(name)}: ${field}`;
}
