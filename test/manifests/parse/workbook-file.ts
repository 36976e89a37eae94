import { strToU8, zipSync } from 'fflate';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts of a workbook as XML; what is left out is a plain one. */
export interface WorkbookFile {
  /** Of each sheet: the inside of its `sheetData`, and what follows it. */
  sheets: readonly { name: string; rows: string; after?: string; state?: string }[];
  /** Format codes from number 164 on; cell style n + 1 has the nth. */
  formats?: readonly string[];
  /** The inside of each `si`. */
  strings?: readonly string[];
  date1904?: boolean;
  /** More parts, or other ones. */
  parts?: Readonly<Record<string, string>>;
}

/** A workbook as its program would write it. */
export function workbookFile({ sheets, formats = [], strings = [], date1904, parts = {} }: WorkbookFile): Buffer {
  const listed = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" ${state === undefined ? '' : `state="${state}"`} r:id="rId${at + 1}"/>`,
  );
  const related = sheets.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const codes = formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`);
  const styles = formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`);
  const all: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${date1904 === true ? ' date1904="1"' : ''}/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
  };
  for (const [at, { rows, after = '' }] of sheets.entries())
    all[`xl/worksheets/sheet${at + 1}.xml`] = `<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`;
  Object.assign(all, parts);
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(all).map(([name, text]) => [name, strToU8(text)]))));
}

/** Texts as a row of inline cells. */
export function textRow(line: number, cells: readonly string[], attributes = ''): string {
  const each = cells.map((text) => (text === '' ? '<c/>' : `<c t="inlineStr"><is><t>${text}</t></is></c>`));
  return `<row r="${line}" ${attributes}>${each.join('')}</row>`;
}
