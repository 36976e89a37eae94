import { readFile } from 'node:fs/promises';
import { isMap } from 'yaml';
import { Columns } from '../../fields/columns';
import { decodeText } from '../decode';
import { ProblemList } from '../../problems/problems';
import { type Cell, type RawRow } from '../../raw-row';
import { readCsv } from '../csv/read-csv';
import { yamlRows } from '../yaml/read-yaml';
import { type PlatformConfig } from '../../types';
import { YamlDocument } from '../yaml/yaml-document';

export interface Sidecar {
  slots: Map<string, Cell>;
  cells: Record<string, string>;
  /** Fields that a mistyped name most likely means. */
  suspected: ReadonlySet<string>;
  refused: boolean;
  bytes: Buffer;
}

/** The fields of one video, from a YAML mapping or a CSV with one row beside it. Its problems name the file. */
export async function readSidecar(input: {
  path: string;
  /** Its path, as shown. */
  name: string;
  platforms: readonly PlatformConfig[];
  mapping: Readonly<Record<string, string>> | undefined;
  problems: ProblemList;
}): Promise<Sidecar> {
  const { path, name, platforms, mapping, problems } = input;
  const own = new ProblemList();
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const text = decodeText(bytes, own, { file: null });
  const columns = new Columns({
    platforms,
    problems: own,
    settings: 'yaml',
    ...(mapping === undefined ? {} : { mapping }),
  });
  const rows = text === null ? [] : /\.csv$/i.test(name) ? csvRows(text, columns, own) : mappingRow(text, columns, own);
  const [row] = rows;
  if (!own.hasErrors && rows.length !== 1) {
    const message = `It has ${rows.length} rows; the file beside a video has one.`;
    own.add({ code: 'folder-sidecar', at: { line: null, column: null }, message });
  }
  for (const { code, severity, line, column, value, message, hint } of own.finish()) {
    // Columns that are kept for the results aren't noted for each file.
    if (code === 'columns-kept') continue;
    problems.add({ code, severity, at: { line, column, file: name }, value, message, hint });
  }
  const slots = new Map<string, Cell>();
  for (const [slot, cell] of row?.slots ?? []) slots.set(slot, { ...cell, at: { ...cell.at, file: name } });
  const suspected = row?.suspected ?? new Set<string>();
  return { slots, cells: row?.cells ?? {}, suspected, refused: own.hasErrors || (row?.refused ?? true), bytes };
}

function csvRows(text: string, columns: Columns, problems: ProblemList): RawRow[] {
  return [...readCsv({ text, columns, problems }).rows()];
}

function mappingRow(text: string, columns: Columns, problems: ProblemList): RawRow[] {
  const document = YamlDocument.parse(text, problems);
  if (document === undefined) return [];
  const root = document.resolve(document.root);
  if (isMap(root))
    return [...yamlRows({ document }, [root], { columns, problems, at: { line: 1, column: null } }).rows()];
  const message = 'The file beside a video is a mapping of fields (title: …).';
  problems.add({ code: 'yaml-shape', at: { line: 1, column: null }, message });
  return [];
}
