import { type Columns, type ColumnUse } from '../../fields/columns';
import { detectDialect, type CsvDialect } from './csv-dialect';
import { MAX_FAULTS, type CsvRecord } from './csv-scan';
import { lowHeader, type LowHeader } from './header-line';
import { readRecords } from './read-records';
import { type FoundExport } from '../../fields/export-formats';
import { foldName } from '../../fields/fields';
import { MAX_PER_CODE, type Place, type ProblemList } from '../../problems/problems';
import { setOwn, type Cell, type RawRow, type RawTable } from '../../raw-row';
import { showValue } from '../../text';
import { type WorkbookTable } from '../workbook/workbook-table';
import { unguardFormula } from '../../../wording/formula';

export interface ReadCsvInput {
  text: string;
  columns: Columns;
  problems: ProblemList;
  /** One character; detected when left out. */
  delimiter?: string;
  /** Named in problems if the CSV isn't the manifest itself. */
  file?: string | null;
  /** The text was produced from a workbook's sheet. */
  workbook?: WorkbookTable;
}

interface Header {
  /** As written, trimmed; blank for a column without a name. */
  name: string;
  use: ColumnUse;
  /** Has the same name as an earlier column, which is reported. */
  again?: true;
  /** Short texts that the column has had, so that 100,000 cells with “public” share one string; absent if most differ. */
  repeated?: Map<string, string>;
}

/** A column with more different short texts than this hardly repeats any. */
const MAX_REPEATED = 1000;
const SHORT_TEXT = 32;

/** A sheet's blank cells at the end of a row are no mistake, and its texts have no guard against formulas. */
const WORKBOOK_DIALECT: CsvDialect = { delimiter: ',', from: 'option', start: 0, line: 1 };

const DELIMITER_NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

/** A CSV as raw rows, read on demand; physical lines throughout. Mistakes in its shape go to `problems`. */
export function readCsv(input: ReadCsvInput): RawTable {
  return new CsvReader(input);
}

class CsvReader implements RawTable {
  readonly columns: string[] = [];
  readonly slots = new Set<string>();
  readonly format = 'csv';
  header: Place;
  exportFormat?: FoundExport;
  readonly #input: ReadCsvInput;
  readonly #file: string | null;
  readonly #nameless = new Map<number, number>();
  #headers: Header[] | undefined;
  #guarded = false;
  #blank = { count: 0, first: 0 };
  #faults = 0;
  /** Rows as wide as the header, and lines of those with only blank cells beyond it while no others are. */
  #exact = 0;
  readonly #longer: number[] = [];

  get suspected(): ReadonlySet<string> {
    return this.#input.columns.suspected;
  }

  get kept(): readonly string[] {
    return this.#input.columns.kept;
  }

  constructor(input: ReadCsvInput) {
    this.#input = input;
    this.#file = input.file ?? null;
    this.header = { line: 1, column: null, file: this.#file };
  }

  *rows(): Generator<RawRow> {
    const { text, delimiter, workbook } = this.#input;
    const dialect = workbook === undefined ? detectDialect(text, delimiter) : WORKBOOK_DIALECT;
    if (dialect.badHint !== undefined) {
      const message = `The line “${showValue(dialect.badHint)}” names no usable delimiter.`;
      const hint = 'Write sep= with one character, such as sep=; or delete the line.';
      const at = { line: 1, column: null, file: this.#file };
      this.#input.problems.add({ code: 'delimiter', at, value: dialect.badHint, message, hint });
    }
    const low = lowHeader(text, dialect, this.#input.columns);
    if (low !== null) {
      this.#reportLowHeader(low);
      return;
    }
    let place = -1;
    for (const read of readRecords(text, dialect.delimiter, dialect.start, dialect.line)) {
      place += 1;
      const record = workbook === undefined ? read : { ...read, line: workbook.lines[place] ?? read.line };
      if (record.fault === undefined && record.cells.every((cell) => cell.trim() === '')) {
        if (this.#headers === undefined) continue;
        if (this.#blank.count === 0) this.#blank.first = record.line;
        this.#blank.count += 1;
        continue;
      }
      if (record.fault !== undefined) this.#reportFault(record.fault);
      if (this.#headers !== undefined) {
        yield this.#takeRow(record, this.#headers, dialect);
        continue;
      }
      // With an unreadable header, every row would be wrong too.
      if (record.fault !== undefined || this.#isUnmappedExport(record)) return;
      const numbered = this.#input.columns.numbered(record.cells);
      this.#headers = this.#takeHeader(
        numbered ? { ...record, cells: record.cells.map((_cell, index) => String(index + 1)) } : record,
      );
      if (numbered) yield this.#takeRow(record, this.#headers, dialect);
    }
    this.#finish();
  }

  #finish(): void {
    const { problems, columns } = this.#input;
    for (const [index, line] of this.#nameless) {
      problems.add({
        code: 'nameless-column',
        at: { line, column: null, file: this.#file },
        message: `Column ${index + 1} has no header, but data on line ${line}.`,
      });
    }
    if (this.#blank.count > 0) {
      const rows =
        this.#blank.count === 1 ? '1 blank row was' : `${this.#blank.count.toLocaleString('en-US')} blank rows were`;
      const at = { line: this.#blank.first, column: null, file: this.#file };
      problems.add({ code: 'blank-rows', at, message: `${rows} left out (the first on line ${this.#blank.first}).` });
    }
    if (this.#longer.length === 1) this.#tellBlankExtra(this.#longer[0] ?? 0, 'warning');
    columns.finish();
  }

  #reportLowHeader({ header, above }: LowHeader): void {
    const { workbook, problems } = this.#input;
    const lineOf = ({ line, place }: (typeof above)[number]): number => workbook?.lines[place] ?? line;
    const [first = header] = above;
    const [from, to, on] = [first, above.at(-1) ?? first, header].map(lineOf);
    const word = workbook === undefined ? 'line' : 'row';
    const title = first.cells.find((cell) => cell.trim() !== '') ?? '';
    const which =
      above.length === 1
        ? `${word} ${from} (“${showValue(title)}”) is`
        : `${word}s ${from} to ${to} (“${showValue(title)}”, …) are`;
    problems.add({
      code: 'header-line',
      at: { line: from ?? null, column: null, file: this.#file },
      value: title,
      message: `${which.charAt(0).toUpperCase()}${which.slice(1)} above the header, which is on ${word} ${on}.`,
      hint: `Delete the ${word}s above ${word} ${on}, so that the header is the first ${word}${workbook === undefined ? '; in Numbers, export without table names' : ''}.`,
    });
  }

  #isUnmappedExport({ line, cells }: CsvRecord): boolean {
    const { columns, problems } = this.#input;
    const found = columns.exportOf(cells);
    if (found === null) return false;
    this.exportFormat = found;
    this.header = { line, column: null, file: this.#file };
    problems.add({
      code: 'export-format',
      at: this.header,
      message: `This looks like a file of ${found.tool}.`,
      hint: columns.exportHint(found),
    });
    return true;
  }

  #takeHeader(record: CsvRecord): Header[] {
    const { problems, columns } = this.#input;
    this.header = { line: record.line, column: null, file: this.#file };
    const first = new Map<string, number>();
    this.#guarded =
      this.#input.workbook === undefined && record.cells.some((cell) => foldName(cell.trim()).startsWith('reelay_'));
    const headers = record.cells.map((cell, index): Header => {
      const written = this.#guarded ? unguardFormula(cell) : cell;
      const name = written.replace(/[\u200b\u2060\ufeff]/g, '').trim();
      const at = { line: record.line, column: name, file: this.#file };
      if (name === '') return { name, use: { use: 'drop' } };
      const folded = foldName(name);
      const before = first.get(folded);
      if (before !== undefined) {
        problems.add({
          code: 'column-duplicate',
          at,
          value: name,
          message: `Columns ${before + 1} and ${index + 1} are both named “${showValue(name)}”.`,
        });
        return { name: '', use: { use: 'drop' }, again: true };
      }
      first.set(folded, index);
      return { name, use: columns.use(name, at, () => record.cells), repeated: new Map() };
    });
    this.#dropGuesses(headers);
    for (const { name, use } of headers) {
      if (name !== '' && isOwn(name, use)) this.columns.push(name);
      if (use.use === 'slot') for (const slot of slotsOf(use)) this.slots.add(slot);
    }
    return headers;
  }

  // A guess never takes precedence over a column with the field's own name.
  #dropGuesses(headers: readonly Header[]): void {
    const taken = new Set<string>();
    for (const { use } of headers) if (use.use === 'slot' && use.guessed !== true) taken.add(use.slot);
    for (const header of headers) {
      const { use } = header;
      if (use.use !== 'slot' || use.guessed !== true) continue;
      if (taken.has(use.slot)) header.use = { use: 'keep' };
      taken.add(use.slot);
    }
  }

  #takeRow(record: CsvRecord, headers: readonly Header[], dialect: CsvDialect): RawRow {
    const { line } = record;
    const row: RawRow = {
      line,
      file: this.#file,
      slots: new Map(),
      cells: {},
      result: new Map(),
      suspected: this.suspected,
      faulty: record.fault !== undefined,
      refused: false,
    };
    if (!row.faulty) this.#checkWidth(record, row, headers.length, dialect);
    for (const [index, header] of headers.entries()) {
      const { name, use, again } = header;
      const written = record.cells[index] ?? '';
      const text = sharedText(header, this.#guarded ? unguardFormula(written) : written);
      if (name === '') {
        if (text.trim() !== '' && again !== true && !row.faulty && !this.#nameless.has(index))
          this.#nameless.set(index, line);
        continue;
      }
      if (isOwn(name, use)) setOwn(row.cells, name, text);
      if (use.use !== 'slot' && use.use !== 'result') continue;
      if (text.trim() === '') continue;
      const cell: Cell = { text, at: { line, column: name, file: this.#file }, level: 'row' };
      if (use.use === 'result') row.result.set(use.name, cell);
      else for (const slot of slotsOf(use)) this.#setSlot(row, slot, cell);
    }
    return row;
  }

  #setSlot(row: RawRow, slot: string, cell: Cell): void {
    const before = row.slots.get(slot);
    if (before === undefined) {
      row.slots.set(slot, cell);
      return;
    }
    row.refused = true;
    const message = `“${showValue(before.at.column ?? '')}” and “${showValue(cell.at.column ?? '')}” both give ${slot}.`;
    this.#input.problems.add({ code: 'field-twice', at: cell.at, value: cell.text, message });
  }

  #checkWidth(record: CsvRecord, row: RawRow, width: number, dialect: CsvDialect): void {
    const { problems } = this.#input;
    const at = { line: record.line, column: null, file: this.#file };
    if (record.cells.length < width && this.#input.workbook === undefined) {
      problems.add({
        code: 'short-row',
        at,
        message: `The row has ${record.cells.length} of ${width} cells; the missing ones count as blank.`,
      });
    }
    if (record.cells.length === width) this.#takeExact();
    if (record.cells.length <= width) return;
    const extra = record.cells.slice(width).find((cell) => cell.trim() !== '');
    if (extra === undefined) {
      row.faulty = this.#takeBlankExtra(record.line);
      return;
    }
    row.faulty = true;
    const name = DELIMITER_NAMES[dialect.delimiter] ?? `“${showValue(dialect.delimiter)}”`;
    const how = { option: 'as asked', hint: 'from the sep= line', detected: 'read from the header' }[dialect.from];
    const message = `The row has ${record.cells.length} cells, the header ${width} (delimiter: ${name}, ${how}).`;
    // Typed where a word processor makes quotes “smart”, or copied from another kind of file.
    const other = record.cells.map((cell) => /^\s*([“„‘'])/.exec(cell)?.[1]).find((quote) => quote !== undefined);
    const hint =
      other === undefined
        ? {}
        : {
            hint: `Only the straight " holds a cell together; ${other} doesn’t. Put " around a cell that contains the delimiter.`,
          };
    problems.add({ code: 'extra-cells', at, value: extra, message, ...hint });
  }

  /**
   * “Part 1, basics,,,”: unquoted, the delimiter in a title splits it, and only pushes a blank cell beyond the header.
   * Some programs write one delimiter too many at the end of every row.
   */
  #takeBlankExtra(line: number): boolean {
    if (this.#exact > 0) {
      this.#tellBlankExtra(line, 'error');
      return true;
    }
    if (this.#longer.length < MAX_PER_CODE) this.#longer.push(line);
    return false;
  }

  #takeExact(): void {
    this.#exact += 1;
    for (const line of this.#longer.splice(0)) this.#tellBlankExtra(line, 'error');
  }

  #tellBlankExtra(line: number, severity: 'error' | 'warning'): void {
    const message =
      severity === 'error'
        ? 'The row has more cells than the header and other rows: a cell with the delimiter in it may have lost its quotes.'
        : 'The row has more cells than the header, if only blank ones: a cell with the delimiter in it may have lost its quotes.';
    const at = { line, column: null, file: this.#file };
    this.#input.problems.add({ code: 'extra-cells', severity, at, message });
  }

  #reportFault(fault: NonNullable<CsvRecord['fault']>): void {
    const at = { line: fault.line, column: null, file: this.#file };
    const sameLine = fault.closesOn === fault.line;
    const code = sameLine ? 'stray-quote' : fault.code;
    let message: string;
    if (code === 'stray-quote') {
      message = sameLine
        ? `On line ${fault.line} a quoted cell continues after its closing quote.`
        : `On line ${fault.line} a quote is inside a cell that doesn’t start with one.`;
    } else if (fault.closesOn === undefined) message = `The quote opened on line ${fault.line} is never closed.`;
    else message = `The quote opened on line ${fault.line} isn’t closed there: it runs on to line ${fault.closesOn}.`;
    // “a.mp4, "Part 1, basics"”: because of the space, the cell doesn’t start with its quote.
    const blankFirst = code === 'stray-quote' && !sameLine && /^\s+"/.test(fault.value);
    if (blankFirst) message = `On line ${fault.line} there is a space before an opening quote.`;
    const hint = blankFirst ? { hint: 'Delete the space between the delimiter and the quote.' } : {};
    this.#faults += 1;
    if (this.#faults === MAX_FAULTS) message += ` After ${MAX_FAULTS} wrong quotes the rest of the file wasn’t read.`;
    this.#input.problems.add({ code, at, value: fault.value, message, ...hint });
  }
}

function sharedText(header: Header, text: string): string {
  const { repeated } = header;
  if (repeated === undefined || text.length > SHORT_TEXT) return text;
  const known = repeated.get(text);
  if (known !== undefined) return known;
  if (repeated.size === MAX_REPEATED) delete header.repeated;
  else repeated.set(text, text);
  return text;
}

function slotsOf(use: Extract<ColumnUse, { use: 'slot' }>): string[] {
  return [use.slot, ...(use.also ?? [])];
}

function isOwn(name: string, use: ColumnUse): boolean {
  return use.use !== 'result' && !(use.use === 'drop' && foldName(name).startsWith('reelay_'));
}
