import { checkKindFields, checkWithoutPlatform, NO_FIELDS } from './check-fields';
import { resolve } from 'node:path';
import { FOLDER_COLUMN, LINE_COLUMN } from '../fields/columns';
import { findKey } from './check-key';
import { findAccount, isRehearsed } from './channel/check-account';
import { parsePlatforms } from './channel/check-platforms';
import { parseChoice, parseSkip, STATUSES } from './text/check-simple';
import { reportMisplacedCells } from './text/misplaced-cells';
import { parseSource, type Source } from './source/check-source';
import { type Defaults } from '../settings/defaults';
import { type RawRow, type RawTable, setOwn } from '../raw-row';
import { showValue } from '../text';
import { type DraftRow, type KindFields, type RowBasis, type RowsContext } from './row-context';
import { type ManifestRow, type PlatformConfig } from '../types';

/** Checks raw rows one after another and makes one row for each platform they name. Files aren't read here. */
export class RowChecker {
  readonly #table: RawTable;
  readonly #context: RowsContext;
  #rowContext: RowContext | undefined;

  constructor(table: RawTable, context: RowsContext) {
    this.#table = table;
    this.#context = context;
  }

  /** A row whose shape is broken is not used. */
  check(raw: RawRow): DraftRow[] {
    const context = (this.#rowContext ??= {
      ...this.#context,
      lacking: reportLackingColumns(this.#table, this.#context),
      table: this.#table,
      position: 0,
    });
    const base = folderOf(raw, this.#context);
    noteLine(raw);
    const made = raw.faulty ? [] : checkRow(raw, { ...context, base });
    context.position += Math.max(1, made.length);
    return made;
  }
}

/**
 * The folder where the row's relative source starts. One that a result file names stays with the row, for the next such
 * file; a manifest from the network may name none.
 */
function folderOf(raw: RawRow, { base, remote }: RowsContext): string {
  const recorded = raw.result.get(FOLDER_COLUMN);
  if (recorded === undefined || remote !== null) return base;
  const folder = resolve(base, recorded.text);
  setOwn(raw.cells, FOLDER_COLUMN, folder);
  return folder;
}

/** The line of a left-out row stays with its correction, which settles it, whatever else was changed. */
function noteLine(raw: RawRow): void {
  const line = raw.result.get(LINE_COLUMN)?.text.trim() ?? '';
  if (line !== '' && !raw.result.has('reelay_key')) setOwn(raw.cells, LINE_COLUMN, line);
}

interface RowContext extends RowsContext {
  lacking: ReadonlySet<string>;
  table: RawTable;
  position: number;
}

const WAYS = ['publication', 'direct'] as const;

/** One draft for each platform; at least one, so that the other checks see the row too. */
function checkRow(raw: RawRow, context: RowContext): DraftRow[] {
  const { problems, defaults } = context;
  const skip = parseSkip(raw.slots.get('skip'), problems);
  const account = findAccount(raw, context);
  const find = (field: string) => defaults.find(raw, field, { account: account ?? null });
  const status = parseChoice(find('status'), 'status', STATUSES, problems);
  const via = parseChoice(find('via'), 'via', WAYS, problems);
  // Which platforms there are depends on the account.
  const platforms =
    account === undefined ? { found: [], ok: false } : platformsOf(raw, find('platform'), context, account);
  const source = sourceOf(raw, context, status === 'published' && skip === false);
  const identity =
    source === 'bad' && !raw.slots.has('key')
      ? undefined
      : findKey({ raw, source: known(source), problems, keySuspected: raw.suspected.has('key') });
  const placed = skip !== false || !reportMisplacedCells(raw, context);
  const sound =
    placed &&
    skip !== undefined &&
    account !== undefined &&
    status !== undefined &&
    via !== undefined &&
    source !== 'bad';
  const basis: RowBasis = {
    raw,
    context,
    account: account ?? null,
    skip: skip ?? false,
    status: status ?? 'published',
    via: via ?? 'publication',
    platforms: platforms.found,
  };
  const row = { key: identity?.key ?? '', keyGiven: identity?.given ?? false, ...sourceFields(known(source)) };
  const ok = sound && platforms.ok && identity !== undefined && !raw.refused;
  const [anyPlatform] = context.platforms;
  if (platforms.found.length === 0) {
    checkWithoutPlatform(basis);
    return anyPlatform === undefined
      ? []
      : [
          draft(
            basis,
            anyPlatform,
            { ...row, position: context.position },
            { fields: NO_FIELDS, ok: false, identified: false },
          ),
        ];
  }
  return platforms.found.map((platform, index) => {
    const checked = checkKindFields(basis, platform, known(source));
    const verdict = {
      fields: checked.fields,
      ok: ok && checked.ok,
      identified: identity !== undefined && account !== undefined && checked.named,
    };
    return draft(basis, platform, { ...row, position: context.position + index }, verdict);
  });
}

function draft(
  basis: RowBasis,
  platform: PlatformConfig,
  own: Pick<ManifestRow, 'position' | 'key' | 'keyGiven' | 'source' | 'sourceKind'>,
  verdict: { fields: KindFields; ok: boolean; identified: boolean },
): DraftRow {
  const { raw, account, status, via } = basis;
  const { fields } = verdict;
  const isOurs = !isRehearsed(raw, account);
  const recorded = isOurs ? raw.result.get('reelay_profile_id')?.text.trim() : undefined;
  const state = isOurs && raw.result.has('reelay_key') ? raw.result.get('reelay_state')?.text.trim() : undefined;
  const version = isOurs ? raw.result.get('reelay_version')?.text.trim() : undefined;
  const row: ManifestRow = {
    position: own.position,
    line: raw.line,
    key: own.key,
    keyGiven: own.keyGiven,
    account,
    profile: fields.profile,
    ...(fields.defaultAsked === true ? { defaultAsked: true as const } : {}),
    ...(recorded === undefined ? {} : { recordedProfileId: recorded }),
    ...(state === undefined ? {} : { recordedState: state }),
    ...(version === undefined || version === '' ? {} : { recordedVersion: version }),
    profileId: null,
    profileName: null,
    platform: platform.name,
    platformKind: platform.kind,
    source: own.source,
    sourceKind: own.sourceKind,
    title: fields.title,
    description: fields.description,
    privacy: fields.privacy,
    status,
    publishAt: fields.publishAt,
    deadline: fields.deadline,
    via,
    skip: basis.skip || fields.skip,
    cells: raw.cells,
    deferredErrors: fields.deferredErrors,
  };
  const cell = raw.slots.get('source');
  const sourceAt = cell?.at ?? { line: raw.line, column: null, file: raw.file };
  return { row, raw, sourceAt, written: cell?.text.trim() ?? '', ok: verdict.ok, identified: verdict.identified };
}

function known(source: Source | undefined | 'bad'): Source | undefined {
  return source === 'bad' ? undefined : source;
}

function sourceFields(source: Source | undefined): Pick<ManifestRow, 'source' | 'sourceKind'> {
  return { source: source?.value ?? null, sourceKind: source?.kind ?? 'none' };
}

function platformsOf(
  raw: RawRow,
  cell: ReturnType<Defaults['find']>,
  context: RowContext,
  account: string | null,
): { found: readonly PlatformConfig[]; ok: boolean } {
  if (cell === undefined) {
    if (!context.lacking.has('platform') && !raw.suspected.has('platform') && !raw.refused) {
      const at = { line: raw.line, column: 'platform', file: raw.file };
      context.problems.add({ code: 'platform-missing', at, message: 'The row names no platform.' });
    }
    return { found: [], ok: false };
  }
  const own = account === null ? undefined : context.accounts.accountPlatforms?.[account];
  const { found, ok } = parsePlatforms(cell, own ?? context.platforms, context.problems);
  const recorded = raw.result.get('reelay_platform')?.text.trim();
  // A result file has one line for each platform, but the original cell may name several.
  const mine = recorded === undefined ? [] : found.filter((platform) => platform.name === recorded);
  return { found: mine.length > 0 ? mine : found, ok };
}

function sourceOf(raw: RawRow, context: RowContext, needed: boolean): Source | undefined | 'bad' {
  const cell = raw.slots.get('source');
  if (cell !== undefined) return parseSource(cell, context) ?? 'bad';
  if (!needed) return undefined;
  if (!context.lacking.has('source') && !raw.suspected.has('source') && !raw.refused) {
    const at = { line: raw.line, column: 'source', file: raw.file };
    context.problems.add({ code: 'source-missing', at, message: 'The row has no source.' });
  }
  return 'bad';
}

// One problem for a missing column, instead of one for each row.
function reportLackingColumns(table: RawTable, context: RowsContext): ReadonlySet<string> {
  const lacking = new Set<string>();
  if (table.format !== 'csv') return lacking;
  const names = table.columns.slice(0, 8).map((name) => `“${showValue(name, 40)}”`);
  const found =
    names.length === 1
      ? `its only column is ${names.join('')} (is the delimiter right?)`
      : `it has ${names.join(', ')}`;
  const draftsOnly = table.slots.has('status') || context.defaults.gives('status');
  for (const field of ['source', 'platform']) {
    if (table.slots.has(field) || context.defaults.gives(field) || (field === 'source' && draftsOnly)) continue;
    lacking.add(field);
    if (table.suspected.has(field)) continue;
    const at = { ...table.header, column: field };
    const message = `The file has no column ${field}; ${found}.`;
    // Each video has a source of its own: no default can give it.
    const hint = field === 'source' ? { hint: 'Add the column, or map one of yours: --column NAME=source.' } : {};
    context.problems.add({ code: 'column-missing', at, message, ...hint });
  }
  return lacking;
}
