import { type ResultRecord } from '../../ledger/model/result-types';
import { guardFormula } from '../../wording/formula';
import { csvLines } from './csv-lines';
import { CSV_FIELDS, CSV_PREFIX } from '../record-fields';

export interface CsvOptions {
  /** The manifest's own headers, in order. */
  columns: readonly string[];
  /** A UTF-8 mark at the start: spreadsheets then take the file for what it is. Default: no. */
  bom?: boolean;
  /** Default: a comma. */
  delimiter?: string;
}

/**
 * Results as CSV text, a piece at a time (header first): the manifest's own columns, then ours. Submitting a mended
 * copy again touches exactly the rows in it, as `reelay_key` and `reelay_campaign` say which rows they are.
 */
export async function* csvReport(rows: AsyncIterable<ResultRecord>, options: CsvOptions): AsyncGenerator<string> {
  const own = options.columns;
  const lines = (records: readonly (readonly string[])[]): string => csvLines(records, options.delimiter);
  yield (options.bom ? '\ufeff' : '') + lines([reportHeader(own).map(guardFormula)]);
  let batch: string[][] = [];
  for await (const row of rows) {
    batch.push(recordCells(row, own).map(guardFormula));
    if (batch.length === 500) {
      yield lines(batch);
      batch = [];
    }
  }
  if (batch.length > 0) yield lines(batch);
}

/** The manifest's own headers, then ours. */
export function reportHeader(own: readonly string[]): string[] {
  return [...own, ...CSV_FIELDS.map((field) => CSV_PREFIX + field)];
}

/** The cells of a record, as text, in the order of `reportHeader`. */
export function recordCells(row: ResultRecord, own: readonly string[]): string[] {
  return [...own.map((column) => ownCell(row, column)), ...CSV_FIELDS.map((field) => text(row[field]))];
}

/**
 * The user's cell as it was. Only a cell that names several platforms is narrowed to the record's own: each of its
 * records has a line of its own here, and the copy must not ask for every platform on every line.
 */
function ownCell(row: ResultRecord, column: string): string {
  const cell = row.cells[column] ?? '';
  return column.trim().toLowerCase() === 'platform' && /[|,;]/.test(cell) ? row.platform : cell;
}

function text(value: string | number | readonly string[] | null): string {
  if (value === null) return '';
  return typeof value === 'object' ? value.join(' ') : String(value);
}
