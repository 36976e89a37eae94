import { type FoundExport } from './fields/export-formats';
import { type Place } from './problems/problems';

/** Where a value was written; each wins over those after it. */
export type ValueLevel = 'row' | 'flag' | 'manifest' | 'account' | 'config';

/** A value as written, before it is understood. */
export interface Cell {
  readonly text: string;
  /** Set where a list was written (platforms of a YAML item). */
  readonly list?: readonly string[];
  readonly at: Place;
  readonly level: ValueLevel;
  /** A file's own name: never read as a template. */
  readonly literal?: true;
}

/** A row as written: its cells by slot (`title`, `title.short`, …) and as the user's own text. */
export interface RawRow {
  line: number;
  /** The file it stands in, where that isn't the manifest itself. */
  file: string | null;
  slots: Map<string, Cell>;
  /** The manifest's own columns, as written. */
  cells: Record<string, string>;
  /** What a result file says about the row's identity, by column (`reelay_key`, …). */
  result: Map<string, Cell>;
  /** Fields that some column is most likely meant for under a wrong name: that they are missing is no second mistake. */
  suspected: ReadonlySet<string>;
  /** True where the row's shape is broken: nothing in it can be trusted. */
  faulty: boolean;
  /** True where a value was refused already: the rest is still checked, but the row isn't used. */
  refused: boolean;
}

/** What a reader of one format hands on. All but `format` is complete only once the rows were read. */
export interface RawTable {
  /** The manifest's own headers in order. */
  readonly columns: readonly string[];
  /** Slots that have a column. */
  readonly slots: ReadonlySet<string>;
  /** Where the header stands. */
  readonly header: Place;
  readonly format: 'csv' | 'yaml';
  /** As of the rows, where all have the same columns. */
  readonly suspected: ReadonlySet<string>;
  /** Set where it is another tool's file whose columns nothing maps: its rows aren't read. */
  readonly exportFormat?: FoundExport;
  /** The rows, made as they are asked for, once: a hundred thousand of them aren't held in this form. */
  rows(): Iterable<RawRow>;
}

/** Sets a user's own column. Headers can be any text: also `__proto__` is one. */
export function setOwn(cells: Record<string, string>, name: string, text: string): void {
  if (name === '__proto__')
    Object.defineProperty(cells, name, { value: text, enumerable: true, configurable: true, writable: true });
  else cells[name] = text;
}
