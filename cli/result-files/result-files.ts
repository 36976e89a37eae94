import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunInfo } from '../../ledger/model/types';
import { placeFlags } from '../terminal/texts/command-text';
import { noteWritten, unedited } from '../shared/own-files';
import { manifestDelimiter } from './result-sheet';
import { leftOutLines } from '../summary/left-out';
import { type Summary } from '../summary/summary';
import { writePieces } from '../shared/write-pieces';

export interface ResultFiles {
  csv: string;
  html: string;
}

/**
 * Writes a run's results as CSV and as an HTML report into a folder. An edited file there is not replaced: the new one
 * is then written beside it, as `results-spring.3.csv`.
 */
export async function writeResultFiles(input: {
  ledger: ReadingLedger & RunningLedger;
  run: RunInfo;
  summary: Summary;
  /** Absolute. */
  folder: string;
  /** The home, which has the list of written files. */
  home: string;
  sandbox: boolean;
  /** The Web UI ends with the command that started it. */
  uiEnds: boolean;
  /** The zone in which people read times. */
  zone: string;
}): Promise<ResultFiles> {
  const { ledger, run, summary, folder, home } = input;
  const [{ csvReport }, { htmlReport }] = await Promise.all([
    import('../../report/csv/csv-report.js'),
    import('../../report/html/html-report.js'),
  ]);
  const place = (stem: string, ending: string) => unedited(home, folder, { stem, ending, run: summary.run.id });
  const files = { csv: await place('results', 'csv'), html: await place('report', 'html') };
  const sheet = { columns: await ledger.columns(run), delimiter: await manifestDelimiter(ledger, run.campaign) };
  await writePieces(files.csv, csvReport(ledger.results(run), { ...sheet, bom: true }));
  await writePieces(files.html, htmlReport({ ...htmlInput(summary, input), rows: () => ledger.results(run) }));
  for (const path of Object.values(files)) await noteWritten(home, path);
  return files;
}

/** What the HTML report shows of a summary. */
export function htmlInput(
  summary: Summary,
  { sandbox, zone, uiEnds = false }: { sandbox: boolean; zone: string; uiEnds?: boolean },
): {
  run: string;
  campaign: string;
  total: number;
  counts: Summary['counts'];
  succeeded: number;
  startedAt: string;
  finishedAt: string | null;
  webUi: string | null;
  webUiAgain: readonly string[];
  sandbox: boolean;
  placeFlags: string;
  next: Summary['next_steps'];
  leftOut: readonly string[];
  leftOutTotal: number;
  settle: Summary['needs_person']['rows'];
  madeAt: string;
  zone: string;
} {
  const flag = placeFlags(sandbox);
  return {
    run: summary.run.id,
    campaign: summary.run.campaign,
    total: summary.total,
    counts: summary.counts,
    succeeded: summary.succeeded,
    startedAt: summary.started_at,
    finishedAt: summary.finished_at,
    webUi: summary.run.web_ui,
    webUiAgain: uiEnds ? [`reelay up${flag}`, `reelay open ${summary.run.id}${flag}`] : [],
    sandbox,
    placeFlags: flag,
    next: summary.next_steps,
    leftOut: leftOutLines(summary.left_out.files),
    leftOutTotal: summary.left_out.total,
    settle: summary.needs_person.rows,
    madeAt: new Date().toISOString(),
    zone,
  };
}
