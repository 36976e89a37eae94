import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkFiles } from './check-files';
import { checkRows } from './check-rows';
import { Columns } from './columns';
import { delimiterNamed } from './csv-dialect';
import { decodeText, spreadsheetFormat } from './decode';
import { Defaults } from './defaults';
import { findDuplicates } from './duplicates';
import { findCampaign } from './find-campaign';
import { explainReadError, formatOf, loadManifest, type LoadedFile } from './load-file';
import { ProblemList, type Place } from './problems';
import { type Cell, type RawTable } from './raw-row';
import { readCsv } from './read-csv';
import { readYaml, yamlDefaults, yamlRows, type YamlManifest } from './read-yaml';
import { mergeSettings } from './settings';
import { showValue } from './text';
import { type ManifestReading, type ManifestSettings, type ManifestSource, type ReadOptions } from './types';

/**
 * Reads and checks a manifest: all problems at once, nothing is thrown for what is wrong in it. It touches the manifest, its
 * sheet and the files its rows name; never the network. The same input at the same `now` gives the same reading
 * whatever the machine's time zone and current folder.
 */
export async function readManifest(source: ManifestSource, options: ReadOptions): Promise<ManifestReading> {
  const problems = new ProblemList({ strict: options.strict ?? false });
  const file = await loadManifest(source, problems);
  const hash = createHash('sha256').update(file.bytes);
  const parts = await readParts(file, options, problems);
  if (parts.sheet !== null) hash.update('\0sheet\0').update(parts.sheet.bytes);
  const table = parts.table ?? {
    columns: [],
    rows: [],
    slots: new Set(),
    header: { line: null, column: null },
    format: parts.format,
  };
  const campaign = findCampaign({
    asked: options.campaign,
    own: parts.yaml?.settings.campaign,
    rows: table.rows,
    path: file.path,
    problems,
  });
  if (parts.table?.rows.length === 0) {
    const at = { ...table.header, line: null };
    if (!problems.hasErrors) problems.add({ code: 'no-rows', at, message: 'The manifest has no rows.' });
  }
  const { drafts, invalid } = checkRows(table, {
    defaults: new Defaults(options, parts.defaults, problems),
    platforms: options.platforms,
    problems,
    base: file.base,
    now: options.now,
    past: options.past ?? 'refuse',
    timezone: parts.settings.timezone,
  });
  await checkFiles(drafts, problems);
  const identified = drafts.filter((draft) => draft.identified);
  const again = findDuplicates(
    identified.map(({ row, raw, sourceAt }) => ({
      row,
      profile: row.profile,
      at: raw.slots.get('key')?.at ?? sourceAt,
    })),
    problems,
  );
  const sound = drafts.filter(({ row, ok }) => ok && !again.has(row));
  const rows = sound.map(({ row }) => row);
  const kept = new Set(rows);
  const broken = new Map(invalid.map((row) => [row.line, row]));
  for (const { row } of drafts) if (!kept.has(row)) broken.set(row.line, { line: row.line, cells: row.cells });
  const invalidRows = [...broken.values()].sort((a, b) => a.line - b.line);
  return {
    campaign,
    path: file.path,
    format: parts.format,
    text: parts.text,
    fileHash: hash.digest('hex'),
    sheet: parts.sheet === null ? null : { path: parts.sheet.path, text: parts.sheet.text },
    columns: table.columns,
    settings: parts.settings,
    rows,
    invalidRows,
    invalidLines: invalidRows.map(({ line }) => line),
    problems: problems.finish(),
    notChecked: notChecked(rows),
  };
}

interface Parts {
  format: 'csv' | 'yaml';
  text: string;
  sheet: { path: string; bytes: Buffer; text: string } | null;
  yaml: YamlManifest | undefined;
  settings: ManifestSettings;
  defaults: ReadonlyMap<string, Cell>;
  /** Absent where the file can't be read as far as its rows. */
  table: RawTable | undefined;
}

async function readParts(file: LoadedFile, options: ReadOptions, problems: ProblemList): Promise<Parts> {
  const guess = formatOf(file.path, file.bytes.subarray(0, 4096).toString('utf8'));
  const text = problems.hasErrors ? undefined : decodeFile(file.bytes, guess, options, problems, null);
  const format = text === undefined ? guess : formatOf(file.path, text);
  const yaml = text === undefined || format === 'csv' ? undefined : readYaml(text, problems);
  const settings = mergeSettings(yaml?.settings ?? {}, options, problems);
  const defaults = yaml === undefined ? new Map<string, Cell>() : yamlDefaults(yaml, options.platforms, problems);
  const parts: Parts = { format, text: text ?? '', sheet: null, yaml, settings, defaults, table: undefined };
  if (text === undefined) return parts;
  if (format === 'csv') parts.table = readSheet({ text, file: null, settings, options, problems });
  else if (yaml?.videos?.kind === 'list') {
    const columns = columnsOf({ yaml, settings, options, problems });
    parts.table = yamlRows(yaml, yaml.videos.items, { columns, problems, at: yaml.videos.at });
  } else if (yaml?.videos?.kind === 'sheet') {
    const { path, at } = yaml.videos;
    parts.sheet = await loadSheet({ written: path, at, base: file.base, options, problems });
    if (parts.sheet !== null)
      parts.table = readSheet({ text: parts.sheet.text, file: path, settings, options, problems, yaml });
  }
  return parts;
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
  const own = Object.keys(yaml?.settings.columns ?? {});
  return new Columns({
    platforms: options.platforms,
    problems,
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
}): Promise<Parts['sheet']> {
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
    bytes = await readFile(path);
  } catch (error) {
    return refuse(explainReadError(error));
  }
  const text = decodeFile(bytes, 'csv', options, problems, written);
  return text === undefined ? null : { path, bytes, text };
}

function decodeFile(
  bytes: Buffer,
  format: 'csv' | 'yaml',
  options: ReadOptions,
  problems: ProblemList,
  file: string | null,
): string | undefined {
  const spreadsheet = spreadsheetFormat(bytes);
  if (spreadsheet !== undefined) {
    problems.add({
      code: 'spreadsheet-file',
      at: { line: null, column: null, file },
      message: `The file is ${spreadsheet}, not text.`,
    });
    return undefined;
  }
  const encoding = format === 'csv' && options.encoding !== undefined ? { encoding: options.encoding } : {};
  return decodeText(bytes, problems, { file, ...encoding });
}

function notChecked(rows: ManifestReading['rows']): string[] {
  const urls = rows.filter((row) => row.sourceKind === 'url' && !row.skip).length;
  return [
    'profiles: whether they exist and show these platforms (the service knows)',
    'history: what earlier submits did with these rows (the ledger knows)',
    ...(urls === 0
      ? []
      : [
          `urls: whether the service can download ${urls === 1 ? 'the URL' : `the ${urls.toLocaleString('en-US')} URLs`}`,
        ]),
  ];
}
