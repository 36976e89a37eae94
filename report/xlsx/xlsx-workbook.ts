import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import { sheetPieces, type WorkbookSheet } from './xlsx-sheet';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Writes an Excel workbook piece by piece: only one piece of a sheet is in memory at once. */
export async function* workbookPieces(sheets: readonly WorkbookSheet[]): AsyncGenerator<Uint8Array> {
  const out = new PassThrough();
  const zip = new Zip((error, data, final) => {
    if (error !== null) out.destroy(error);
    else if (final) out.end(data);
    else out.write(data);
  });
  const writing = writeParts(zip, sheets, out).catch((error: unknown) => out.destroy(error as Error));
  yield* out as AsyncIterable<Uint8Array>;
  await writing;
}

async function writeParts(zip: Zip, sheets: readonly WorkbookSheet[], out: PassThrough): Promise<void> {
  const add = (name: string, text: string): void => {
    part(zip, name).push(strToU8(text), true);
  };
  add('[Content_Types].xml', contentTypes(sheets.length));
  add('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']]));
  add('xl/workbook.xml', workbook(sheets));
  const targets = sheets.map((_sheet, at): [string, string] => ['worksheet', `worksheets/sheet${String(at + 1)}.xml`]);
  add('xl/_rels/workbook.xml.rels', relations([...targets, ['styles', 'styles.xml']]));
  add('xl/styles.xml', STYLES);
  for (const [at, sheet] of sheets.entries()) {
    const file = part(zip, `xl/worksheets/sheet${String(at + 1)}.xml`);
    for await (const piece of sheetPieces(sheet)) {
      file.push(strToU8(piece));
      if (out.writableNeedDrain) await once(out, 'drain');
    }
    file.push(new Uint8Array(0), true);
  }
  zip.end();
}

function part(zip: Zip, name: string): ZipDeflate {
  const file = new ZipDeflate(name, { level: 6 });
  zip.add(file);
  return file;
}

function contentTypes(sheets: number): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const override = (name: string, kind: string): string =>
    `<Override PartName="/xl/${name}.xml" ContentType="${type}.${kind}+xml"/>`;
  const each = Array.from({ length: sheets }, (_, at) => override(`worksheets/sheet${String(at + 1)}`, 'worksheet'));
  return (
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${override('workbook', 'sheet.main')}${override('styles', 'styles')}${each.join('')}</Types>`
  );
}

function relations(targets: readonly (readonly [string, string])[]): string {
  const each = targets.map(
    ([type, target], at) => `<Relationship Id="rId${String(at + 1)}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

function workbook(sheets: readonly WorkbookSheet[]): string {
  const each = sheets.map(
    ({ name }, at) => `<sheet name="${name}" sheetId="${String(at + 1)}" r:id="rId${String(at + 1)}"/>`,
  );
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each.join('')}</sheets></workbook>`;
}

/** Cell formats, by number: 0 general, 1 text, 2 date with time, 3 header. */
const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>' +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
