import { countCharacters } from '../../service/limits';
import { type Source } from './source/check-source';
import { warnOfInvisible } from './text/check-text';
import { type Place, type ProblemList } from '../problems/problems';
import { type Cell, type RawRow } from '../raw-row';
import { showValue } from '../text';

export const MAX_KEY_LENGTH = 200;

const NOT_IN_KEYS =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** The key of a row: from a result file, otherwise from the key column, otherwise the source. Undefined after an error. */
export function findKey(input: {
  raw: RawRow;
  source: Source | undefined;
  problems: ProblemList;
  /** A column is most likely meant as the key, under a wrong name. */
  keySuspected: boolean;
}): { key: string; given: boolean } | undefined {
  const { raw, source, problems, keySuspected } = input;
  const written = raw.slots.get('key');
  const recorded = raw.result.get('reelay_key');
  if (written !== undefined && recorded !== undefined && clean(written) !== clean(recorded)) {
    const message = `key is “${showValue(clean(written))}”, but the row is known as “${showValue(clean(recorded))}” (reelay_key).`;
    problems.add({ code: 'key-conflict', at: written.at, value: written.text, message });
    return undefined;
  }
  const cell = recorded ?? written;
  if (cell !== undefined) {
    const key = checkKey(cell, problems);
    return key === undefined ? undefined : { key, given: true };
  }
  if (keySuspected) return undefined;
  if (source === undefined) {
    needed(
      problems,
      { line: raw.line, column: 'key', file: raw.file },
      'A row without a video needs a key to identify it.',
    );
    return undefined;
  }
  const at = raw.slots.get('source')?.at ?? { line: raw.line, column: null, file: raw.file };
  if (source.key === null) {
    needed(
      problems,
      at,
      'The URL has a query, which may change (a signature, a session): it can’t identify the row.',
      source.value,
    );
    return undefined;
  }
  if (countCharacters(source.key) > MAX_KEY_LENGTH) {
    needed(
      problems,
      at,
      `The source is longer than ${MAX_KEY_LENGTH} characters, too long to identify the row.`,
      source.value,
    );
    return undefined;
  }
  return { key: source.key, given: false };
}

/**
 * A long number as a spreadsheet shows and exports it: the other digits are lost, so that several rows may end up the
 * same.
 */
export const SHORT_NUMBER = /^\d(?:[.,]\d+)?E\+\d{2}$/i;

function checkKey(cell: Cell, problems: ProblemList): string | undefined {
  const key = cleanKey(cell.text);
  if (SHORT_NUMBER.test(key)) {
    const message = `The key “${showValue(key)}” is a long number as a spreadsheet shortens it; its other digits are lost.`;
    const hint = 'Format the column as text, or as a number without decimals, and export the sheet again.';
    problems.add({ code: 'bad-key', at: cell.at, value: key, message, hint });
    return undefined;
  }
  const message = keyFault(key);
  if (message === null) {
    // Two keys that look the same are two rows.
    warnOfInvisible(key, 'key', { cell, problems });
    return key;
  }
  problems.add({ code: 'bad-key', at: cell.at, value: key, message });
  return undefined;
}

/**
 * A key in the form that identifies rows. The same text typed on another system may be decomposed; it must stay the
 * same.
 */
export function cleanKey(text: string): string {
  return text.trim().normalize('NFC');
}

/** Why a cleaned key isn't valid, as a sentence; null if it is. */
export function keyFault(key: string): string | null {
  const length = countCharacters(key);
  if (length > MAX_KEY_LENGTH) return `The key has ${length} characters; at most ${MAX_KEY_LENGTH} are allowed.`;
  return NOT_IN_KEYS.test(key) ? 'The key has a line break or a control character in it.' : null;
}

function clean(cell: Cell): string {
  return cleanKey(cell.text);
}

function needed(problems: ProblemList, at: Place, message: string, value?: string): void {
  problems.add({ code: 'key-needed', at, message, ...(value === undefined ? {} : { value }) });
}
