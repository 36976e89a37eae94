import { type ResultRecord } from '../../ledger/model/result-types';
import { CORRECT_SHEET } from '../../wording/results-sheet';
import { localClockMs } from '../../wording/times';
import { recordCells, reportHeader } from '../csv/csv-report';
import { CSV_FIELDS } from '../record-fields';
import { type WorkbookCell } from './xlsx-sheet';
import { workbookPieces } from './xlsx-workbook';

const TIMES: readonly (typeof CSV_FIELDS)[number][] = ['publish_at', 'published_at', 'created_at', 'ended_at'];

/**
 * Results as an Excel workbook: a sheet of all rows, and one of those that failed or were rejected unless `toCorrect` is
 * null, both with the columns of `csvReport`. Our times are dates in the local time of `zone`; the user's own cells stay text.
 */
export function xlsxReport(
  rows: { all: () => AsyncIterable<ResultRecord>; toCorrect: (() => AsyncIterable<ResultRecord>) | null },
  { columns, zone }: { columns: readonly string[]; zone: string },
): AsyncGenerator<Uint8Array> {
  const header = reportHeader(columns);
  const cells = (records: AsyncIterable<ResultRecord>): AsyncIterable<readonly WorkbookCell[]> =>
    workbookCells(records, columns, zone);
  return workbookPieces([
    { name: 'Results', header, rows: cells(rows.all()) },
    ...(rows.toCorrect === null ? [] : [{ name: CORRECT_SHEET, header, rows: cells(rows.toCorrect()) }]),
  ]);
}

async function* workbookCells(
  records: AsyncIterable<ResultRecord>,
  columns: readonly string[],
  zone: string,
): AsyncGenerator<WorkbookCell[]> {
  for await (const record of records) {
    const cells: WorkbookCell[] = recordCells(record, columns);
    for (const field of TIMES) {
      const at = columns.length + CSV_FIELDS.indexOf(field);
      const ms = Date.parse(cells[at] as string);
      if (Number.isFinite(ms)) cells[at] = { localMs: localClockMs(ms, zone) };
    }
    yield cells;
  }
}
