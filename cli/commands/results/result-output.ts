import { rowPlace } from '../../../wording/row-place';
import { type Ledger } from '../../../ledger/ledger';
import { type ResultFilter } from '../../../ledger/queries/result-record';
import { type RowState } from '../../../ledger/model/states';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type CsvOptions } from '../../../report/csv/csv-report';
import { locateTemporal } from '../../stack/engine';
import { UsageError } from '../../errors/errors';
import { type Format, type Output } from '../../terminal/output';
import { type Settings } from '../../config/settings';
import { livenessOf } from '../../summary/run-liveness';
import { buildSummary, type Summary } from '../../summary/summary';
import { type TableColumn, tsvHeader, tsvLine } from '../../terminal/table';
import { type FoundView } from '../../shared/resolve-run';
import { webUiRun } from '../../stack/web-ui';

export interface ChosenResults {
  ledger: Ledger;
  found: readonly FoundView[];
  filter: ResultFilter;
  settings: Settings;
  /** One run was requested by name. */
  single: boolean;
  /** The zone in which people read times. */
  zone: string;
  /** The HTML report is for a client. */
  forClient: boolean;
}

/** Across several campaigns, each row shows its run. */
const RUN: TableColumn<ResultRecord> = { title: 'RUN', value: (row) => row.run ?? row.campaign, shrink: true };

/** A narrower terminal has room only for the columns that identify a row and show its result. */
const NARROW = 60;

function columnsOf(chosen: ChosenResults, output: Output | null = null): readonly TableColumn<ResultRecord>[] {
  const columns = [...COLUMNS, resultColumn(output)];
  return chosen.single ? columns : [RUN, ...columns];
}

const COLUMNS: readonly TableColumn<ResultRecord>[] = [
  { title: 'ROW', value: rowPlace, align: 'right' },
  { title: 'STATE', value: (row) => row.state },
  { title: 'CHANNEL', value: (row) => row.channel, shrink: true, from: NARROW },
  { title: 'KEY', value: (row) => row.key, shrink: true },
  { title: 'TITLE', value: (row) => row.title, shrink: true, from: NARROW },
];

/** A row's address, what is wrong with it, or when it is sent and what it waits for. */
function resultColumn(output: Output | null): TableColumn<ResultRecord> {
  return {
    title: 'RESULT',
    value: (row) => row.video_url ?? reasonOf(row, output) ?? waitOf(row, output),
    shrink: true,
  };
}

function reasonOf({ code, message, publication_id, publish_id }: ResultRecord, output: Output | null): string | null {
  if (code === null) return publication_id ?? publish_id;
  const why = message ?? '';
  return `${code}: ${output === null ? why : output.local(why)}`;
}

function waitOf({ state, publish_at: at }: ResultRecord, output: Output | null): string | null {
  if (state !== 'planned' && state !== 'waiting') return null;
  if (at === null || Date.parse(at) <= Date.now()) return 'not sent yet';
  return `planned for ${output === null ? at : output.time(at)}`;
}

/** Up to this many rows are aligned together; beyond that a page at a time, so that memory use stays constant. */
const PAGE = 1_000;

/** Results for a person: aligned on a terminal, tab-separated in a pipe. */
export async function showResults(output: Output, chosen: ChosenResults): Promise<void> {
  if (output.wide === null) {
    for await (const piece of textPieces(chosen)) {
      if (output.closed) break;
      await output.data(piece);
    }
    return;
  }
  let page: ResultRecord[] = [];
  let shown = 0;
  for await (const row of rowsOf(chosen)) {
    page.push(row);
    if (page.length === PAGE) {
      await output.table(page, columnsOf(chosen, output));
      shown += page.length;
      page = [];
    }
  }
  if (page.length > 0) await output.table(page, columnsOf(chosen, output));
  if (shown + page.length === 0) output.note('No rows.');
}

/** Whether the selection contains no row. */
export async function isEmpty(chosen: ChosenResults): Promise<boolean> {
  const first = await rowsOf(chosen).next();
  return first.done === true;
}

/** How results are written as CSV: a file begins with a byte order mark, so that spreadsheets read its letters correctly. */
export type Sheet = Pick<CsvOptions, 'bom' | 'delimiter'>;

/** Results as the pieces of one text, in any format. */
export function resultPieces(
  format: Exclude<Format, 'xlsx'>,
  chosen: ChosenResults,
  sheet: Sheet,
): AsyncIterable<string> {
  switch (format) {
    case 'text':
      return textPieces(chosen);
    case 'csv':
      return csvPieces(chosen, sheet);
    case 'json':
      return jsonPieces(chosen);
    case 'jsonl':
      return jsonLinesPieces(chosen);
    case 'ics':
    case 'html':
      return htmlPieces(chosen);
  }
}

async function* rowsOf({ ledger, found, filter }: ChosenResults): AsyncGenerator<ResultRecord> {
  for (const { view } of found) yield* ledger.results(view, filter);
}

async function* textPieces(chosen: ChosenResults): AsyncGenerator<string> {
  const columns = columnsOf(chosen);
  yield `${tsvHeader(columns)}\n`;
  for await (const row of rowsOf(chosen)) yield `${tsvLine(row, columns)}\n`;
}

async function* csvPieces(chosen: ChosenResults, sheet: Sheet): AsyncGenerator<string> {
  const { csvReport } = await import('../../../report/csv/csv-report.js');
  yield* csvReport(rowsOf(chosen), { columns: await ownColumns(chosen), ...sheet });
}

async function ownColumns({ ledger, found, filter }: ChosenResults): Promise<string[]> {
  const columns = new Set<string>();
  for (const { view } of found) for (const column of await ledger.columns(view, filter)) columns.add(column);
  return [...columns];
}

const CORRECTABLE: readonly RowState[] = ['failed', 'rejected'];

/** Results as an Excel workbook: all selected rows, and those of them that can be corrected. */
export async function* workbookOf(chosen: ChosenResults): AsyncGenerator<Uint8Array> {
  const { xlsxReport } = await import('../../../report/xlsx/xlsx-report.js');
  const { filter } = chosen;
  const states = CORRECTABLE.filter((state) => filter.states?.includes(state) ?? true);
  const wrong = { ...chosen, filter: { ...filter, states } };
  const toCorrect = states.length === 0 || (await isEmpty(wrong)) ? null : () => rowsOf(wrong);
  yield* xlsxReport({ all: () => rowsOf(chosen), toCorrect }, { columns: await ownColumns(chosen), zone: chosen.zone });
}

async function* jsonPieces(chosen: ChosenResults): AsyncGenerator<string> {
  const { jsonReport } = await import('../../../report/json-report.js');
  const summary = await summaryOf(chosen);
  yield* jsonReport(rowsOf(chosen), summary?.run ?? null, summary?.left_out ?? null);
}

async function* jsonLinesPieces(chosen: ChosenResults): AsyncGenerator<string> {
  const { jsonLinesReport } = await import('../../../report/json-report.js');
  yield* jsonLinesReport(rowsOf(chosen));
  const summary = await summaryOf(chosen);
  if (summary) yield `${JSON.stringify(summary)}\n`;
}

async function* htmlPieces(chosen: ChosenResults): AsyncGenerator<string> {
  const [{ htmlReport }, { htmlInput }] = await Promise.all([
    import('../../../report/html/html-report.js'),
    import('../../result-files/result-files.js'),
  ]);
  const summary = await summaryOf(chosen);
  if (!summary) throw new UsageError('an HTML report covers one run', 'Name the run, or use another format.');
  yield* htmlReport({
    ...htmlInput(summary, { sandbox: chosen.settings.sandbox, zone: chosen.zone }),
    forClient: chosen.forClient,
    rows: () => rowsOf(chosen),
  });
}

async function summaryOf({ ledger, found, single, settings }: ChosenResults): Promise<Summary | null> {
  const [first] = found;
  if (!single || !first) return null;
  const { info, view } = first;
  const place = await locateTemporal(settings);
  const webUi = webUiRun(place.webUi, place.namespace, info.workflowId, info.workflowRunId);
  const liveness = await livenessOf(settings, ledger, info);
  const { sandbox, home } = settings;
  return buildSummary({ ledger, info, view, attached: true, webUi, sandbox, home, liveness });
}
