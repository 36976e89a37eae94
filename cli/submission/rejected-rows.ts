import { join } from 'node:path';
import { type RunRef } from '../../ledger/model/types';
import { EXIT } from '../errors/exit-codes';
import { type Reason } from '../summary/reasons';
import { type Output } from '../terminal/output';
import { plural } from '../terminal/safe-text';
import { placeFlags } from '../terminal/texts/command-text';
import { carriedFlags, flagWords } from '../../wording/given-flags';
import { commandText } from '../../wording/shell';
import { type PreparedManifest } from './submission';

/** The folder for a run's files if none is given. */
export function resultsFolder(home: string, run: RunRef): string {
  return join(home, 'results', `${run.campaign}.${String(run.number)}`);
}

/**
 * Writes the rows that `--skip-invalid` left out to `rejected.csv`, and reports it. Returns the effect on the run's
 * result, with the command that submits them once they are corrected: nothing if there are none.
 */
export async function writeRejected(
  prepared: Pick<PreparedManifest, 'rejected' | 'reading'> & Partial<Pick<PreparedManifest, 'input'>>,
  { folder, sandbox, output }: { folder: string; sandbox: boolean; output: Output },
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
    rejectedReport(rejected, { columns: reading.columns, campaign: reading.campaign, path: reading.path, delimiter }),
  );
  const left = `${plural(rejected.length, 'row')} with errors left out`;
  output.warn(`${left}: ${path}`);
  await output.event({ event: 'rejected', rows: rejected.length, csv: path });
  // The rest of the campaign isn't in the file.
  const words = ['run', path, ...flagWords(carriedFlags(input?.given ?? [])), '--keep'];
  const what = 'publishes what was left out, once it is corrected in that file';
  return [{ code: EXIT.failed, text: left, next: [{ command: `${commandText(words)}${placeFlags(sandbox)}`, what }] }];
}
