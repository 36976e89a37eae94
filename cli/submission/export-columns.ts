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
 * which adds the mapping to the flags. Returns the command line as if it had been given with the mapping.
 * @throws RefusedError with the whole command if there is no terminal
 */
export async function mapExportColumns(
  source: ManifestSource,
  flags: ManifestFlags,
  given: { settings: Settings; output: Output; argv: readonly string[] },
): Promise<readonly string[]> {
  const { settings, output, argv } = given;
  const { findExportOf } = await import('../../manifests/parse/find-export.js');
  const options = await readOptions(flags, settings);
  const found = await findExportOf(source, options);
  if (found === null) return argv;
  const { lackingText } = await import('../../manifests/fields/export-formats.js');
  const known = new Set(Object.keys({ ...options.defaults, ...options.givenDefaults }));
  if ((options.timezone ?? options.fallbackSettings?.timezone) !== undefined) known.add('timezone');
  const lacking = lackingText(
    found.lacks.filter((field) => !known.has(field)),
    'csv',
  );
  const note = [found.note, lacking].filter((text) => text !== '').join(' ');
  const columns = found.columns.map(([header, field]) => `${header}=${field}`);
  const words = columns.flatMap((column) => ['--column', column]);
  const { confirm, mayAsk } = await import('../terminal/ask.js');
  if (mayAsk()) {
    output.note(`This looks like a file of ${found.tool}. ${note}`);
    // Escaped for display, so that a header can't control the terminal.
    const shown = commandText(words).replace(/^reelay /u, '');
    await confirm({ output, yes: false, question: `Read it with ${shown}?`, preset: 'yes' });
    flags.column = [...(flags.column ?? []), ...columns];
    return [...argv, ...words];
  }
  const message = `This looks like a file of ${found.tool}.`;
  const hint = `${note} --column maps a column.`;
  const problem: Problem = {
    ...{ severity: 'error', line: null, column: null, code: 'export-format', value: null, message, hint },
  };
  throw new RefusedError(
    `${sourceName(source)} can’t be read as it is; nothing was sent`,
    [problem],
    `Repeat the command with the columns${lacking === '' ? '' : ', and with the flags above for what the file lacks'}: ${commandText([...argv.filter((word) => !CONFIRMING.includes(word)), ...words])}`,
  );
}
