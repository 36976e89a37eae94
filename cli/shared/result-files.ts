import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { placeFlags } from '../terminal/command-text';
import { type Summary } from './summary';

/**
 * Writes a file by the pieces of its text: complete under its name, or not there at all. For its owner only, as the
 * user's own columns may hold signed addresses.
 */
export async function writePieces(path: string, pieces: AsyncIterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${String(process.pid)}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { mode: 0o600 }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

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
