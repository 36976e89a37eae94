import { type Command } from 'commander';
import { addCommand, type CommandContext, type CommandFlags, type Runner } from '../../command';
import { EXIT, type ExitCode } from '../../errors/exit-codes';
import { FORMATS } from '../../terminal/output';
import { addManifestFlags, type ManifestFlags } from '../../submission/manifest-flags';
import { plural } from '../../terminal/safe-text';
import { commandText } from '../../../wording/shell';

type CheckFlags = CommandFlags & ManifestFlags;

export function addCheck(program: Command, run: Runner): void {
  const command = addCommand(program, {
    name: 'check',
    summary: 'List every problem in a manifest, without a server or network.',
    examples: ['check spring.csv', 'check spring.csv --strict -o json', 'check - < spring.csv'],
    formats: [...FORMATS, 'csv'],
  });
  addManifestFlags(
    command.argument('<manifest>', 'a YAML, CSV or .xlsx file, its https URL, or - for standard input'),
  ).action((manifest: string, flags: CheckFlags) => run(flags, (context) => check(context, manifest, flags)));
}

async function check(
  { output, flags: shared, argv: given }: CommandContext,
  manifest: string,
  flags: CheckFlags,
): Promise<ExitCode> {
  const [{ loadSettings }, { manifestSource, readOptions, sourceName }, { checkManifest }, { problemsOf }] =
    await Promise.all([
      import('../../config/settings.js'),
      import('../../submission/manifest-flags.js'),
      import('../../../manifests/read-manifest.js'),
      import('../../errors/explain-error.js'),
    ]);
  const settings = await loadSettings(shared);
  const source = await manifestSource(manifest, flags.base, settings);
  const { mapExportColumns } = await import('../../submission/export-columns.js');
  const argv = await mapExportColumns(source, flags, { settings, output, argv: given });
  const reading = await checkManifest(source, await readOptions(flags, settings));
  output.zone = reading.settings.timezone ?? output.zone;
  const problems = problemsOf(reading.problems) ?? [];
  const ok = !problems.some((problem) => problem.severity === 'error');
  if (output.isText) {
    const { problemCounts, problemLines } = await import('../../terminal/texts/problems-text.js');
    await output.lines(problemLines(problems, output, reading, 'out'));
    const verdict = ok ? output.paint('green', 'ok') : output.paint('red', 'refused');
    output.note(
      `${verdict} ${sourceName(source)} (campaign ${reading.campaign}): ${plural(reading.goodRows, 'good row')}, ${problemCounts(problems)}`,
    );
    // For a file that can't be read, everything is still unchecked.
    const unread = problems.some(({ code }) => code === 'manifest-unreadable');
    if (reading.notChecked.length > 0 && !unread) {
      const { maskUrl } = await import('../../../ledger/model/source.js');
      // The same command with the same flags, except where it would show a URL's signature.
      const plan =
        maskUrl(manifest) === manifest
          ? commandText(argv.map((word, index) => (index === argv.indexOf('check') ? 'plan' : word)))
          : 'reelay plan';
      output.note(
        `Not checked, because the file alone doesn’t show it (\`${plan}\` checks it with ${settings.sandbox ? 'the sandbox' : 'your service'} and the ledger):`,
      );
      for (const what of reading.notChecked) output.note(`  ${what}`);
    }
  } else if (output.format === 'csv') {
    const { problemsReport } = await import('../../../report/csv/problems-report.js');
    await output.data(problemsReport(problems));
  } else {
    for (const problem of problems) await output.event({ event: 'problem', ...problem });
    await output.json({ version: 1, ok, rows: reading.goodRows, problems, not_checked: reading.notChecked });
  }
  return ok ? EXIT.ok : EXIT.refused;
}
