import { type FoundExport } from './fields/export-formats';
import { type Place } from './problems/problems';

/** Where a value was written; each source overrides those after it. */
export type ValueLevel = 'row' | 'flag' | 'manifest' | 'account' | 'config';

/** A value as written, before it is parsed. */
export interface Cell {
  readonly text: string;
  /** Set where a list was written (platforms of a YAML item). */
  readonly list?: readonly string[];
  readonly at: Place;
  readonly level: ValueLevel;
  /** A file's own name: never treated as a template. */
  readonly literal?: true;
}

/** A row as written: its cells by slot (`title`, `title.short`, …) and as the user's own text. */
export interface RawRow {
  line: number;
  /** The file it is in, if that isn't the manifest itself. */
  file: string | null;
  slots: Map<string, Cell>;
  /** The manifest's own columns, as written, and `reelay_folder` if the row has one. */
  cells: Record<string, string>;
  /** The row's identity and folder according to a result file, by column (`reelay_key`, …). */
  result: Map<string, Cell>;
  /** Fields that a column with a wrong name most likely means: that they are missing is not a second mistake. */
  suspected: ReadonlySet<string>;
  /** True if the row's shape is broken: nothing in it can be trusted. */
  faulty: boolean;
  /** True if a value was already refused: the rest is still checked, but the row isn't used. */
  refused: boolean;
}

/** The result of reading one format. Everything but `format` is complete only once the rows were read. */
export interface RawTable {
  /** The manifest's own headers in order. */
  readonly columns: readonly string[];
  /** Slots that have a column. */
  readonly slots: ReadonlySet<string>;
  /** Where the header is. */
  readonly header: Place;
  readonly format: 'csv' | 'yaml';
  /** As of the rows, where all have the same columns. */
  readonly suspected: ReadonlySet<string>;
  /** A sheet's columns that aren't read, and that no mapping says to ignore. */
  readonly kept?: readonly string[];
  /** Set if it is another tool's file whose columns aren't mapped: its rows aren't read. */
  readonly exportFormat?: FoundExport;
  /** The rows, produced on demand, once: a hundred thousand of them aren't in memory in this form. */
  rows(): Iterable<RawRow>;
}

/** Sets a user's own column. Headers can be any text, including `__proto__`. */
export function setOwn(cells: Record<string, string>, name: string, text: string): void {
  if (name === '__proto__')
    Object.defineProperty(cells, name, { value: text, enumerable: true, configurable: true, writable: true });
  else cells[name] = text;
}
