import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { UsageError } from '../../errors/errors';
import { type Format } from '../../terminal/output';
import { type ChosenResults } from './result-output';

type Flags = CommandFlags & {
  state?: string;
  profile?: string;
  since?: string;
  all?: boolean;
  out?: string;
  force?: boolean;
  delimiter?: string;
  forClient?: boolean;
};

export function addResults(program: Command, run: Runner): void {
  addCommand(program, {
    name: 'results',
    summary: 'Show the result of every row of a campaign, in manifest order. Needs only the ledger.',
    examples: [
      'results latest',
      'results spring -o csv --out results.csv',
      'results spring --state failed,rejected -o csv --out corrected.csv',
      'results spring -o csv --delimiter ";" --out results.csv',
      'results spring --out results.xlsx',
      'results spring -o html --out report.html',
      'results spring -o html --for-client --out spring.html',
      'results --since 7d -o jsonl',
      'results --all --profile Garden -o csv',
    ],
    formats: ['text', 'json', 'jsonl', 'csv', 'xlsx', 'html'],
  })
    .argument('[run]', 'NAME (the campaign), NAME.N (one run), latest or a workflow id')
    .option('--since <when>', 'every campaign that ran since then, such as 7d or 2026-11-01')
    .option('--all', 'every campaign')
    .option('--state <states>', 'only rows in these states, separated by commas')
    .option('--profile <profile>', 'only rows of this profile (id or name)')
    .option(
      '--out <file>',
      'write to a file instead of standard output, in the format of its ending (.csv, .xlsx, .html, .json)',
    )
    .option(
      '--delimiter <char>',
      'delimiter of the CSV: , ; tab or | (default: the manifest’s for a file, a comma on standard output)',
    )
    .option(
      '--for-client',
      'with -o html: a report to send to a client, without commands, keys, ids and codes, in plain words',
    )
    .option('--force', 'with --out: replace a file that was edited')
    .action((name: string | undefined, flags: Flags) => run(flags, (context) => results(context, name, flags)));
}

async function results(
  { output, flags: shared }: CommandContext,
  name: string | undefined,
  flags: Flags,
): Promise<ExitCode> {
  const [{ loadSettings }, { openExistingLedger }, selection, { isEmpty, resultPieces, showResults, workbookOf }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../shared/resolve-run.js'),
      import('./result-selection.js'),
      import('./result-output.js'),
    ]);
  const states = flags.state === undefined ? undefined : selection.parseStates(flags.state);
  const format = formatOf(output.format, flags.out);
  const delimiter = flags.delimiter === undefined ? undefined : await delimiterOf(flags.delimiter, format);
  if (flags.forClient && format !== 'html') throw new UsageError('--for-client is for the HTML report', 'Add -o html.');
  const since = selection.sinceOf(flags);
  selection.demandOneOf(name, since);
  const settings = await loadSettings(shared);
  const ledger = await openExistingLedger(settings, { name: name ?? 'latest' });
  try {
    const found = await selection.selectViews(settings, ledger, { name: name ?? 'latest', since });
    const filter = {
      ...(states === undefined ? {} : { states }),
      ...(flags.profile === undefined ? {} : { profile: flags.profile }),
      ...(flags.all ? { everything: true } : {}),
    };
    const [only] = found;
    if (since === null && only !== undefined)
      await (await import('../../shared/use-zone.js')).useZoneOf(output, ledger, only.info.campaign);
    const chosen = {
      ledger,
      found,
      filter,
      settings,
      single: since === null,
      zone: output.zone,
      forClient: flags.forClient === true,
    };
    if (flags.out !== undefined) {
      const [{ writePieces }, nodePath] = await Promise.all([
        import('../../shared/write-pieces.js'),
        import('node:path'),
      ]);
      const path = nodePath.resolve(flags.out);
      const { demandOwn, noteWritten } = await import('../../shared/own-files.js');
      if (flags.force !== true) await demandOwn(settings.home, path);
      if (states !== undefined && (await isEmpty(chosen))) {
        output.note(`No rows in state ${states.join(' or ')}; ${path} was not written.`);
        return EXIT.ok;
      }
      if (format === 'xlsx') await writePieces(path, workbookOf(chosen));
      else {
        const sheet = { bom: true, delimiter: delimiter ?? (await delimiterOfFile(chosen)) };
        await writePieces(path, resultPieces(format, chosen, sheet));
      }
      await noteWritten(settings.home, path);
      output.note(`Wrote ${path}`);
      if (format === 'xlsx') output.note(`Its dates are local times of ${chosen.zone}.`);
      const correctable = states?.every((state) => state === 'failed' || state === 'rejected') === true;
      if (chosen.single && (format === 'xlsx' || (format === 'csv' && correctable))) {
        const [{ correctedCommand }, { CORRECT_SHEET }, { printCommand }, { placeFlags }, { sheetFlags }] =
          await Promise.all([
            import('../../../wording/next-steps.js'),
            import('../../../wording/results-sheet.js'),
            import('../../terminal/texts/next-lines.js'),
            import('../../terminal/texts/command-text.js'),
            import('../../shared/run-config.js'),
          ]);
        const [first] = found;
        const counts = first === undefined ? {} : await ledger.counts(first.view);
        const wrong = (counts.failed ?? 0) + (counts.rejected ?? 0) > 0;
        if (first !== undefined && (format === 'csv' || wrong)) {
          const given = await sheetFlags(ledger, first.info.campaign);
          const what = format === 'xlsx' ? `the cells of its sheet “${CORRECT_SHEET}”` : 'its cells';
          output.note(`Correct ${what}, then:`);
          printCommand(output, correctedCommand(flags.out, { given, place: placeFlags(settings.sandbox) }));
        }
      }
    } else if (output.isText) {
      await showResults(output, chosen);
      await sayWhoIsAsked(chosen);
    } else if (format !== 'xlsx') {
      const sheet = delimiter === undefined ? {} : { delimiter };
      for await (const piece of resultPieces(format, chosen, sheet)) {
        if (output.closed) break;
        await output.data(piece, output.format === 'csv' || output.format === 'html' ? 'file' : 'json');
      }
    }
    return EXIT.ok;
  } finally {
    await ledger.close();
  }

  async function sayWhoIsAsked({ ledger: from, found, single, settings: own }: ChosenResults): Promise<void> {
    const [first] = found;
    if (!single || !first) return;
    const { info: run, view } = first;
    if (states === undefined) {
      const [{ shownLeftOut, leftOutLines, leftOutSteps }, { printNext }, { placeFlags }] = await Promise.all([
        import('../../summary/left-out.js'),
        import('../../terminal/texts/next-lines.js'),
        import('../../terminal/texts/command-text.js'),
      ]);
      const leftOut = await shownLeftOut(from, view, { home: own.home });
      for (const line of leftOutLines(leftOut)) output.note(`${line}.`);
      const place = placeFlags(own.sandbox);
      printNext(output, await leftOutSteps(leftOut, { ledger: from, campaign: run.campaign, place }));
    }
    const [{ attentionOf, printAttention }, { problemsOf, printProblems }] = await Promise.all([
      import('../../summary/attention.js'),
      import('../../terminal/texts/problem-lines.js'),
    ]);
    if (states === undefined) {
      // In full: a column of the table shows only the beginning.
      const counts = await from.counts(view);
      const endedOtherwise = (await from.unchangedDrafts(view)) + (await from.differing(view));
      const problems = await problemsOf(from, view, counts, { endedOtherwise });
      if (output.wide !== null) printProblems(output, problems, counts, endedOtherwise);
    } else if (!states.includes('unconfirmed')) return;
    const attention = await attentionOf(from, run, own.sandbox);
    printAttention(output, `${run.campaign}.${String(run.number)}`, attention, own.sandbox);
  }
}

/** A file’s ending also selects a workbook. @throws UsageError for a workbook on standard output */
function formatOf(asked: Format, out: string | undefined): Format {
  if (asked === 'xlsx' && out === undefined)
    throw new UsageError('a workbook can only be written to a file', 'Name it: --out results.xlsx.');
  const ending = /\.(?<ending>xlsx|csv|html|jsonl?)$/i.exec(out ?? '')?.groups?.ending;
  return asked === 'text' && ending !== undefined ? (ending.toLowerCase() as Format) : asked;
}

/** @throws UsageError */
async function delimiterOf(flag: string, format: Format): Promise<string> {
  if (format !== 'csv') throw new UsageError('--delimiter is for results as CSV', 'Add -o csv.');
  const { delimiterFlag } = await import('../../result-files/result-sheet.js');
  return delimiterFlag(flag);
}

/** The manifest's zone, if all rows are from one. */
async function delimiterOfFile({ ledger, found, single }: ChosenResults): Promise<string> {
  const [first] = found;
  if (!single || first === undefined) return ',';
  const { manifestDelimiter } = await import('../../result-files/result-sheet.js');
  return manifestDelimiter(ledger, first.info.campaign);
}
