import { type ResultRecord } from '../../ledger/model/result-types';
import { guardFormula } from '../../wording/formula';
import { csvLines } from './csv-lines';
import { CSV_FIELDS, CSV_PREFIX } from '../record-fields';

export interface CsvOptions {
  /** The manifest's own headers, in order. */
  columns: readonly string[];
  /** A UTF-8 byte order mark at the start, by which spreadsheets recognise the encoding. Default: no. */
  bom?: boolean;
  /** Default: a comma. */
  delimiter?: string;
}

/**
 * Results as CSV text, a piece at a time (header first): the manifest's own columns, then ours. Submitting a corrected
 * copy affects exactly the rows in it, since `reelay_key` and `reelay_campaign` identify them.
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
 * The user's cell unchanged. Only a cell with several platforms is narrowed to the record's own: each of its records
 * has its own line here, and the copy must not request every platform on every line.
 */
function ownCell(row: ResultRecord, column: string): string {
  const cell = row.cells[column] ?? '';
  return column.trim().toLowerCase() === 'platform' && /[|,;]/.test(cell) ? row.platform : cell;
}

function text(value: string | number | readonly string[] | null): string {
  if (value === null) return '';
  return typeof value === 'object' ? value.join(' ') : String(value);
}
