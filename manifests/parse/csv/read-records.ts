import { CsvError, parse } from 'csv-parse/sync';
import { countBreaks, scanCsv, type CsvRecord } from './csv-scan';

/**
 * UTF-16 units parsed at once: enough for the parser's speed, few enough that the records of a large file aren't all in
 * memory.
 */
const PIECE = 64 * 1024;

const LINE_ENDS = ['\r\n', '\n', '\r'];

/**
 * Splits a CSV into records, each with its physical line. csv-parse reads them, piece by piece. What it refuses (a
 * quote that isn't closed or is in an odd place, or text that isn't valid Unicode) is read by `scanCsv` from there on,
 * which says where the quote was opened and continues below it, so that the other rows are checked too.
 */
export function* readRecords(text: string, delimiter: string, start = 0, firstLine = 1): Generator<CsvRecord> {
  let at = start;
  let line = firstLine;
  while (at < text.length) {
    const piece = parsePiece(text, at, delimiter);
    if (piece === null) {
      yield* scanCsv(text, delimiter, at, line);
      return;
    }
    for (const cells of piece.records) {
      yield { line, cells };
      line += 1;
      for (const cell of cells) line += countBreaks(cell);
    }
    at = piece.end;
  }
}

/**
 * The records of the next piece, or null if csv-parse refuses it. A piece ends with a line; it grows while a quote is
 * open at its end.
 */
function parsePiece(text: string, start: number, delimiter: string): { records: string[][]; end: number } | null {
  for (let size = PIECE; ; size *= 4) {
    const end = endOfLine(text, start + size);
    const piece = text.slice(start, end);
    // csv-parse reads bytes: half of a surrogate pair would become another character on the way.
    if (!piece.isWellFormed()) return null;
    try {
      const records = parse(piece, { delimiter, record_delimiter: LINE_ENDS, relax_column_count: true, bom: false });
      return { records, end };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      if (error.code !== 'CSV_QUOTE_NOT_CLOSED' || end === text.length) return null;
    }
  }
}

/** Offset after the first line end at or after `from`. */
function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\n' || (character === '\r' && text.charAt(at + 1) !== '\n')) return at + 1;
  }
  return text.length;
}
