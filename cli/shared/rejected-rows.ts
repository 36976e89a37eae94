import { join } from 'node:path';
import { type RunRef } from '../../ledger/model/types';
import { EXIT, type ExitCode } from '../errors/exit-codes';
import { type Output } from '../terminal/output';
import { plural } from '../terminal/safe-text';
import { type PreparedManifest } from './submission';

/** Where a run's files go when no folder is named. */
export function resultsFolder(home: string, run: RunRef): string {
  return join(home, 'results', `${run.campaign}.${String(run.number)}`);
}

/**
 * Writes the rows that `--skip-invalid` left out to `rejected.csv`, and says so. Gives the exit codes that follow from
 * them: none when there are none.
 */
export async function writeRejected(
  prepared: Pick<PreparedManifest, 'rejected' | 'reading'>,
  folder: string,
  output: Output,
): Promise<ExitCode[]> {
  const { rejected, reading } = prepared;
  if (rejected.length === 0) return [];
  const [{ rejectedReport }, { writePieces }] = await Promise.all([
    import('../../report/rejected-report.js'),
    import('./write-pieces.js'),
  ]);
  const path = join(folder, 'rejected.csv');
  await writePieces(path, rejectedReport(rejected, { columns: reading.columns, campaign: reading.campaign }));
  output.warn(`${plural(rejected.length, 'row')} with errors left out: fix ${path} and submit it with --keep.`);
  await output.event({ event: 'rejected', rows: rejected.length, csv: path });
  return [EXIT.failed];
}
