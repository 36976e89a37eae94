import { join } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { placeFlags } from '../terminal/command-text';
import { type Summary } from './summary';
import { writePieces } from './write-pieces';

export interface ResultFiles {
  csv: string;
  html: string;
}

/** Writes a run's results as CSV and as an HTML report into a folder. */
export async function writeResultFiles(input: {
  ledger: Ledger;
  run: RunInfo;
  summary: Summary;
  folder: string;
  sandbox: boolean;
  /** The Web UI ends with the command that started it. */
  uiEnds: boolean;
}): Promise<ResultFiles> {
  const { ledger, run, summary, folder } = input;
  const [{ csvReport }, { htmlReport }] = await Promise.all([
    import('../../report/csv-report.js'),
    import('../../report/html-report.js'),
  ]);
  const files = { csv: join(folder, 'results.csv'), html: join(folder, 'report.html') };
  await writePieces(files.csv, csvReport(ledger.results(run), { columns: await ledger.columns(run), bom: true }));
  await writePieces(
    files.html,
    htmlReport({ ...htmlInput(summary, input.sandbox, input.uiEnds), rows: () => ledger.results(run) }),
  );
  return files;
}

/** What the HTML report shows of a summary. */
export function htmlInput(
  summary: Summary,
  sandbox: boolean,
  uiEnds = false,
): {
  run: string;
  campaign: string;
  total: number;
  counts: Summary['counts'];
  startedAt: string;
  finishedAt: string | null;
  webUi: string | null;
  webUiAgain: readonly string[];
  sandbox: boolean;
  placeFlags: string;
  next: readonly string[];
  settle: Summary['needs_person']['rows'];
  madeAt: string;
} {
  const flag = placeFlags(sandbox);
  return {
    run: summary.run.id,
    campaign: summary.run.campaign,
    total: summary.total,
    counts: summary.counts,
    startedAt: summary.started_at,
    finishedAt: summary.finished_at,
    webUi: summary.run.web_ui,
    webUiAgain: uiEnds ? [`reelay up${flag}`, `reelay open ${summary.run.id}${flag}`] : [],
    sandbox,
    placeFlags: flag,
    next: summary.next,
    settle: summary.needs_person.rows,
    madeAt: new Date().toISOString(),
  };
}
