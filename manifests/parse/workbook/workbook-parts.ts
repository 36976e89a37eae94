import { readXml } from './read-xml';
import { shownParts, type ShownParts } from './number-format';
import { WorkbookError, type ZipParts } from './zip-parts';

export interface SheetEntry {
  name: string;
  hidden: boolean;
  /** Its part in the archive. */
  part: string;
}

/** The data of a workbook besides its cells. */
export interface Workbook {
  sheets: SheetEntry[];
  /** Days count from 1904, as in workbooks of old Macs. */
  date1904: boolean;
  sharedStrings: readonly string[];
  /** By a cell's style number: what its number format shows. */
  formats: readonly ShownParts[];
}

/** @throws WorkbookError */
export function readWorkbook(parts: ZipParts): Workbook {
  const main = parts.has('xl/workbook.xml') ? 'xl/workbook.xml' : null;
  const bytes = main === null ? undefined : parts.read(main);
  if (bytes === undefined) throw new WorkbookError('has no sheets that can be read (xl/workbook.xml is missing)');
  const targets = relations(parts);
  const sheets: SheetEntry[] = [];
  let date1904 = false;
  readXml('xl/workbook.xml', bytes, {
    open: ({ name, attributes }) => {
      if (name === 'workbookPr') date1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const part = targets.get(attributes.id ?? '');
      const hidden = /^(hidden|veryHidden)$/.test(attributes.state ?? '');
      if (part !== undefined) sheets.push({ name: attributes.name ?? '', hidden, part });
    },
  });
  return { sheets, date1904, sharedStrings: sharedStrings(parts), formats: formats(parts) };
}

/** Worksheets by the id of their relation; charts and macro sheets have other types. */
function relations(parts: ZipParts): Map<string, string> {
  const targets = new Map<string, string>();
  const bytes = parts.read('xl/_rels/workbook.xml.rels');
  if (bytes === undefined) return targets;
  readXml('xl/_rels/workbook.xml.rels', bytes, {
    open: ({ name, attributes }) => {
      if (name !== 'Relationship' || !/\/worksheet$/.test(attributes.Type ?? '')) return;
      const target = attributes.Target ?? '';
      targets.set(attributes.Id ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    },
  });
  return targets;
}

/** Texts that cells refer to by number. Of a text in several fonts the runs are joined; how it is pronounced is left out. */
function sharedStrings(parts: ZipParts): string[] {
  const texts: string[] = [];
  const bytes = parts.read('xl/sharedStrings.xml');
  if (bytes === undefined) return texts;
  const reader = new RichText();
  readXml('xl/sharedStrings.xml', bytes, {
    open: ({ name }) => {
      if (name === 'si') reader.start();
      reader.open(name);
    },
    close: (name) => {
      reader.close(name);
      if (name === 'si') texts.push(reader.take());
    },
    text: (text) => {
      reader.text(text);
    },
  });
  return texts;
}

/** Collects the `<t>` of a text, without those of phonetic runs. */
export class RichText {
  #pieces = '';
  #inText = false;
  #phonetic = 0;

  start(): void {
    this.#pieces = '';
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic += 1;
    if (name === 't') this.#inText = this.#phonetic === 0;
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic -= 1;
    if (name === 't') this.#inText = false;
  }

  text(text: string): void {
    if (this.#inText) this.#pieces += text;
  }

  /** `_x000D_` is how a workbook writes characters that XML can't hold. */
  take(): string {
    const text = this.#pieces.replace(/_x([0-9A-Fa-f]{4})_/g, (_match, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    this.#pieces = '';
    return text;
  }
}

function formats(parts: ZipParts): ShownParts[] {
  const found: ShownParts[] = [];
  const bytes = parts.read('xl/styles.xml');
  if (bytes === undefined) return found;
  const codes = new Map<number, string>();
  let inCells = false;
  readXml('xl/styles.xml', bytes, {
    open: ({ name, attributes }) => {
      if (name === 'numFmt') codes.set(Number(attributes.numFmtId), attributes.formatCode ?? '');
      if (name === 'cellXfs') inCells = true;
      if (name === 'xf' && inCells) {
        const id = Number(attributes.numFmtId ?? 0);
        found.push(shownParts(id, codes.get(id)));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return found;
}
