import { FIELD_ALIASES, FIELDS, foldName } from '../../fields/fields';

/** Delimiters that are found without being named. */
export const DELIMITERS = [',', ';', '\t', '|'];
const NAMES: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' };

/** The format of a CSV and where its header starts. */
export interface CsvDialect {
  delimiter: string;
  /** `hint`: a `sep=` line; `detected`: from the header line. */
  from: 'option' | 'hint' | 'detected';
  /** Offset in the text after a `sep=` line, in UTF-16 units. */
  start: number;
  /** Physical line at `start`, from 1. */
  line: number;
  /** A `sep=` line without a valid delimiter, as written. */
  badHint?: string;
}

/** The character that a delimiter option means, or undefined if it isn't valid. */
export function delimiterNamed(option: string): string | undefined {
  const character = Object.hasOwn(NAMES, option.toLowerCase()) ? NAMES[option.toLowerCase()] : option;
  return character?.length === 1 && !'"\r\n'.includes(character) ? character : undefined;
}

/**
 * The delimiter for a copy of a sheet: the sheet's own, as its program expects it, unless the copy could only be read
 * by naming it.
 */
export function delimiterOfCopy(text: string, option?: string): string {
  const { delimiter } = detectDialect(text, option === undefined ? undefined : delimiterNamed(option));
  return isDetected(delimiter) ? delimiter : ',';
}

/** Whether a CSV with this delimiter is read without naming it. */
export function isDetected(delimiter: string): boolean {
  return DELIMITERS.includes(delimiter);
}

// Spreadsheets write the hint bare, quoted, and padded with delimiters when they save it as a row.
const HINT = /^\ufeff?[ \t]*(?:"sep=(.|\\t)"|sep=(.|\\t))[;,|\t ]*(\r\n|\r|\n|$)/i;

const ANY_HINT = /^\ufeff?[ \t]*"?(sep=[^\r\n]*)(\r\n|\r|\n|$)/i;

/** Finds the dialect: the given option, otherwise a `sep=` line, otherwise the header line outside of quotes. */
export function detectDialect(text: string, option?: string): CsvDialect {
  const asked = HINT.exec(text);
  const bad = asked === null || delimiterNamed(asked[1] ?? asked[2] ?? '') === undefined ? ANY_HINT.exec(text) : null;
  const hint = bad ?? asked;
  const start = hint === null ? (text.startsWith('\ufeff') ? 1 : 0) : hint[0].length;
  const line = hint === null ? 1 : 2;
  if (option !== undefined) return { delimiter: option, from: 'option', start, line };
  const hinted = bad !== null || asked === null ? undefined : delimiterNamed(asked[1] ?? asked[2] ?? '');
  if (hinted !== undefined) return { delimiter: hinted, from: 'hint', start, line };
  const badHint = bad === null ? {} : { badHint: bad[1] ?? '' };
  return { delimiter: detectDelimiter(headerParts(text, start)), from: 'detected', start, line, ...badHint };
}

/** The first non-empty line, including line breaks inside quotes; quoted parts are marked. */
function headerParts(text: string, start: number): string {
  let quoted = false;
  let header = '';
  for (let at = start; at < text.length && header.length < 100_000; at += 1) {
    const character = text.charAt(at);
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '\n' || character === '\r')) {
      if (header.trim() !== '') break;
      header = '';
    } else header += quoted && DELIMITERS.includes(character) ? '\u0000' : character;
  }
  return header;
}

/** The candidate that splits the header into most known fields, then into most cells. */
function detectDelimiter(header: string): string {
  let best = { delimiter: ',', known: -1, cells: -1 };
  for (const delimiter of DELIMITERS) {
    const parts = header.split(delimiter);
    const known = knownFields(parts);
    if (known > best.known || (known === best.known && parts.length > best.cells))
      best = { delimiter, known, cells: parts.length };
  }
  return best.delimiter;
}

function knownFields(names: readonly string[]): number {
  return names.map(foldName).filter((name) => Object.hasOwn(FIELDS, name) || Object.hasOwn(FIELD_ALIASES, name)).length;
}
