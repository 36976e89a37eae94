import { guardFormula } from '../../wording/formula';
import { sourceFolder } from '../../ledger/model/source';
import { csvLines } from './csv-lines';
import { CSV_PREFIX } from '../record-fields';

/** A row of the manifest that was left out, as written, and all that is wrong with it. */
export interface RejectedRecord {
  line: number;
  cells: Readonly<Record<string, string>>;
  code: string;
  message: string;
}

/**
 * Rows that were left out, as CSV text with a byte order mark: the manifest's own columns, then their campaign, the
 * folder where their relative sources start (that of the manifest at `path`, unless a row has its own), and `line`, `code` and
 * `message` of its errors. Of our columns only campaign, folder and line are read from a corrected copy.
 */
export async function* rejectedReport(
  rows: readonly RejectedRecord[],
  options: { columns: readonly string[]; campaign: string; path: string; delimiter?: string },
): AsyncGenerator<string> {
  const own = options.columns;
  const lines = (records: readonly (readonly string[])[]): string => csvLines(records, options.delimiter);
  const ours = ['campaign', 'folder', 'line', 'code', 'message'].map((name) => CSV_PREFIX + name);
  yield `\ufeff${lines([[...own, ...ours].map(guardFormula)])}`;
  for (let from = 0; from < rows.length; from += 500) {
    yield lines(
      rows
        .slice(from, from + 500)
        .map(({ line, cells, code, message }) =>
          [
            ...own.map((column) => cells[column] ?? ''),
            options.campaign,
            sourceFolder(cells, options.path) ?? '',
            String(line),
            code,
            message,
          ].map(guardFormula),
        ),
    );
  }
}
