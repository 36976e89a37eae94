import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Columns } from '../fields/columns';
import { delimiterNamed } from './csv/csv-dialect';
import { decodeText, foreignFormat, isWorkbook } from './decode';
import { readAsCorrected } from './corrected-sheet';
import { explainReadError, formatOf, type LoadedFile, refuseTooLarge } from './load-file';
import { type Place, type ProblemList } from '../problems/problems';
import { type Cell, type RawTable } from '../raw-row';
import { readCsv } from './csv/read-csv';
import { readFolder } from './folder/read-folder';
import { readYaml, yamlDefaults, yamlRows, type YamlManifest } from './yaml/read-yaml';
import { mergeSettings } from '../settings/settings';
import { type ManifestSettings, type ReadOptions, type SheetPlaces, type UnsettledFiles } from '../types';
import { readWorkbookTable, type WorkbookTable } from './workbook/workbook-table';
import { showValue } from '../text';

/** The parts of a manifest: its settings, and its rows as written. */
export interface ManifestParts {
  format: 'csv' | 'yaml';
  text: string;
  sheet: { path: string; text: string } | null;
  yaml: YamlManifest | undefined;
  settings: ManifestSettings;
  defaults: ReadonlyMap<string, Cell>;
  /** As given, and for a sheet of corrected rows as its manifest was read. */
  options: ReadOptions;
  /** Absent if the file can't be read as far as its rows. */
  table: RawTable | undefined;
  /** The rows are the files of a folder. */
  folder: boolean;
  /** Files of that folder that may still be being written. */
  unsettled: UnsettledFiles | null;
  /** Where the rows are those of a workbook. */
  places: SheetPlaces | null;
}

/** Decodes a manifest and splits it into its parts by its format, with the sheet its `videos` may point to. */
export async function readParts(
  file: LoadedFile,
  given: ReadOptions,
  problems: ProblemList,
): Promise<ManifestParts & { sheetBytes: Buffer | null }> {
  const book = isWorkbook(file.bytes);
  const guess = book ? 'csv' : formatOf(file.path, file.bytes.subarray(0, 4096).toString('utf8'));
  const decoded = problems.hasErrors ? null : decodeRows(file.bytes, { options: given, problems, file: null });
  const text = decoded?.text ?? null;
  const format = text === null || book ? guess : formatOf(file.path, text);
  const yaml = text === null || format === 'csv' ? undefined : readYaml(text, problems);
  const isSheet = decoded !== null && yaml === undefined;
  const sheetOf = isSheet ? await readAsCorrected(decoded, given, problems) : null;
  const options = sheetOf?.options ?? given;
  const settings = mergeSettings(yaml?.settings ?? sheetOf?.settings ?? {}, options, problems);
  const defaults =
    yaml === undefined
      ? (sheetOf?.defaults ?? new Map<string, Cell>())
      : yamlDefaults(yaml, options.platforms, problems);
  const parts: ManifestParts = {
    format,
    text: text ?? '',
    sheet: null,
    yaml,
    settings,
    defaults,
    options,
    table: undefined,
    folder: false,
    unsettled: null,
    places: decoded?.workbook?.places ?? null,
  };
  let sheetBytes: Buffer | null = null;
  if (decoded === null || text === null) return { ...parts, sheetBytes };
  if (file.remote !== null && yaml !== undefined) refuseLocalParts(yaml, problems);
  if (format === 'csv') parts.table = readSheet({ ...decoded, file: null, settings, options, problems });
  else if (yaml?.videos?.kind === 'list') {
    const columns = columnsOf({ yaml, settings, options, problems });
    parts.table = yamlRows(yaml, yaml.videos.items, { columns, problems, at: yaml.videos.at });
  } else if (yaml?.videos?.kind === 'folder' && file.remote === null) {
    const { setting, at } = yaml.videos;
    const read = await readFolder({ setting, at, base: file.base, settings, options, problems });
    sheetBytes = read?.digest ?? null;
    parts.table = read?.table;
    parts.folder = true;
    parts.unsettled = read?.unsettled ?? null;
  } else if (yaml?.videos?.kind === 'sheet' && file.remote === null) {
    const { path, at } = yaml.videos;
    const sheet = await loadSheet({ written: path, at, base: file.base, options, problems });
    if (sheet !== null) {
      sheetBytes = sheet.bytes;
      parts.sheet = { path: sheet.path, text: sheet.text };
      parts.places = sheet.workbook?.places ?? null;
      parts.table = readSheet({ ...sheet, file: path, settings, options, problems, yaml });
    }
  }
  return { ...parts, sheetBytes };
}

/** What a manifest may read from this machine, and one from a URL may not. */
function refuseLocalParts({ videos, settings, places }: YamlManifest, problems: ProblemList): void {
  if (videos?.kind === 'folder' || videos?.kind === 'sheet') {
    const message = 'videos: a manifest from a URL can name no sheet or folder of this machine.';
    problems.add({ code: 'remote-file', at: videos.at, message });
  }
  if (settings.notify !== undefined) {
    const at = places.get('notify') ?? { line: null, column: 'notify' };
    problems.add({
      code: 'remote-notify',
      at,
      message: 'notify: a manifest from a URL can’t set where notices are sent.',
    });
  }
}

/** The rows as text: a CSV as it is, or a workbook's sheet made into one. */
interface DecodedRows {
  text: string;
  workbook?: WorkbookTable;
}

interface SheetInput extends DecodedRows {
  file: string | null;
  settings: ManifestSettings;
  options: ReadOptions;
  problems: ProblemList;
  yaml?: YamlManifest;
}

function readSheet(input: SheetInput): RawTable {
  const { text, workbook, file, options, problems } = input;
  const delimiter = options.delimiter === undefined ? undefined : delimiterNamed(options.delimiter);
  if (options.delimiter !== undefined && delimiter === undefined) {
    const message = `“${showValue(options.delimiter)}” can’t be a delimiter.`;
    problems.add({ code: 'delimiter', at: { line: null, column: null }, value: options.delimiter, message });
  }
  return readCsv({
    text,
    columns: columnsOf(input),
    problems,
    file,
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(workbook === undefined ? {} : { workbook }),
  });
}

function columnsOf(input: Pick<SheetInput, 'settings' | 'options' | 'problems' | 'yaml'>): Columns {
  const { settings, options, problems, yaml } = input;
  const own = [...Object.keys(yaml?.settings.columns ?? {}), ...(options.requiredColumns ?? [])];
  return new Columns({
    platforms: options.platforms,
    problems,
    settings: yaml === undefined ? 'csv' : 'yaml',
    ...(settings.columns === undefined ? {} : { mapping: settings.columns }),
    ...(own.length === 0
      ? {}
      : { required: { headers: own, at: yaml?.places.get('columns') ?? { line: null, column: 'columns' } } }),
  });
}

async function loadSheet(input: {
  written: string;
  at: Place;
  base: string;
  options: ReadOptions;
  problems: ProblemList;
}): Promise<(DecodedRows & { path: string; bytes: Buffer }) | null> {
  const { written, at, base, options, problems } = input;
  const path = resolve(base, written);
  const refuse = (reason: string): null => {
    const message = `videos: “${showValue(written)}” (${showValue(path, 300)}) ${reason}.`;
    problems.add({ code: 'sheet-unreadable', at, value: written, message });
    return null;
  };
  if (/\.(ya?ml|json)$/i.test(written)) return refuse('is a YAML; only a CSV or a workbook can be used here');
  let bytes: Buffer;
  try {
    // A device or a pipe might never end.
    const info = await stat(path);
    if (!info.isFile() && !info.isDirectory()) return refuse('isn’t a regular file');
    if (refuseTooLarge(info.size, { name: written, at, problems })) return null;
    bytes = await readFile(path);
  } catch (error) {
    return refuse(explainReadError(error));
  }
  const decoded = decodeRows(bytes, { options, problems, file: written });
  return decoded === null ? null : { path, bytes, ...decoded };
}

function decodeRows(
  bytes: Buffer,
  { options, problems, file }: { options: ReadOptions; problems: ProblemList; file: string | null },
): DecodedRows | null {
  if (isWorkbook(bytes)) {
    const workbook = readWorkbookTable({ bytes, sheet: options.sheet, file, problems });
    return workbook === null ? null : { text: workbook.text, workbook };
  }
  if (options.sheet !== undefined) {
    const message = `--sheet ${showValue(options.sheet)} names a sheet of a workbook, and the file is none.`;
    problems.add({ code: 'sheet-missing', at: { line: null, column: null, file }, value: options.sheet, message });
  }
  const text = decodeFile(bytes, options, problems, file);
  return text === null ? null : { text };
}

function decodeFile(bytes: Buffer, options: ReadOptions, problems: ProblemList, file: string | null): string | null {
  const foreign = foreignFormat(bytes);
  if (foreign !== undefined) {
    problems.add({
      code: 'spreadsheet-file',
      at: { line: null, column: null, file },
      message: `The file is ${foreign}, not text.`,
    });
    return null;
  }
  return decodeText(bytes, problems, {
    file,
    ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
  });
}
