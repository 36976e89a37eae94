import { readdir, stat } from 'node:fs/promises';
import { join, parse, relative, resolve, sep } from 'node:path';
import { Temporal } from '@js-temporal/polyfill';
import { fitsPattern, type FolderSetting } from '../../settings/folder-setting';
import { explainReadError } from '../load-file';
import { datePlaceholder, expandPlaceholders, isTemplateFault } from '../../templates/placeholders';
import { type Place, type ProblemList } from '../../problems/problems';
import { type Cell, type RawRow, type RawTable } from '../../raw-row';
import { readSidecar, type Sidecar } from './read-sidecar';
import { stillWritten } from './settled-files';
import { showValue } from '../../text';
import { type ManifestSettings, type ReadOptions, type UnsettledFiles } from '../../types';

interface Found {
  name: string;
  path: string;
  size: number;
  modifiedMs: number;
}

const SIDECARS = ['.yaml', '.yml', '.json', '.csv'];
const NOT_UTF8 = 'has a name that isn’t UTF-8 (rename it)';
const BY_NAME = new Intl.Collator('en', { numeric: true });

/**
 * The video files of a folder as rows, ordered by name. Files that are still being written, and those whose sidecar
 * doesn't exist yet, are left out and reported. `digest` is a hash of what the rows were made from; `unsettled` lists
 * the files that are still being written.
 */
export async function readFolder(input: {
  setting: FolderSetting;
  at: Place;
  base: string;
  settings: ManifestSettings;
  options: ReadOptions;
  problems: ProblemList;
}): Promise<{ table: RawTable; digest: Buffer; unsettled: UnsettledFiles | null } | null> {
  const { setting, at, base, settings, options, problems } = input;
  const folder = resolve(base, setting.folder);
  let names: string[];
  let unreadable: string[];
  try {
    ({ names, unreadable } = await namesIn(folder));
  } catch (error) {
    const message = `videos: the folder “${showValue(setting.folder)}” (${showValue(folder, 300)}) ${explainReadError(error)}.`;
    problems.add({ code: 'folder-unreadable', at, value: setting.folder, message });
    return null;
  }
  const there = new Set(names);
  const files = await findFiles(folder, names, setting);
  const beside = new Map<string, string>();
  if (setting.sidecar !== 'none')
    for (const { name } of files) {
      const sidecar = SIDECARS.map((ending) => parse(name).name + ending).find((one) => there.has(one));
      if (sidecar !== undefined) beside.set(name, sidecar);
    }
  const paths = files.flatMap(({ name, path }) => [
    path,
    ...(beside.has(name) ? [join(folder, beside.get(name) ?? '')] : []),
  ]);
  const written = await stillWritten(paths, setting.settledMs);
  const why = `it changed in the last ${setting.settledMs / 1000} s, or is open in another program`;
  const leave = (name: string, why: string): void => {
    const message = `${showValue(name)} ${why}: it is left for the next time.`;
    problems.add({ code: 'folder-left', at: { line: null, column: null, file: name }, value: name, message });
  };
  for (const name of unreadable) if (fitsPattern(name, setting.patterns)) leave(name, NOT_UTF8);
  const rows: RawRow[] = [];
  const digest: Buffer[] = [];
  for (const { name, path, size, modifiedMs } of files) {
    problems.startRow();
    const sidecarName = beside.get(name);
    if (written.has(path)) leave(name, `may still be written (${why})`);
    else if (sidecarName !== undefined && written.has(join(folder, sidecarName)))
      leave(name, `has ${showValue(sidecarName)} beside it, which may still be written (${why})`);
    else if (sidecarName === undefined && setting.sidecar === 'required')
      leave(name, 'has no file with its fields beside it yet');
    else {
      const mapping = settings.columns;
      const { platforms } = options;
      const sidecar =
        sidecarName === undefined
          ? null
          : await readSidecar({ path: join(folder, sidecarName), name: sidecarName, platforms, mapping, problems });
      const zone = settings.schedule?.timezone ?? settings.timezone ?? 'UTC';
      const title = titleOf({ name, modifiedMs, setting, zone, at, problems });
      const source = relative(base, path).split(sep).join('/');
      rows.push(rowOf({ line: rows.length + 1, name, source, title, sidecar }));
      digest.push(Buffer.from(`${source}\n${size}\n${modifiedMs}\n`), sidecar?.bytes ?? Buffer.alloc(0));
    }
  }
  const unsettled = written.size === 0 ? null : { paths: [...written], settledMs: setting.settledMs };
  return { table: tableOf(rows, at), digest: Buffer.concat(digest), unsettled };
}

/**
 * Names that aren't UTF-8 can't be written into a manifest's rows; their invalid bytes are shown as replacement
 * characters.
 */
async function namesIn(folder: string): Promise<{ names: string[]; unreadable: string[] }> {
  const names: string[] = [];
  const unreadable: string[] = [];
  for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
    const name = bytes.toString();
    (Buffer.from(name).equals(bytes) ? names : unreadable).push(name);
  }
  return { names, unreadable };
}

/** Hidden files are those that programs write under a temporary name first. */
async function findFiles(folder: string, names: readonly string[], setting: FolderSetting): Promise<Found[]> {
  const found: Found[] = [];
  for (const name of names) {
    if (name.startsWith('.') || !fitsPattern(name, setting.patterns)) continue;
    const path = join(folder, name);
    const seen = await stat(path).catch(() => null);
    if (seen?.isFile() === true) found.push({ name, path, size: seen.size, modifiedMs: Math.trunc(seen.mtimeMs) });
  }
  return found.sort((a, b) => BY_NAME.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
}

function titleOf(input: {
  name: string;
  modifiedMs: number;
  setting: FolderSetting;
  zone: string;
  at: Place;
  problems: ProblemList;
}): string | null {
  const { name, modifiedMs, setting, zone, at, problems } = input;
  const modified = Temporal.Instant.fromEpochMilliseconds(modifiedMs).toZonedDateTimeISO(zone).toPlainDateTime();
  const made = expandPlaceholders(setting.title, {
    name: (format) => (format === null ? parse(name).name : { fault: 'name takes no format' }),
    modified: datePlaceholder(modified),
  });
  if (!isTemplateFault(made)) return made.text;
  const message = `videos.title, its character ${made.character}: ${made.message}.`;
  problems.add({ code: 'template-placeholder', at, value: setting.title, message });
  return null;
}

function rowOf(input: {
  line: number;
  name: string;
  source: string;
  title: string | null;
  sidecar: Sidecar | null;
}): RawRow {
  const { line, name, source, title, sidecar } = input;
  const cell = (text: string, column: string): Cell => ({
    text,
    at: { line: null, column, file: name },
    level: 'row',
    literal: true,
  });
  const slots = new Map(sidecar?.slots ?? []);
  slots.set('source', cell(source, 'source'));
  const titled = ['title', 'title.short', 'title.long'].some((slot) => slots.has(slot));
  if (!titled && title !== null) slots.set('title', cell(title, 'title'));
  return {
    line,
    file: name,
    slots,
    cells: { source, ...(titled || title === null ? {} : { title }), ...sidecar?.cells },
    result: new Map(),
    faulty: false,
    suspected: sidecar?.suspected ?? new Set(),
    refused: title === null || (sidecar?.refused ?? false),
  };
}

function tableOf(rows: readonly RawRow[], header: Place): RawTable {
  const slots = new Set(rows.flatMap((row) => [...row.slots.keys()]));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.cells)))];
  return { columns, slots, header, format: 'yaml', suspected: new Set(), rows: () => rows };
}
