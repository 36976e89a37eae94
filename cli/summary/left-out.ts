import { existsSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { type ReadingLedger } from '../../ledger/interfaces/reading';
import { type RunningLedger } from '../../ledger/interfaces/running';
import { type LeftOutOfFile } from '../../ledger/queries/left-out';
import { type RunRef, type ViewRef } from '../../ledger/model/types';
import { flagWords } from '../../wording/given-flags';
import { type NextStep } from '../../wording/next-steps';
import { commandText } from '../../wording/shell';
import { manifestFlags, sheetFlags, submittedFlags } from '../shared/run-config';
import { plural, safeText } from '../terminal/safe-text';

/** Rows that a submission left out because of an error, and the file that lists them if it is still there. */
export interface ShownLeftOut extends LeftOutOfFile {
  csv: string | null;
}

/** The folder for a run's files if none is given. */
export function resultsFolder(home: string, run: RunRef | string): string {
  return join(home, 'results', typeof run === 'string' ? run : `${run.campaign}.${String(run.number)}`);
}

/** The file in a run's folder that has the rows which `--skip-invalid` left out. */
export function rejectedFile(folder: string): string {
  return join(folder, 'rejected.csv');
}

/** `written`: where the current command has written the rows that it left out. */
export async function shownLeftOut(
  ledger: ReadingLedger,
  view: ViewRef,
  { home, written = null }: { home: string | null; written?: string | null },
): Promise<ShownLeftOut[]> {
  const files = await ledger.leftOut(view);
  return files.map((file, index) => {
    const usual = home === null ? null : rejectedFile(resultsFolder(home, file.run));
    const csv = written !== null && index === files.length - 1 ? written : usual;
    return { ...file, csv: csv !== null && existsSync(csv) ? csv : null };
  });
}

/**
 * Rows of the campaign that runs before this one left out, and that are still to be corrected: the end of a run of a
 * sheet with other rows must not look like the end of the campaign.
 */
export async function leftOutEarlier(
  ledger: ReadingLedger,
  run: RunRef,
  { home }: { home: string | null },
): Promise<ShownLeftOut[]> {
  const files = await shownLeftOut(ledger, { campaign: run.campaign, number: null }, { home });
  return files.filter((file) => Number(file.run.slice(run.campaign.length + 1)) < run.number);
}

export function rowsOf(files: readonly ShownLeftOut[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}

/** `2 rows with errors left out` */
export function leftOutText(rows: number): string {
  return `${plural(rows, 'row')} with errors left out`;
}

/** Which rows they are, a line for each file. */
export function leftOutLines(files: readonly ShownLeftOut[]): string[] {
  return files.map(({ manifest, rows, lines, csv }) => {
    const more = rows > lines.length && lines.length > 0 ? ', …' : '';
    const where = lines.length === 0 ? '' : ` (${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${more})`;
    const listed = csv === null ? '' : `: ${safeText(csv)}`;
    const were = rows === 1 ? 'was' : 'were';
    return `${plural(rows, 'row')} of ${safeText(basename(manifest))}${where} ${were} left out because of errors, and not sent${listed}`;
  });
}

const ONE_TIME: readonly string[] = [
  '--prune',
  '--keep',
  '--rekey',
  '--accept-differences',
  '--skip-invalid',
  '--once',
];

/** For each file, the command that submits the rows once they are corrected, or that lists what is wrong with them. */
export async function leftOutSteps(
  files: readonly ShownLeftOut[],
  { ledger, campaign, place }: { ledger: ReadingLedger & RunningLedger; campaign: string; place: string },
): Promise<NextStep[]> {
  const steps: NextStep[] = [];
  for (const { csv, manifest } of files) {
    if (csv !== null) {
      const words = ['run', csv, ...flagWords(await sheetFlags(ledger, campaign))];
      const what = 'publishes what was left out, once it is corrected in that file';
      steps.push({ command: `${commandText(words)}${place}`, what });
    } else if (isAbsolute(manifest) && existsSync(manifest)) {
      // A sheet that corrects the manifest may have been submitted since.
      const given = (await submittedFlags(ledger, campaign, manifest)) ?? (await manifestFlags(ledger, campaign));
      const flags = flagWords(given.filter(([flag]) => !ONE_TIME.includes(flag)));
      const command = `${commandText(['check', manifest, ...flags])}${place}`;
      steps.push({ command, what: 'lists the errors of the rows that were left out; correct them and run it again' });
    }
  }
  return steps;
}
