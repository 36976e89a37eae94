import { PRIVACIES } from '../service/limits';
import { parseChoice, parseName } from './check-simple';
import { type Source } from './check-source';
import { checkDescription, checkTitle } from './check-text';
import { judgeMoment, parsePublishAt } from './check-time';
import { type Problem } from './problems';
import { type Cell } from './raw-row';
import { type RowBasis } from './row-context';
import { showValue } from './text';
import { type PlatformConfig } from './types';

/** The fields that may differ by platform. */
export interface KindFields {
  profile: string | null;
  title: string | null;
  description: string | null;
  privacy: string | null;
  publishAt: string | null;
  /** Left out because its time has passed and that was asked for. */
  skip: boolean;
  blockers: Problem[];
}

/** Checks the fields of a row for one of its platforms; undefined after an error. */
export function checkKindFields(
  basis: RowBasis,
  platform: PlatformConfig,
  source: Source | undefined,
): KindFields | undefined {
  const { raw, context, account } = basis;
  const { problems, defaults } = context;
  const profile = parseName(
    defaults.find(raw, 'profile', { kind: platform.kind, account, profile: null }),
    'profile',
    problems,
  );
  if (profile === undefined) return undefined;
  const find = (field: string) => defaults.find(raw, field, { kind: platform.kind, account, profile });
  // A skipped row is not sent: it needs who it is, not that it could be sent as it stands.
  if (basis.skip)
    return {
      profile,
      title: titleAsIs(find('title')),
      description: null,
      privacy: null,
      publishAt: null,
      skip: true,
      blockers: [],
    };
  const title = titleOf(basis, platform, find('title'));
  const description = descriptionOf(basis, platform, find('description'));
  const privacy = privacyOf(basis, platform, find('privacy'));
  const time = timeOf(basis, find('publish_at'));
  const direct = basis.via === 'publication' || checkDirect(basis, profile, source);
  if (title === undefined || description === undefined || privacy === undefined || time === undefined || !direct)
    return undefined;
  return { profile, title, description, privacy, ...time };
}

/** What can be said of a row whose platforms aren't known: its time and privacy. */
export function checkWithoutPlatform(basis: RowBasis): void {
  const { raw, context, account } = basis;
  if (basis.skip) return;
  const find = (field: string) => context.defaults.find(raw, field, { account, profile: null });
  timeOf(basis, find('publish_at'));
  const privacy = find('privacy');
  if (privacy !== undefined) parseChoice(privacy, 'privacy', PRIVACIES, context.problems);
}

function titleAsIs(cell: Cell | undefined): string | null {
  const title = cell?.text.replace(/\s+/g, ' ').trim() ?? '';
  return title === '' ? null : title;
}

function titleOf(basis: RowBasis, platform: PlatformConfig, cell: Cell | undefined): string | null | undefined {
  const { problems } = basis.context;
  const direct = basis.via === 'direct';
  const title =
    cell === undefined ? null : checkTitle({ cell, problems, kind: platform.kind, platform: platform.name, direct });
  if (title === null && !basis.raw.refused) {
    const instead = direct ? 'the service takes the file’s name' : 'what the service shows instead isn’t documented';
    const at = { line: basis.raw.line, column: 'title', file: basis.raw.file };
    problems.add({ code: 'title-missing', at, message: `There is no title: ${instead}.` });
  }
  return title;
}

function descriptionOf(basis: RowBasis, platform: PlatformConfig, cell: Cell | undefined): string | null | undefined {
  if (cell === undefined) return null;
  if (takesLongFields(basis, platform)) return checkDescription({ cell, problems: basis.context.problems });
  return notOffered(basis, platform, { cell, field: 'description', harmless: true });
}

function privacyOf(basis: RowBasis, platform: PlatformConfig, cell: Cell | undefined): string | null | undefined {
  const { problems } = basis.context;
  if (!takesLongFields(basis, platform)) {
    if (cell === undefined) return null;
    return notOffered(basis, platform, {
      cell,
      field: 'privacy',
      harmless: cell.text.trim().toLowerCase() === 'public',
    });
  }
  if (cell !== undefined) return parseChoice(cell, 'privacy', PRIVACIES, problems);
  if (basis.raw.refused) return null;
  const at = { line: basis.raw.line, column: 'privacy', file: basis.raw.file };
  problems.add({
    code: 'privacy-missing',
    at,
    message: `There is no privacy: on ${platform.name} the service publishes as private.`,
  });
  return null;
}

/** Description and privacy go with publications on long platforms only (interface, 4.3 and 4.5). */
function takesLongFields(basis: RowBasis, platform: PlatformConfig): boolean {
  return platform.kind === 'long' && basis.via === 'publication';
}

/**
 * A value that can't be sent. An error where it was meant for this very platform, or where leaving it out would show the
 * video to more people than asked; otherwise (a default, or a row for several platforms) a warning.
 */
function notOffered(
  basis: RowBasis,
  platform: PlatformConfig,
  input: { cell: Cell; field: 'description' | 'privacy'; harmless: boolean },
): null | undefined {
  const { cell, field, harmless } = input;
  const direct = basis.via === 'direct';
  const column = cell.at.column ?? field;
  const meantForIt =
    cell.level === 'row' && (direct || cell === basis.raw.slots.get(`${field}.short`) || !goesToLong(basis));
  const severity = harmless && !meantForIt ? 'warning' : 'error';
  const whom = direct ? 'A direct publish' : `${platform.name} (${platform.kind})`;
  const message = `${whom} takes no ${field}: “${showValue(cell.text, 40)}” ${severity === 'error' ? 'can’t be honoured' : 'isn’t sent there'}.`;
  const code = direct ? 'direct-field' : field === 'privacy' ? 'privacy-not-offered' : 'description-not-offered';
  basis.context.problems.add({
    code,
    severity,
    at: { ...cell.at, column },
    value: cell.text,
    message,
    shared: cell.level !== 'row',
  });
  return severity === 'error' ? undefined : null;
}

function goesToLong(basis: RowBasis): boolean {
  return basis.platforms.some((platform) => platform.kind === 'long');
}

function timeOf(
  basis: RowBasis,
  cell: Cell | undefined,
): Pick<KindFields, 'publishAt' | 'skip' | 'blockers'> | undefined {
  const { problems, timezone, now, past } = basis.context;
  if (cell === undefined) return { publishAt: null, skip: false, blockers: [] };
  const ms = parsePublishAt(cell, timezone, problems);
  if (ms === undefined) return undefined;
  const publishAt = new Date(ms).toISOString();
  const verdict = judgeMoment(ms, now);
  if (verdict === 'past') {
    if (past === 'now') return { publishAt: null, skip: false, blockers: [] };
    if (past === 'skip') return { publishAt, skip: true, blockers: [] };
    const problem = problems.add({
      code: 'time-past',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} has passed.`,
      shared: cell.level !== 'row',
    });
    return { publishAt, skip: false, blockers: [problem] };
  }
  if (verdict === 'far') {
    problems.add({
      code: 'time-far',
      at: cell.at,
      value: cell.text,
      message: `${publishAt} is more than a year away.`,
      shared: cell.level !== 'row',
    });
  }
  return { publishAt, skip: false, blockers: [] };
}

/** The rules of a direct publish that need no look at the file (interface, 4.3). */
function checkDirect(basis: RowBasis, profile: string | null, source: Source | undefined): boolean {
  const { problems } = basis.context;
  const at = (column: string) =>
    basis.raw.slots.get(column)?.at ?? { line: basis.raw.line, column, file: basis.raw.file };
  let ok = true;
  if (basis.status === 'draft') {
    problems.add({
      code: 'direct-field',
      at: at('status'),
      value: 'draft',
      message: 'A direct publish can’t be a draft.',
    });
    ok = false;
  }
  if (profile === null) {
    problems.add({
      code: 'direct-profile',
      at: at('profile'),
      message: 'A direct publish goes to a profile, and the row names none.',
    });
    ok = false;
  }
  if (source?.kind === 'url') {
    problems.add({
      code: 'direct-url',
      at: at('source'),
      value: source.value,
      message: 'A direct publish uploads a file; the source is a URL.',
    });
    ok = false;
  }
  return ok;
}
