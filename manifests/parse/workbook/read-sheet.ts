import { numberText } from './number-text';
import { readXml } from './read-xml';
import { RichText, type Workbook } from './workbook-parts';
import { WorkbookError } from './zip-parts';

const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

export interface SheetRow {
  /** Its number, from 1. */
  line: number;
  /** By column, from 0; blank if the sheet has no value. */
  cells: string[];
  hidden: boolean;
}

export interface SheetHandler {
  row(row: SheetRow): void;
  /** A cell without a usable value: an error such as `#REF!`, or a formula that was never calculated. */
  broken(cell: { line: number; column: number; value: string | null }): void;
  /** A range of merged cells, such as `A2:A5`. */
  merged(range: string): void;
}

/** Reads a sheet's cells row by row, as text. @throws WorkbookError */
export function readSheet(part: string, bytes: Uint8Array, workbook: Workbook, handler: SheetHandler): void {
  let row: SheetRow = { line: 0, cells: [], hidden: false };
  let cell: OpenCell = newCell({}, row, -1);
  let column = -1;
  let field = '';
  const rich = new RichText();
  readXml(part, bytes, {
    open: ({ name, attributes }) => {
      if (name === 'row') {
        const line = attributes.r === undefined ? row.line + 1 : Number(attributes.r);
        if (!(line > row.line && line <= MAX_ROWS))
          throw new WorkbookError(`is damaged: rows of ${part} are out of order`);
        row = { line, cells: [], hidden: /^(1|true)$/.test(attributes.hidden ?? '') };
        column = -1;
      } else if (name === 'c') {
        cell = newCell(attributes, row, column);
        column = cell.column;
      } else if (name === 'f') cell.formula = true;
      else if (name === 'mergeCell') handler.merged(attributes.ref ?? '');
      if (name === 'v' || name === 'is') {
        field = name;
        rich.start();
      }
      rich.open(name);
    },
    close: (name) => {
      rich.close(name);
      if (name === 'is') cell.inline = rich.take();
      if (name === field) field = '';
      if (name === 'c') takeCell(cell, row, workbook, handler);
      if (name === 'row') handler.row(row);
    },
    text: (text) => {
      if (field === 'v') cell.value += text;
      else if (field === 'is') rich.text(text);
    },
  });
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  value: string;
  inline: string | null;
  formula: boolean;
}

function newCell(attributes: Readonly<Record<string, string>>, row: SheetRow, before: number): OpenCell {
  const { r, t = 'n', s = '0' } = attributes;
  const column = r === undefined ? before + 1 : columnNumber(r);
  if (column >= MAX_COLUMNS || (r !== undefined && column < 0))
    throw new WorkbookError(`is damaged: it has no column ${(r ?? '').slice(0, 20)} (row ${String(row.line)})`);
  return { column, type: t, style: Number(s), value: '', inline: null, formula: false };
}

function takeCell(cell: OpenCell, row: SheetRow, workbook: Workbook, handler: SheetHandler): void {
  const at = { line: row.line, column: cell.column };
  if (cell.type === 'e') {
    handler.broken({ ...at, value: cell.value });
    return;
  }
  // A formula that gives no text has an empty value; one that was never calculated has none.
  if (cell.formula && cell.value === '' && cell.type !== 'str') {
    handler.broken({ ...at, value: null });
    return;
  }
  const text = cellText(cell, workbook);
  if (text === '') return;
  while (row.cells.length < cell.column) row.cells.push('');
  row.cells[cell.column] = text;
}

function cellText({ type, value, inline, style }: OpenCell, workbook: Workbook): string {
  if (inline !== null) return inline;
  switch (type) {
    case 's':
      return workbook.sharedStrings[Number(value)] ?? '';
    case 'b':
      return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
    case 'd':
      return value.replace('T', ' ').replace(/(:\d\d):00(?:\.0+)?$/, '$1');
    case 'n': {
      const number = Number(value);
      if (value.trim() === '' || !Number.isFinite(number)) return value;
      return numberText(number, workbook.formats[style] ?? { date: false, time: false }, workbook.date1904);
    }
    default:
      return value;
  }
}

/** `C5` is column 2. */
function columnNumber(reference: string): number {
  let number = 0;
  for (const letter of /^[A-Z]{0,4}/i.exec(reference)?.[0].toUpperCase() ?? '')
    number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

/** Column 2 is `C`. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column; rest >= 0; rest = Math.floor(rest / 26) - 1)
    letters = String.fromCharCode(65 + (rest % 26)) + letters;
  return letters;
}
