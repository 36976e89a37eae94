import { checkKindFields } from './check-fields';
import { findKey } from './check-key';
import { parsePlatforms } from './check-platforms';
import { parseChoice, parseSkip, parseName } from './check-simple';
import { parseSource, type Source } from './check-source';
import { type Defaults } from './defaults';
import { type RawRow, type RawTable } from './raw-row';
import { type DraftRow, type RowBasis, type RowsContext } from './row-context';
import { type InvalidRow, type ManifestRow, type PlatformConfig } from './types';

/** Checks raw rows and makes one row for each platform they name. Files aren't touched here. */
export function checkRows(table: RawTable, context: RowsContext): { drafts: DraftRow[]; invalid: InvalidRow[] } {
  const drafts: DraftRow[] = [];
  const invalid: InvalidRow[] = [];
  const lacking = reportLackingColumns(table, context);
  const mixedProfiles =
    table.slots.has('profile') || table.slots.has('profile.short') || table.slots.has('profile.long');
  let position = 0;
  for (const raw of table.rows) {
    context.problems.startRow();
    const made = raw.faulty ? [] : checkRow(raw, { ...context, lacking, mixedProfiles, position });
    if (made.length === 0 || made.includes(undefined)) invalid.push({ line: raw.line, cells: raw.cells });
    position += Math.max(1, made.length);
    drafts.push(...made.filter((one) => one !== undefined));
  }
  return { drafts, invalid };
}

interface RowContext extends RowsContext {
  lacking: ReadonlySet<string>;
  mixedProfiles: boolean;
  position: number;
}

/** One entry for each platform; undefined for those with errors; none when the row as a whole is unusable. */
function checkRow(raw: RawRow, context: RowContext): (DraftRow | undefined)[] {
  const { problems } = context;
  const own = { line: raw.line, column: null, file: raw.file };
  const skip = parseSkip(raw.slots.get('skip'), problems);
  const account = parseName(
    context.defaults.find(raw, 'account', { account: null, profile: null }),
    'account',
    problems,
  );
  const find = (field: string) => context.defaults.find(raw, field, { account: account ?? null, profile: null });
  const status = parseChoice(find('status'), 'status', ['published', 'draft'] as const, problems);
  const via = parseChoice(find('via'), 'via', ['publication', 'direct'] as const, problems);
  const platforms = platformsOf(raw, find('platform'), context);
  const source = sourceOf(raw, { ...context, needed: status === 'published' && skip === false });
  const identified = source === 'bad' ? undefined : findKey({ raw, source, problems });
  if (skip === undefined || account === undefined || status === undefined || via === undefined) return [];
  if (platforms === undefined || source === 'bad' || identified === undefined) return [];
  const basis: RowBasis = { raw, context, account, skip, status, via, platforms };
  const sourceCell = raw.slots.get('source');
  return platforms.map((platform, index) => {
    const fields = checkKindFields(basis, platform, source);
    if (fields === undefined) return undefined;
    const row: ManifestRow = {
      position: context.position + index,
      line: raw.line,
      key: identified.key,
      keyGiven: identified.given,
      account,
      profile: fields.profile,
      profileId: null,
      profileName: null,
      platform: platform.name,
      platformKind: platform.kind,
      source: source?.value ?? null,
      sourceKind: source?.kind ?? 'none',
      title: fields.title,
      description: fields.description,
      privacy: fields.privacy,
      status,
      publishAt: fields.publishAt,
      via,
      skip: skip || fields.skip,
      cells: raw.cells,
      blockers: fields.blockers,
    };
    if (row.profile === null && context.mixedProfiles) {
      problems.add({
        code: 'profile-default',
        at: { ...own, column: 'profile' },
        message: 'The row names no profile: it goes to the account’s default channel.',
      });
    }
    return { row, raw, sourceAt: sourceCell?.at ?? own, written: sourceCell?.text.trim() ?? '' };
  });
}

function platformsOf(
  raw: RawRow,
  cell: ReturnType<Defaults['find']>,
  context: RowContext,
): readonly PlatformConfig[] | undefined {
  if (cell === undefined) {
    if (context.lacking.has('platform')) return undefined;
    const at = { line: raw.line, column: 'platform', file: raw.file };
    context.problems.add({ code: 'platform-missing', at, message: 'The row names no platform.' });
    return undefined;
  }
  const platforms = parsePlatforms(cell, context.platforms, context.problems);
  const recorded = raw.result.get('reelay_platform')?.text.trim();
  if (platforms === undefined || recorded === undefined) return platforms;
  // A result file has one line for each platform, but the cell as it was written may name several.
  const mine = platforms.filter((platform) => platform.name === recorded);
  return mine.length > 0 ? mine : platforms;
}

function sourceOf(raw: RawRow, context: RowContext & { needed: boolean }): Source | undefined | 'bad' {
  const cell = raw.slots.get('source');
  if (cell !== undefined) return parseSource(cell, context.base, context.problems) ?? 'bad';
  if (!context.needed) return undefined;
  if (!context.lacking.has('source')) {
    const at = { line: raw.line, column: 'source', file: raw.file };
    context.problems.add({ code: 'source-missing', at, message: 'The row has no source.' });
  }
  return 'bad';
}

// One word about a column that isn't there, instead of one for each row.
function reportLackingColumns(table: RawTable, context: RowsContext): ReadonlySet<string> {
  const lacking = new Set<string>();
  if (table.format !== 'csv' || table.rows.length === 0) return lacking;
  const names = table.columns.map((name) => `“${name}”`).slice(0, 8);
  const found =
    names.length === 1
      ? `its only column is ${names.join('')} (is the delimiter right?)`
      : `it has ${names.join(', ')}`;
  const draftsOnly = table.slots.has('status') || context.defaults.gives('status');
  for (const field of ['source', 'platform']) {
    if (table.slots.has(field) || context.defaults.gives(field) || (field === 'source' && draftsOnly)) continue;
    lacking.add(field);
    const at = { ...table.header, column: field };
    context.problems.add({ code: 'column-missing', at, message: `The file has no column ${field}; ${found}.` });
  }
  return lacking;
}
