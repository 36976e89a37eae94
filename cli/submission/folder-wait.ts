import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Problem } from '../../manifests/problems/problems';
import { type ManifestReading, type UnsettledFiles } from '../../manifests/types';
import { pause } from '../../host/interrupts';
import { type Output } from '../terminal/output';
import { safeText } from '../terminal/safe-text';

/** A one-off command doesn't wait longer than this for files to settle, ms. */
const WAIT_AT_MOST_MS = 60_000;
/** Reading takes a moment, and another program may close a file a little later, ms. */
const BEYOND_MS = 5_000;
const POLL_MS = 1_000;

/**
 * Waits until the files of a folder are complete: a firing leaves them for the next one, but a one-off command has no
 * next one. If it would take longer than a minute, it doesn't wait at all. Shows what it waits for.
 */
export async function untilFolderSettles({ paths, settledMs }: UnsettledFiles, output: Output): Promise<void> {
  const now = Date.now();
  const ages = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => now - mtimeMs,
        () => settledMs,
      ),
    ),
  );
  const youngest = Math.max(0, Math.min(...ages));
  if (settledMs - youngest > WAIT_AT_MOST_MS) return;
  const budget = Math.max(settledMs - youngest, 0) + BEYOND_MS;
  const files = `${filesText(paths)} may still be written (changed in the last ${settledMs / 1000} s, or open in another program)`;
  output.note(`${files}: waiting for at most ${Math.ceil(budget / 1000)} s …`);
  const { stillWritten } = await import('../../manifests/parse/folder/settled-files.js');
  for (const until = now + budget; Date.now() < until;) {
    await pause(Math.min(POLL_MS, until - Date.now()));
    if ((await stillWritten(paths, settledMs)).size === 0) return;
  }
}

/** Why no file of a folder can be used: a run without rows would look like a successful one. */
export function nothingToTake({ unsettled, problems }: Pick<ManifestReading, 'unsettled' | 'problems'>): Problem {
  const left = problems.some(({ code }) => code === 'folder-left' || code === 'folder-again');
  const [message, hint] =
    unsettled !== undefined
      ? [
          `No file of the folder is ready yet: ${filesText(unsettled.paths)} may still be written.`,
          'Repeat the command when they are complete; videos: {folder: …, settled: 2s} picks them up sooner after their last change.',
        ]
      : left
        ? ['Every file of the folder is left out.', 'See the warnings for why.']
        : ['The folder has no file to publish.', 'Put a video into it; pattern selects file names.'];
  return { severity: 'error', line: null, column: null, code: 'no-rows', value: null, message, hint };
}

function filesText(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => safeText(basename(path)));
  const more = paths.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
