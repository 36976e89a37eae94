import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Columns } from '../fields/columns';
import { delimiterNamed } from './csv/csv-dialect';
import { decodeText, foreignFormat } from './decode';
import { explainReadError, formatOf, type LoadedFile, refuseTooLarge } from './load-file';
import { type Place, type ProblemList } from '../problems/problems';
import { type Cell, type RawTable } from '../raw-row';
import { readCsv } from './csv/read-csv';
import { readFolder } from './folder/read-folder';
import { readYaml, yamlDefaults, yamlRows, type YamlManifest } from './yaml/read-yaml';
import { mergeSettings } from '../settings/settings';
import { showValue } from '../text';
import { type ManifestSettings, type ReadOptions, type UnsettledFiles } from '../types';

/** A manifest taken apart: its settings, and its rows as written. */
export interface ManifestParts {
  format: 'csv' | 'yaml';
  text: string;
  sheet: { path: string; text: string } | null;
  yaml: YamlManifest | undefined;
  settings: ManifestSettings;
  defaults: ReadonlyMap<string, Cell>;
  /** Absent where the file can't be read as far as its rows. */
  table: RawTable | undefined;
  /** The rows are the files of a folder. */
  folder: boolean;
  /** Files of that folder that may still be written. */
  unsettled: UnsettledFiles | null;
}

/** Decodes a manifest and takes it apart by its format, with the sheet its `videos` may point to. */
export async function readParts(
  file: LoadedFile,
  options: ReadOptions,
  problems: ProblemList,
): Promise<ManifestParts & { sheetBytes: Buffer | null }> {
  const guess = formatOf(file.path, file.bytes.subarray(0, 4096).toString('utf8'));
  const text = problems.hasErrors ? null : decodeFile(file.bytes, options, problems, null);
  const format = text === null ? guess : formatOf(file.path, text);
  const yaml = text === null || format === 'csv' ? undefined : readYaml(text, problems);
  const settings = mergeSettings(yaml?.settings ?? {}, options, problems);
  const defaults = yaml === undefined ? new Map<string, Cell>() : yamlDefaults(yaml, options.platforms, problems);
  const parts: ManifestParts = {
    format,
    text: text ?? '',
    sheet: null,
    yaml,
    settings,
    defaults,
    table: undefined,
    folder: false,
    unsettled: null,
  };
  let sheetBytes: Buffer | null = null;
  if (text === null) return { ...parts, sheetBytes };
  if (file.remote !== null && yaml !== undefined) refuseLocalParts(yaml, problems);
  if (format === 'csv') parts.table = readSheet({ text, file: null, settings, options, problems });
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
      parts.table = readSheet({ text: sheet.text, file: path, settings, options, problems, yaml });
    }
  }
  return { ...parts, sheetBytes };
}

/** What a manifest may ask of this machine, and one from a URL may not: nothing of the machine is read for it. */
function refuseLocalParts({ videos, settings, places }: YamlManifest, problems: ProblemList): void {
  if (videos?.kind === 'folder' || videos?.kind === 'sheet') {
    const message = 'videos: a manifest from a URL can name no sheet or folder of this machine.';
    problems.add({ code: 'remote-file', at: videos.at, message });
  }
  if (settings.notify !== undefined) {
    const at = places.get('notify') ?? { line: null, column: 'notify' };
    problems.add({ code: 'remote-notify', at, message: 'notify: a manifest from a URL can’t say where notices go.' });
  }
}

interface SheetInput {
  text: string;
  file: string | null;
  settings: ManifestSettings;
  options: ReadOptions;
  problems: ProblemList;
  yaml?: YamlManifest;
}

function readSheet(input: SheetInput): RawTable {
  const { text, file, options, problems } = input;
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
}): Promise<{ path: string; bytes: Buffer; text: string } | null> {
  const { written, at, base, options, problems } = input;
  const path = resolve(base, written);
  const refuse = (reason: string): null => {
    const message = `videos: “${showValue(written)}” (${showValue(path, 300)}) ${reason}.`;
    problems.add({ code: 'sheet-unreadable', at, value: written, message });
    return null;
  };
  if (/\.(ya?ml|json)$/i.test(written)) return refuse('is a YAML; only a CSV can stand here');
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
  const text = decodeFile(bytes, options, problems, written);
  return text === null ? null : { path, bytes, text };
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
