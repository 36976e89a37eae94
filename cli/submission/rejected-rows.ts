import { join } from 'node:path';
import { type RunRef } from '../../ledger/model/types';
import { EXIT } from '../errors/exit-codes';
import { type Reason } from '../summary/reasons';
import { type Output } from '../terminal/output';
import { plural } from '../terminal/safe-text';
import { type PreparedManifest } from './submission';

/** The folder for a run's files if none is given. */
export function resultsFolder(home: string, run: RunRef): string {
  return join(home, 'results', `${run.campaign}.${String(run.number)}`);
}

/**
 * Writes the rows that `--skip-invalid` left out to `rejected.csv`, and reports it. Returns the effect on the run's
 * result: nothing if there are none.
 */
export async function writeRejected(
  prepared: Pick<PreparedManifest, 'rejected' | 'reading'> & Partial<Pick<PreparedManifest, 'input'>>,
  folder: string,
  output: Output,
): Promise<Reason[]> {
  const { rejected, reading, input } = prepared;
  if (rejected.length === 0) return [];
  const [{ rejectedReport }, { delimiterOfCopy }, { writePieces }] = await Promise.all([
    import('../../report/csv/rejected-report.js'),
    import('../../manifests/parse/csv/csv-dialect.js'),
    import('../shared/write-pieces.js'),
  ]);
  const path = join(folder, 'rejected.csv');
  const sheet = reading.format === 'csv' ? reading.text : reading.sheet?.text;
  const named = input?.given?.find(([flag]) => flag === '--delimiter')?.[1];
  const delimiter = sheet === undefined ? ',' : delimiterOfCopy(sheet, named);
  await writePieces(
    path,
    rejectedReport(rejected, { columns: reading.columns, campaign: reading.campaign, delimiter }),
  );
  output.warn(`${plural(rejected.length, 'row')} with errors left out: fix ${path} and submit it with --keep.`);
  await output.event({ event: 'rejected', rows: rejected.length, csv: path });
  return [{ code: EXIT.failed, text: `${plural(rejected.length, 'row')} with errors left out` }];
}
