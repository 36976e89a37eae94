import { isCollection, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { nearest } from '../../fields/classify-column';
import { type Columns, type ColumnUse } from '../../fields/columns';
import { defaultSlot } from '../../settings/defaults';
import { foldName } from '../../fields/fields';
import { type FolderSetting, readFolderSetting } from '../../settings/folder-setting';
import { type Place, type ProblemList } from '../../problems/problems';
import { setOwn, type Cell, type RawRow, type RawTable } from '../../raw-row';
import { SETTINGS, type SettingName } from '../../settings/schema';
import { type OwnSettings, takeSetting } from '../../settings/settings';
import { showValue } from '../../text';
import { type PlatformConfig } from '../../types';
import { checkComment, yamlCell, yamlText } from './yaml-cell';
import { YamlDocument, type YamlEntry } from './yaml-document';

/**
 * The top of a YAML manifest, with its videos still as nodes, because the meaning of their keys also depends on
 * settings from elsewhere.
 */
export interface YamlManifest {
  document: YamlDocument;
  settings: OwnSettings;
  /** Where each setting was written. */
  places: Map<string, Place>;
  defaults: YamlEntry[];
  videos:
    | { kind: 'list'; items: (Node | null)[]; at: Place }
    | { kind: 'sheet'; path: string; at: Place }
    | { kind: 'folder'; setting: FolderSetting; at: Place }
    | undefined;
}

const TOP_NAMES = [...Object.keys(SETTINGS), 'defaults', 'videos'];

/** Reads the top of a YAML manifest; undefined if it can't be read at all. */
export function readYaml(text: string, problems: ProblemList): YamlManifest | undefined {
  const document = YamlDocument.parse(text, problems);
  if (document === undefined) return undefined;
  const root = document.resolve(document.root);
  if (!isMap(root)) {
    const hint = isSeq(root)
      ? 'Put the list under the key videos:.'
      : 'Compare with the examples and the schema (reelay schema).';
    problems.add({
      code: 'yaml-shape',
      at: { line: 1, column: null },
      message: 'A manifest is a mapping with the key videos.',
      hint,
    });
    return undefined;
  }
  const manifest: YamlManifest = { document, settings: {}, places: new Map(), defaults: [], videos: undefined };
  for (const entry of document.entries(root)) takeTop(entry, manifest, problems);
  if (manifest.videos === undefined && !problems.hasErrors) {
    problems.add({
      code: 'no-rows',
      at: { line: null, column: 'videos' },
      message: 'The manifest has no videos.',
      hint: 'Add videos: with a list, or with a CSV’s path.',
    });
  }
  return manifest;
}

function takeTop(entry: YamlEntry, manifest: YamlManifest, problems: ProblemList): void {
  const { name, value, at } = entry;
  const node = manifest.document.resolve(value);
  manifest.places.set(name, at);
  if (name === 'videos') manifest.videos = takeVideos(entry, node, manifest.document, problems);
  else if (name === 'defaults') {
    if (isMap(node)) manifest.defaults = manifest.document.entries(node);
    else if (node !== null) problems.add({ code: 'yaml-shape', at, message: 'defaults must be a mapping of fields.' });
  } else if (Object.hasOwn(SETTINGS, name)) {
    const plain = manifest.document.toPlain(node);
    if (plain === undefined) problems.add({ code: 'yaml-alias', at, message: tooMuch(name) });
    else if (plain !== null)
      takeSetting({ name: name as SettingName, value: plain, at, settings: manifest.settings, problems });
  } else if (!name.startsWith('x-')) refuseUnknown(entry, node, problems);
}

function refuseUnknown({ name, at }: YamlEntry, node: Node | null, problems: ProblemList): void {
  const near =
    nearest(foldName(name), TOP_NAMES) ??
    TOP_NAMES.find((known) => known.replaceAll('_', '') === foldName(name).replaceAll('_', ''));
  // A key that only holds an anchor is there to be merged from.
  if (near === undefined && isCollection(node) && node.anchor !== undefined) return;
  const message = `“${showValue(name)}” isn’t a setting.${near === undefined ? '' : ` Did you mean “${near}”?`}`;
  const hint =
    near === undefined
      ? 'Remove it, or let its name start with x-. Fields of a video belong under videos or defaults.'
      : `Rename it to ${near}.`;
  problems.add({ code: 'unknown-setting', at, value: name, message, hint });
}

function tooMuch(name: string): string {
  return `“${showValue(name)}” has far too much in it, or contains itself by an alias.`;
}

function takeVideos(
  entry: YamlEntry,
  node: Node | null,
  document: YamlDocument,
  problems: ProblemList,
): YamlManifest['videos'] {
  const { at } = entry;
  if (isMap(node)) {
    const setting = readFolderSetting(document.toPlain(node));
    if ('folder' in setting) return { kind: 'folder', setting, at };
    const hint = 'videos is a list of videos, a CSV’s path, or {folder: incoming}.';
    problems.add({ code: 'yaml-shape', at, message: `${setting.fault}.`, hint });
    return undefined;
  }
  if (isSeq(node) && node.items.length > 0) return { kind: 'list', items: node.items as (Node | null)[], at };
  if (isScalar(node) && typeof node.value === 'string' && node.value.trim() !== '')
    return { kind: 'sheet', path: node.value.trim(), at };
  if (node === null || (isSeq(node) && node.items.length === 0) || (isScalar(node) && node.value === null)) {
    problems.add({ code: 'no-rows', at, message: 'videos is empty.' });
  } else
    problems.add({ code: 'yaml-shape', at, message: 'videos must be a list of videos, a CSV’s path, or a folder.' });
  return undefined;
}

/** The manifest's `defaults` by slot. */
export function yamlDefaults(
  manifest: YamlManifest,
  platforms: readonly PlatformConfig[],
  problems: ProblemList,
): Map<string, Cell> {
  const slots = new Map<string, Cell>();
  for (const entry of manifest.defaults) {
    const at = { line: entry.at.line, column: `defaults.${entry.name}` };
    const slot = defaultSlot({ name: entry.name, at, platforms, problems });
    if (slot === undefined) continue;
    const cell = yamlCell({ document: manifest.document, entry: { ...entry, at }, slot, level: 'manifest', problems });
    if (cell !== null && cell !== undefined) slots.set(slot, cell);
  }
  return slots;
}

/** The items under `videos` as raw rows. */
export function yamlRows(
  manifest: Pick<YamlManifest, 'document'>,
  items: readonly (Node | null)[],
  input: { columns: Columns; problems: ProblemList; at: Place },
): RawTable {
  const columns: string[] = [];
  const known = new Set<string>();
  const slots = new Set<string>();
  const header = (name: string): void => {
    if (known.has(name)) return;
    known.add(name);
    columns.push(name);
  };
  function* rows(): Generator<RawRow> {
    for (const item of items) yield yamlItem(manifest.document, item, { ...input, slots, header });
    input.columns.finish();
  }
  return { columns, slots, header: input.at, format: 'yaml', suspected: new Set(), rows };
}

interface ItemInput {
  columns: Columns;
  problems: ProblemList;
  at: Place;
  slots: Set<string>;
  header(name: string): void;
}

function yamlItem(document: YamlDocument, item: Node | null, input: ItemInput): RawRow {
  input.problems.startRow();
  const node = document.resolve(item);
  if (isMap(node)) return yamlRow(document, node, item ?? node, input);
  const line = item === null ? input.at.line : document.lineOf(item);
  input.problems.add({
    code: 'yaml-shape',
    at: { line, column: null },
    message: 'Each video must be a mapping of fields (source: …, platform: …).',
  });
  return {
    line: line ?? 1,
    file: null,
    slots: new Map(),
    cells: {},
    result: new Map(),
    suspected: new Set(),
    faulty: true,
    refused: true,
  };
}

function yamlRow(document: YamlDocument, map: YAMLMap, item: Node, input: ItemInput): RawRow {
  const { problems } = input;
  const suspected = new Set<string>();
  const row: RawRow = {
    line: document.lineOf(item),
    file: null,
    slots: new Map(),
    cells: {},
    result: new Map(),
    suspected,
    faulty: false,
    refused: false,
  };
  const entries = document.entries(map);
  row.refused = document.isFaulty(map);
  const uses = entries.flatMap((entry) => {
    const use = input.columns.use(entry.name, entry.at, () => entries.map(({ name }) => name));
    const also = (use.use === 'slot' ? (use.also ?? []) : []).map((slot): ColumnUse => ({ use: 'slot', slot }));
    return [use, ...also].map((one) => ({ entry, use: one }));
  });
  const own = new Set(uses.flatMap(({ use }) => (use.use === 'slot' && use.guessed !== true ? [use.slot] : [])));
  for (const { entry, use: asked } of uses) {
    if (asked.possiblySent !== undefined) suspected.add(asked.possiblySent);
    // A guess never takes precedence over a key with the field's own name.
    const use =
      asked.use === 'slot' && asked.guessed === true && own.has(asked.slot) ? ({ use: 'keep' } as const) : asked;
    if (use.use === 'drop') continue;
    if (use.use !== 'result') {
      input.header(entry.name);
      const text = yamlText(document, entry.value);
      if (text === undefined) {
        problems.add({ code: 'yaml-alias', at: entry.at, message: tooMuch(entry.name) });
        row.refused = true;
        continue;
      }
      setOwn(row.cells, entry.name, text);
    }
    if (use.use === 'keep') {
      const node = document.resolve(entry.value);
      if (isScalar(node) && !checkComment({ entry, slot: '', problems }, node)) row.refused = true;
      continue;
    }
    const slot = use.use === 'slot' ? use.slot : 'key';
    const cell = yamlCell({ document, entry, slot, level: 'row', problems });
    if (cell === undefined) row.refused = true;
    if (cell === undefined || cell === null) continue;
    if (use.use === 'result') row.result.set(use.name, cell);
    else if (row.slots.has(slot)) {
      row.refused = true;
      const message = `“${showValue(row.slots.get(slot)?.at.column ?? '')}” and “${showValue(entry.name)}” both give ${slot}.`;
      problems.add({ code: 'field-twice', at: entry.at, value: cell.text, message });
    } else {
      row.slots.set(slot, cell);
      input.slots.add(slot);
    }
  }
  return row;
}
