import { stringify } from 'csv-stringify/sync';
import { MAX_MANIFEST_BYTES } from '../load-file';
import { columnLetters, readSheet, type SheetRow } from './read-sheet';
import { readWorkbook, type SheetEntry, type Workbook } from './workbook-parts';
import { WorkbookError, ZipParts } from './zip-parts';
import { type Place, type ProblemList } from '../../problems/problems';
import { CORRECT_SHEET } from '../../../wording/results-sheet';
import { shellWord } from '../../../wording/shell';
import { showValue } from '../../text';
import { type SheetPlaces } from '../../types';

/** A sheet of a workbook as the text of a CSV with commas, and the positions of its records in the workbook. */
export interface WorkbookTable {
  text: string;
  /** The sheet's row of each record. */
  lines: readonly number[];
  places: SheetPlaces;
}

/** `Sheet1!C5`, and `Sheet1!5:5` for a row; undefined for a place outside the rows. */
export function cellName(
  { sheet, columns }: SheetPlaces,
  { line, column }: Pick<Place, 'line' | 'column'>,
): string | undefined {
  if (line === null) return undefined;
  const name = /^[A-Za-z_]\w*$/.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
  const letters = column === null ? undefined : columns.get(column);
  return letters === undefined ? `${name}!${String(line)}:${String(line)}` : `${name}!${letters}${String(line)}`;
}

export interface WorkbookInput {
  bytes: Buffer;
  /** The requested sheet. */
  sheet: string | undefined;
  /** Set if the workbook isn't the manifest itself. */
  file: string | null;
  problems: ProblemList;
}

/**
 * Reads the rows of one sheet: the named one, otherwise the sheet of rows to correct if reelay wrote the workbook,
 * otherwise the first visible one. Rows without any value are left out. Mistakes in the workbook are problems, and the
 * result is null if nothing can be read.
 */
export function readWorkbookTable(input: WorkbookInput): WorkbookTable | null {
  const { bytes, file, problems } = input;
  try {
    const parts = new ZipParts(bytes);
    const workbook = readWorkbook(parts);
    const own = input.sheet === undefined ? sheetToCorrect(workbook, parts) : undefined;
    const chosen = own ?? chooseSheet(workbook.sheets, input);
    if (chosen === null) return null;
    const part = parts.read(chosen.part);
    if (part === undefined) throw new WorkbookError(`is damaged: its sheet “${showValue(chosen.name)}” is missing`);
    const collector = new Collector(chosen.name, input);
    problems.nameCells((at) => ((at.file ?? null) === file ? cellName(collector.places, at) : undefined));
    readSheet(chosen.part, part, workbook, collector);
    if (input.sheet === undefined && own === undefined) reportOthers(workbook.sheets, chosen, parts, input);
    return collector.finish();
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    const at = { line: null, column: null, file };
    problems.add({ code: 'workbook-unreadable', at, message: `The workbook ${error.message}.` });
    return null;
  }
}

/** The sheet of rows to correct in a workbook of results. A sheet of the user's own may have its name. */
function sheetToCorrect(workbook: Workbook, parts: ZipParts): SheetEntry | undefined {
  const found = workbook.sheets.find(({ name, hidden }) => name === CORRECT_SHEET && !hidden);
  const part = found && parts.read(found.part);
  if (part === undefined) return undefined;
  const headers: string[][] = [];
  readSheet(found?.part ?? '', part, workbook, {
    row: ({ cells }) => {
      if (headers.length === 0 && cells.some((cell) => cell.trim() !== '')) headers.push(cells);
    },
    broken: () => undefined,
    merged: () => undefined,
  });
  return headers[0]?.includes('reelay_key') === true ? found : undefined;
}

function chooseSheet(sheets: readonly SheetEntry[], { sheet, file, problems }: WorkbookInput): SheetEntry | null {
  if (sheets.length === 0) throw new WorkbookError('has no sheet that can be read');
  const visible = sheets.filter(({ hidden }) => !hidden);
  const same = (one: SheetEntry): boolean => one.name.toLowerCase() === sheet?.trim().toLowerCase();
  const chosen = sheet === undefined ? visible[0] : (sheets.find(({ name }) => name === sheet) ?? sheets.find(same));
  if (chosen !== undefined) return chosen;
  const names = sheets.map(({ name }) => `“${showValue(name)}”`).join(', ');
  const at = { line: null, column: null, file };
  const message =
    sheet === undefined
      ? 'The workbook has no visible sheet.'
      : `The workbook has no sheet “${showValue(sheet)}”; it has ${names === '' ? 'none' : names}.`;
  problems.add({ code: 'sheet-missing', at, value: sheet ?? null, message });
  return null;
}

/** It is only unclear which sheet is meant if another has values too. */
function reportOthers(
  sheets: readonly SheetEntry[],
  chosen: SheetEntry,
  parts: ZipParts,
  { file, problems }: WorkbookInput,
): void {
  const others = sheets.filter((one) => one !== chosen && !one.hidden && hasValues(parts.read(one.part)));
  if (others.length === 0) return;
  const names = others.map(({ name }) => `“${showValue(name)}”`).join(', ');
  const message = `The sheet “${showValue(chosen.name)}” is read; ${names} ${others.length === 1 ? 'has' : 'have'} values too.`;
  const flags = others.map(({ name }) => `--sheet ${shellWord(showValue(name))}`).join(' or ');
  const hint = `If another sheet has the rows that are meant, name it: ${flags}; without this warning, this one is read with --sheet ${shellWord(showValue(chosen.name))}.`;
  problems.add({ code: 'several-sheets', at: { line: null, column: null, file }, value: chosen.name, message, hint });
}

function hasValues(part: Uint8Array | undefined): boolean {
  if (part === undefined) return false;
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  return bytes.includes('<v>') || bytes.includes('<is>') || bytes.includes(':v>');
}

/** Records joined to text at once. */
const PAGE = 1_000;

class Collector {
  readonly #input: WorkbookInput;
  readonly #columns = new Map<string, string>();
  readonly places: SheetPlaces;
  readonly #lines: number[] = [];
  readonly #hidden: number[] = [];
  readonly #pieces: string[] = [];
  #page: string[][] = [];
  #header: SheetRow | undefined;
  #width = 0;
  #size = 0;
  /** Cells above the header without a usable value. */
  readonly #broken: Parameters<Collector['broken']>[0][] = [];
  readonly #merged: string[] = [];

  constructor(sheet: string, input: WorkbookInput) {
    this.#input = input;
    this.places = { sheet, columns: this.#columns };
  }

  row(row: SheetRow): void {
    if (row.cells.every((cell) => cell.trim() === '')) return;
    this.#width = Math.max(this.#width, row.cells.length);
    if (this.#header === undefined) {
      this.#header = row;
      for (const [at, cell] of row.cells.entries()) {
        const name = cell.replace(/[\u200b\u2060\ufeff]/g, '').trim();
        if (name !== '' && !this.#columns.has(name)) this.#columns.set(name, columnLetters(at));
      }
      return;
    }
    // Counted before the text is built: a million cells may refer to one long text.
    for (const cell of row.cells) this.#size += cell.length + 1;
    if (this.#size > MAX_MANIFEST_BYTES) {
      const most = `${String(MAX_MANIFEST_BYTES / 1024 / 1024)} MiB`;
      throw new WorkbookError(`has a sheet with more than ${most} of text; split it into several`);
    }
    this.#lines.push(row.line);
    if (row.hidden) this.#hidden.push(row.line);
    if (this.#page.push(row.cells) === PAGE) this.#flush();
  }

  broken(cell: { line: number; column: number; value: string | null }): void {
    if (this.#broken.length < MAX_BROKEN) this.#broken.push(cell);
  }

  merged(range: string): void {
    if (this.#merged.length < MAX_BROKEN) this.#merged.push(range);
  }

  finish(): WorkbookTable {
    this.#flush();
    const header = this.#header;
    const { places } = this;
    if (header === undefined) return { text: '', lines: [], places };
    this.#reportBroken();
    this.#reportMerged(header.line);
    this.#reportHidden();
    // As wide as the widest row: a value beyond the header is in a column without a name.
    const cells = [...header.cells, ...Array<string>(this.#width - header.cells.length).fill('')];
    return { text: csv([cells]) + this.#pieces.join(''), lines: [header.line, ...this.#lines], places };
  }

  #flush(): void {
    this.#pieces.push(csv(this.#page));
    this.#page = [];
  }

  #reportBroken(): void {
    const headers = new Map([...this.#columns].map(([header, letters]) => [letters, header]));
    for (const { line, column, value } of this.#broken) {
      const letters = columnLetters(column);
      const at = { line, column: headers.get(letters) ?? letters, file: this.#input.file };
      const message =
        value === null
          ? `${letters}${String(line)} has a formula that was never calculated.`
          : `${letters}${String(line)} shows the error ${showValue(value)}.`;
      this.#input.problems.startRow();
      this.#input.problems.add({ code: 'cell-error', at, value, message });
    }
  }

  // Only its first cell has the value; the rows below would take the default.
  #reportMerged(header: number): void {
    for (const range of this.#merged) {
      const [, first = '0', last = '0'] = /^[A-Z]+(\d+):[A-Z]+(\d+)$/.exec(range) ?? [];
      if (Number(last) <= header) continue;
      const at = { line: Math.max(Number(first), header), column: null, file: this.#input.file };
      const message = `The cells ${showValue(range)} are merged: only the first of them has a value.`;
      this.#input.problems.startRow();
      this.#input.problems.add({ code: 'merged-cells', at, value: range, message });
    }
  }

  #reportHidden(): void {
    const [first] = this.#hidden;
    if (first === undefined) return;
    const count = this.#hidden.length;
    const shown = this.#hidden.slice(0, 5).join(', ');
    const message = `${count === 1 ? 'Row' : `${count.toLocaleString('en-US')} rows are hidden and read too:`} ${shown}${count > 5 ? ', …' : ''}${count === 1 ? ' is hidden and read too' : ''}.`;
    this.#input.problems.add({
      code: 'hidden-rows',
      at: { line: first, column: null, file: this.#input.file },
      message,
    });
  }
}

/** Cells and ranges reported at most. */
const MAX_BROKEN = 10_000;

function csv(records: readonly (readonly string[])[]): string {
  return records.length === 0
    ? ''
    : stringify(records as string[][], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
}
