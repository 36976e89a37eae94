const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Text, or a local time: as if it were UTC, in ms. */
export type WorkbookCell = string | { localMs: number };

export interface WorkbookSheet {
  /** Letters, digits and spaces. */
  name: string;
  header: readonly string[];
  rows: AsyncIterable<readonly WorkbookCell[]>;
}

/** Spreadsheets can't open more rows. */
export const MAX_SHEET_ROWS = 1_048_576;
/** Longer texts make Excel call the file damaged. */
const MAX_CELL_TEXT = 32_767;
const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

const STYLE = { text: 1, date: 2, header: 3 } as const;

/**
 * A sheet's XML in pieces. Text is written as text, whatever it looks like, so no cell is ever a formula.
 * @throws RangeError if a sheet can't hold this many rows
 */
export async function* sheetPieces({ header, rows }: WorkbookSheet): AsyncGenerator<string> {
  const width = String(Math.max(1, header.length));
  yield (
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols><col min="1" max="${width}" width="20" customWidth="1"/></cols><sheetData>` +
    rowText(1, header, STYLE.header)
  );
  let line = 1;
  let piece = '';
  for await (const row of rows) {
    if (++line > MAX_SHEET_ROWS)
      throw new RangeError(`a sheet has at most ${MAX_SHEET_ROWS.toLocaleString('en-US')} rows`);
    piece += rowText(line, row, STYLE.text);
    if (piece.length < 64 * 1024) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</sheetData></worksheet>`;
}

function rowText(line: number, cells: readonly WorkbookCell[], textStyle: number): string {
  return `<row r="${String(line)}">${cells.map((cell) => cellText(cell, textStyle)).join('')}</row>`;
}

function cellText(cell: WorkbookCell, textStyle: number): string {
  if (typeof cell !== 'string') {
    const serial = (cell.localMs - EPOCH) / DAY_MS;
    return `<c s="${String(STYLE.date)}"><v>${String(serial)}</v></c>`;
  }
  if (cell === '') return '<c/>';
  const text = escapeText(cell.slice(0, MAX_CELL_TEXT).toWellFormed());
  return `<c s="${String(textStyle)}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Characters that XML can't hold are written as `_x000D_`, and what looks like that is escaped itself. */
function escapeText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return `_x${code}_`;
    })
    .replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}
