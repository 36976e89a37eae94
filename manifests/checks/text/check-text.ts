import { countCharacters, DESCRIPTION_LIMIT, DIRECT_TITLE_LIMIT, TITLE_LIMIT } from '../../../service/limits';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { codePointName } from '../../text';
import { checkOtherCounts } from './text-length';
import { type PlatformKind } from '../../types';

const BAD =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202d\u202e\ufffd-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** Overrides the direction of all following text: an error, among those of `BAD`. */
const OVERRIDE = /[\u202d\u202e]/;
/** Embeds or isolates text of another direction, until it is closed. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /[\u00ad\u180e\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;
/** Direction marks belong in text that runs from right to left; in other text they were pasted along unnoticed. */
const MARK = /[\u061c\u200e\u200f]/;
const RIGHT_TO_LEFT = /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
// UTF-8 that was misread as Windows-1252 and saved again: “é” as “Ã©”, “–” as “â€“”.
const GARBLED = /Ã[\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf‰Ÿ„]|â€[\u0080-\u00bf“”™œ˜¢¦žš‹º]/u;
const SHEET_ERROR = /^#(REF!|N\/A|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|ERROR!)$/;
const LINE_BREAK = /[\n\r\u0085\u2028\u2029]/;

interface TextInput {
  cell: Cell;
  problems: ProblemList;
}

/** The title as it is sent: trimmed and checked. Undefined after an error; null when blank. */
export function checkTitle(
  input: TextInput & { kind: PlatformKind; platform: string; direct: boolean; limit?: number | undefined },
): string | null | undefined {
  const { cell, problems } = input;
  const shared = cell.level !== 'row';
  const title = cell.text.trim();
  if (title === '') return null;
  let ok = checkCharacters(title, 'title', input);
  if (SHEET_ERROR.test(title)) {
    const message = `The title is “${title}”, which is how a spreadsheet shows a formula that failed.`;
    const hint = 'Fix the formula, or write the text itself, and export the sheet again.';
    problems.add({ code: 'garbled-text', severity: 'error', at: cell.at, value: title, shared, message, hint });
    ok = false;
  }
  if (LINE_BREAK.test(title)) {
    problems.add({
      code: 'title-line-break',
      at: cell.at,
      value: title,
      shared,
      message: 'The title has a line break in it.',
    });
    ok = false;
  } else if (title.includes('\t')) {
    problems.add({
      code: 'bad-character',
      at: cell.at,
      value: title,
      shared,
      message: 'The title has a tab in it.',
      hint: 'Write a space instead.',
    });
    ok = false;
  }
  const limit = Math.min(input.direct ? DIRECT_TITLE_LIMIT : TITLE_LIMIT[input.kind], input.limit ?? Infinity);
  const length = countCharacters(title);
  if (length > limit) {
    const on = input.direct ? 'for a direct publish' : `on ${input.platform}`;
    const message = `The title has ${length} characters; at most ${limit} are allowed ${on}.`;
    problems.add({ code: 'title-too-long', at: cell.at, value: title, shared, message });
    ok = false;
  } else checkOtherCounts({ text: title, what: 'title', length, limit, cell, problems });
  return ok ? title : undefined;
}

/** The description as it is sent: trimmed, with plain line breaks. Undefined after an error; null when blank. */
export function checkDescription(input: TextInput & { limit?: number | undefined }): string | null | undefined {
  const { cell, problems } = input;
  const description = cell.text.replace(/\r\n?/g, '\n').trim();
  if (description === '') return null;
  let ok = checkCharacters(description, 'description', input);
  if (ok && description.includes('\u0085')) {
    const message = 'The description has the control character U+0085 in it.';
    const hint = 'It is often a “…” lost in a wrong encoding: give --encoding windows-1252, or type it again.';
    problems.add({
      code: 'bad-character',
      at: cell.at,
      value: description,
      shared: cell.level !== 'row',
      message,
      hint,
    });
    ok = false;
  }
  const length = countCharacters(description);
  const limit = Math.min(DESCRIPTION_LIMIT, input.limit ?? Infinity);
  if (length > limit) {
    const message = `The description has ${length} characters; at most ${limit} are allowed.`;
    problems.add({
      code: 'description-too-long',
      at: cell.at,
      value: description,
      shared: cell.level !== 'row',
      message,
    });
    ok = false;
  } else {
    const limit = DESCRIPTION_LIMIT;
    checkOtherCounts({ text: description, what: 'description', length, limit, cell, problems });
  }
  return ok ? description : undefined;
}

/** Refuses control and broken characters, and warns about invisible ones. False after an error. */
export function checkCharacters(text: string, what: string, { cell, problems }: TextInput): boolean {
  const shared = cell.level !== 'row';
  const bad = BAD.exec(text);
  if (bad !== null) {
    const at = countCharacters(text.slice(0, bad.index)) + 1;
    const message = `The ${what} has ${describe(bad[0])} as its character ${at}.`;
    // These are undefined in Unicode, and quotes and dashes in Windows-1252.
    const hint = /[\u0080-\u009f]/.test(bad[0])
      ? {
          hint: 'It comes from a wrong encoding: export the sheet again as “CSV UTF-8” from the program where the text is still correct.',
        }
      : {};
    problems.add({ code: 'bad-character', at: cell.at, value: text, shared, message, ...hint });
    return false;
  }
  if (/^[\s\p{Cf}]+$/u.test(text)) {
    const message = `The ${what} contains only invisible characters.`;
    problems.add({ code: 'bad-character', at: cell.at, value: text, shared, message });
    return false;
  }
  warnOfInvisible(text, what, { cell, problems });
  const garbled = GARBLED.exec(text);
  if (garbled !== null) {
    const message = `The ${what} has “${garbled[0]}” in it, which is what other letters become in a wrong encoding.`;
    problems.add({ code: 'garbled-text', at: cell.at, value: text, shared, message });
  }
  return true;
}

/** Warns about the first invisible character. */
export function warnOfInvisible(text: string, what: string, { cell, problems }: TextInput): void {
  const invisible = INVISIBLE.exec(text) ?? (RIGHT_TO_LEFT.test(text) ? null : MARK.exec(text));
  if (invisible === null) return;
  const at = countCharacters(text.slice(0, invisible.index)) + 1;
  const message = `The ${what} has the invisible character ${nameOf(invisible[0])} as its character ${at}.`;
  problems.add({ code: 'invisible-character', at: cell.at, value: text, shared: cell.level !== 'row', message });
}

function nameOf(character: string): string {
  const name = codePointName(character);
  return DIRECTION.test(character) ? `${name} (changes the direction of writing)` : name;
}

function describe(character: string): string {
  const name = codePointName(character);
  if (name === 'U+FFFD') return `${name} (a replacement for text lost in a wrong encoding)`;
  if (OVERRIDE.test(character)) return `${name} (turns the direction of writing over)`;
  return /^[\ud800-\udfff]$/.test(character) ? `${name} (half a character)` : `the control character ${name}`;
}
