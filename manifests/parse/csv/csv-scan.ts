/** One record of a CSV: its cells and the physical line (from 1) on which it starts. */
export interface CsvRecord {
  line: number;
  cells: string[];
  /** Set where the quotes are wrong; `cells` are then a guess. */
  fault?: CsvFault;
}

export interface CsvFault {
  code: 'unclosed-quote' | 'stray-quote';
  /** Physical line of the quote itself. */
  line: number;
  /** What the cell starts with. */
  value: string;
  /** For an unclosed quote: the line on which it closes in an odd place, if it does. */
  closesOn?: number;
}

/** After this many wrong quotes the rest isn't read: this bounds the work, and the file has to be fixed anyway. */
export const MAX_FAULTS = 100;

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Splits text that csv-parse refused into records, in one pass, and explains wrong quotes. Line ends may be CRLF, LF
 * and CR, mixed. A wrong quote is reported at the line where it was opened; after an unclosed quote, reading resumes
 * with the next physical line, so that the other rows are checked too. `readRecords` is the usual reader.
 */
export function* scanCsv(text: string, delimiter: string, start = 0, firstLine = 1): Generator<CsvRecord> {
  const separator = delimiter.charCodeAt(0);
  const end = text.length;
  let at = start;
  let line = firstLine;
  let faults = 0;
  while (at < end) {
    const record: CsvRecord = { line, cells: [] };
    const recordStart = at;
    let resume: number | undefined;
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const cell = readQuoted(text, at, separator);
        if (!cell.closed) {
          const fault: CsvFault = { code: 'unclosed-quote', line, value: lineFrom(text, at) };
          record.fault ??= cell.end < end ? { ...fault, closesOn: line + cell.breaks } : fault;
          // From here on this physical line can't be trusted.
          record.cells.push(lineFrom(text, at));
          resume = lineEnd(text, at);
          break;
        }
        record.cells.push(cell.text);
        at = cell.end;
        line += cell.breaks;
      } else {
        const from = at;
        let quote = false;
        for (; at < end; at += 1) {
          const code = text.charCodeAt(at);
          if (code === separator || code === LF || code === CR) break;
          if (code === QUOTE) quote = true;
        }
        const value = text.slice(from, at);
        record.cells.push(value);
        if (quote) record.fault ??= { code: 'stray-quote', line, value };
      }
      if (at < end && text.charCodeAt(at) === separator) at += 1;
      else break;
    }
    if (resume !== undefined) at = resume;
    if (at < end) {
      at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
      line += 1;
    }
    if (at === recordStart) return;
    yield record;
    if (record.fault !== undefined && (faults += 1) >= MAX_FAULTS) return;
  }
}

/** Reads a quoted cell at its opening quote. Not closed: no quote, or text between the closing quote and the delimiter. */
function readQuoted(
  text: string,
  open: number,
  separator: number,
): { closed: boolean; text: string; end: number; breaks: number } {
  let at = open + 1;
  let doubled = false;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return { closed: false, text: '', end: text.length, breaks: 0 };
    if (text.charCodeAt(quote + 1) === QUOTE) {
      doubled = true;
      at = quote + 2;
      continue;
    }
    const raw = text.slice(open + 1, quote);
    let end = quote + 1;
    // Spaces between the closing quote and the delimiter are accepted.
    while (text.charCodeAt(end) === 0x20) end += 1;
    const next = text.charCodeAt(end);
    const closed = end >= text.length || next === separator || next === LF || next === CR;
    return { closed, text: doubled ? raw.replaceAll('""', '"') : raw, end, breaks: countBreaks(raw) };
  }
}

/** Line ends in a cell. */
export function countBreaks(text: string): number {
  let breaks = 0;
  // Most cells have none, and two native searches cost less than a loop.
  if (!text.includes('\n') && !text.includes('\r')) return breaks;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) breaks += 1;
  }
  return breaks;
}

function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== LF && text.charCodeAt(at) !== CR) at += 1;
  return at;
}

function lineFrom(text: string, from: number): string {
  return text.slice(from, lineEnd(text, from));
}
