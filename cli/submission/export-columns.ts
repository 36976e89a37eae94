import { type Problem } from '../../manifests/problems/problems';
import { RefusedError } from '../errors/errors';
import { commandText } from '../../wording/shell';
import { type Settings } from '../config/settings';
import { type Output } from '../terminal/output';
import { readOptions, sourceName, type ManifestFlags, type ManifestSource } from './manifest-flags';

/** A command to copy confirms nothing on its own. */
const CONFIRMING: readonly string[] = ['--yes', '--uncancel'];

/**
 * Another tool’s file is read with mapped columns only if the user agrees: on a terminal by the answer to a question,
 * which adds the mapping to the flags.
 * @throws RefusedError with the whole command if there is no terminal
 */
export async function mapExportColumns(
  source: ManifestSource,
  flags: ManifestFlags,
  given: { settings: Settings; output: Output; argv: readonly string[] },
): Promise<void> {
  const { settings, output, argv } = given;
  const { findExportOf } = await import('../../manifests/parse/find-export.js');
  const found = await findExportOf(source, await readOptions(flags, settings));
  if (found === null) return;
  const columns = found.columns.map(([header, field]) => `${header}=${field}`);
  const words = columns.flatMap((column) => ['--column', column]);
  const { confirm, mayAsk } = await import('../terminal/ask.js');
  if (mayAsk()) {
    output.note(`This looks like a file of ${found.tool}. ${found.note}`);
    // Escaped for display, so that a header can't control the terminal.
    const shown = commandText(words).replace(/^reelay /u, '');
    await confirm({ output, yes: false, question: `Read it with ${shown}?`, preset: 'yes' });
    flags.column = [...(flags.column ?? []), ...columns];
    return;
  }
  const message = `This looks like a file of ${found.tool}.`;
  const hint = `${found.note} --column maps a column.`;
  const problem: Problem = {
    ...{ severity: 'error', line: null, column: null, code: 'export-format', value: null, message, hint },
  };
  throw new RefusedError(
    `${sourceName(source)} can’t be read as it is; nothing was sent`,
    [problem],
    `Repeat the command with the columns: ${commandText([...argv.filter((word) => !CONFIRMING.includes(word)), ...words])}`,
  );
}
