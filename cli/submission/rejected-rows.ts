import { EXIT } from '../errors/exit-codes';
import { leftOutText, rejectedFile } from '../summary/left-out';
import { type Reason } from '../summary/reasons';
import { type RunRef } from '../../ledger/model/types';
import { type Output } from '../terminal/output';
import { type PreparedManifest } from './submission';

/**
 * Writes the rows that `--skip-invalid` left out to `rejected.csv`, and reports it. Returns the effect on the run's
 * result: nothing if there are none.
 */
export async function writeRejected(
  prepared: Pick<PreparedManifest, 'rejected' | 'reading'> & Partial<Pick<PreparedManifest, 'input'>>,
  { home, folder, run, output }: { home: string; folder: string; run: RunRef; output: Output },
): Promise<Reason[]> {
  const { rejected, reading, input } = prepared;
  if (rejected.length === 0) return [];
  const [{ rejectedReport }, { delimiterOfCopy }, { writePieces }, { editedText, noteWritten, unedited }] =
    await Promise.all([
      import('../../report/csv/rejected-report.js'),
      import('../../manifests/parse/csv/csv-dialect.js'),
      import('../shared/write-pieces.js'),
      import('../shared/own-files.js'),
    ]);
  const id = `${run.campaign}.${String(run.number)}`;
  const path = await unedited(home, folder, { stem: 'rejected', ending: 'csv', run: id });
  const usual = rejectedFile(folder);
  if (path !== usual) output.warn(editedText(usual));
  const sheet = reading.format === 'csv' ? reading.text : reading.sheet?.text;
  const named = input?.given?.find(([flag]) => flag === '--delimiter')?.[1];
  const delimiter = sheet === undefined ? ',' : delimiterOfCopy(sheet, named);
  await writePieces(
    path,
    rejectedReport(rejected, { columns: reading.columns, campaign: reading.campaign, path: reading.path, delimiter }),
  );
  await noteWritten(home, path);
  const left = leftOutText(rejected.length);
  output.warn(`${left}: ${path}`);
  await output.event({ event: 'rejected', rows: rejected.length, csv: path });
  return [{ code: EXIT.failed, text: left, leftOut: path }];
}
