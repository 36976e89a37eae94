import { basename } from 'node:path';
import { parseDuration } from '../../wording/duration';
import { type Problem } from '../problems/problems';
import { showValue } from '../text';
import { type ManifestRow, type MissingFiles } from '../types';

/** `fail`, `skip` or `wait 2h`; undefined when it is none of them. */
export function parseMissing(text: string): MissingFiles | undefined {
  const [word, duration, ...more] = text.trim().toLowerCase().split(/\s+/);
  if (more.length > 0) return undefined;
  if (duration === undefined) return word === 'fail' || word === 'skip' ? word : undefined;
  const waitMs = word === 'wait' ? parseDuration(duration) : undefined;
  return waitMs === undefined ? undefined : { waitMs };
}

/** The problem of a file that doesn't exist yet, or that is still being written. */
export function isAbsence({ code }: Problem): boolean {
  return code === 'file-missing' || code === 'file-empty';
}

/** The warning for a row whose file is waited for. */
export function leftForLater(row: ManifestRow): Problem {
  const name = showValue(basename(row.source ?? ''));
  const why = row.deferredErrors.some(isAbsence) ? 'isn’t there yet' : 'is still being written';
  return {
    severity: 'warning',
    line: row.line,
    column: 'source',
    code: 'file-awaited',
    value: name,
    message: `${name} ${why}: the row is left for another time.`,
    hint: 'Nothing to do; missing: fail refuses the manifest instead.',
  };
}

/** The warning for a folder's file that is left out because its content was already used. */
export function takenAlready(row: ManifestRow, before: string): Problem {
  const name = showValue(basename(row.source ?? ''));
  return {
    severity: 'warning',
    line: null,
    column: 'source',
    code: 'folder-again',
    value: name,
    message: `${name} has the content of ${before}: it is left out.`,
    hint: 'Nothing to do; to publish it again, list it under videos with its own key.',
    file: name,
  };
}
