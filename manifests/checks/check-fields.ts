import { basename } from 'node:path';
import { countCharacters, DIRECT_TITLE_LIMIT, PRIVACIES } from '../../service/limits';
import { parseChoice, parseName } from './text/check-simple';
import { type Source } from './source/check-source';
import { checkDescription, checkTitle } from './text/check-text';
import { checkDeadline } from './time/check-deadline';
import { checkDirect } from './source/check-direct';
import { checkPublishAt } from './time/check-publish-at';
import { refuseUnsent, takesLongFields } from './check-unsent';
import { type Cell } from '../raw-row';
import { type KindFields, type RowBasis } from './row-context';
import { type PlatformConfig } from '../types';

/** The fields of a row for one of its platforms. */
export interface CheckedFields {
  fields: KindFields;
  /** False after an error. */
  ok: boolean;
  /** False if even its profile isn't known. */
  named: boolean;
}

export const NO_FIELDS: KindFields = {
  profile: null,
  title: null,
  description: null,
  privacy: null,
  publishAt: null,
  deadline: null,
  skip: false,
  deferredErrors: [],
};

/** Checks the fields of a row for one of its platforms. */
export function checkKindFields(basis: RowBasis, platform: PlatformConfig, source: Source | undefined): CheckedFields {
  const { raw, context, account } = basis;
  const { problems, defaults } = context;
  const find = (field: string) => defaults.find(raw, field, { kind: platform.kind, account });
  const written = parseName(find('profile'), 'profile', problems);
  // No profile is sent, whatever the defaults name: the service uses its default channel (section 4.5).
  const defaultAsked = written === 'default';
  const profile = defaultAsked ? null : (written ?? null);
  const named = written !== undefined;
  // A skipped row is not sent: it needs an identity, but doesn't have to be sendable.
  if (basis.skip) {
    const fields = { ...NO_FIELDS, profile, defaultAsked, title: titleAsIs(find('title')), skip: true };
    return { fields, ok: named, named };
  }
  const title = titleOf(basis, platform, find('title'), source);
  const description = descriptionOf(basis, platform, find('description'));
  const privacy = privacyOf(basis, platform, find('privacy'));
  const time = checkPublishAt(basis, find);
  const end = time === undefined ? undefined : checkDeadline(basis, find('deadline'), time.publishAt);
  const direct = basis.via === 'publication' || checkDirect(basis, profile, source);
  if (
    title === undefined ||
    description === undefined ||
    privacy === undefined ||
    time === undefined ||
    end === undefined ||
    !direct ||
    !named
  )
    return { fields: { ...NO_FIELDS, profile, defaultAsked }, ok: false, named };
  const deferredErrors =
    time.deferredErrors.length + end.deferredErrors.length === 0
      ? NO_FIELDS.deferredErrors
      : [...time.deferredErrors, ...end.deferredErrors];
  const fields = {
    profile,
    defaultAsked,
    title,
    description,
    privacy,
    ...time,
    deadline: end.deadline,
    deferredErrors,
  };
  return { fields, ok: true, named };
}

/** The checks that a row without known platforms allows: its time and privacy. */
export function checkWithoutPlatform(basis: RowBasis): void {
  const { raw, context, account } = basis;
  if (basis.skip) return;
  const find = (field: string) => context.defaults.find(raw, field, { account });
  checkPublishAt(basis, find);
  const privacy = find('privacy');
  if (privacy !== undefined) parseChoice(privacy, 'privacy', PRIVACIES, context.problems);
}

function titleAsIs(cell: Cell | undefined): string | null {
  const title = cell?.text.replace(/\s+/g, ' ').trim() ?? '';
  return title === '' ? null : title;
}

function titleOf(
  basis: RowBasis,
  platform: PlatformConfig,
  cell: Cell | undefined,
  source: Source | undefined,
): string | null | undefined {
  const { problems } = basis.context;
  const direct = basis.via === 'direct';
  const title =
    cell === undefined
      ? null
      : checkTitle({
          cell,
          problems,
          kind: platform.kind,
          platform: platform.name,
          direct,
          limit: platform.titleLimit,
        });
  if (title === null && direct && source?.kind === 'file') {
    const limit = Math.min(DIRECT_TITLE_LIMIT, platform.titleLimit ?? Infinity);
    const length = countCharacters(basename(source.value));
    if (length > limit) {
      const at = cell?.at ?? { line: basis.raw.line, column: 'title', file: basis.raw.file };
      const message = `There is no title, so the service takes the file’s name, which has ${length} characters; at most ${limit} are allowed for a direct publish.`;
      const hint = 'Write a title, or give the file a shorter name.';
      problems.add({ code: 'title-too-long', at, value: basename(source.value), message, hint });
      return undefined;
    }
  }
  if (title === null && !basis.raw.refused && !basis.raw.suspected.has('title')) {
    const instead = direct ? 'the service takes the file’s name' : 'what the service shows instead is not documented';
    const at = { line: basis.raw.line, column: 'title', file: basis.raw.file };
    problems.add({ code: 'title-missing', at, message: `There is no title: ${instead}.` });
  }
  return title;
}

function descriptionOf(basis: RowBasis, platform: PlatformConfig, cell: Cell | undefined): string | null | undefined {
  if (cell === undefined) return null;
  if (takesLongFields(basis, platform)) {
    return checkDescription({ cell, problems: basis.context.problems, limit: platform.descriptionLimit });
  }
  return refuseUnsent(basis, platform, { cell, field: 'description', harmless: true });
}

function privacyOf(basis: RowBasis, platform: PlatformConfig, cell: Cell | undefined): string | null | undefined {
  const { problems } = basis.context;
  if (!takesLongFields(basis, platform)) {
    if (cell === undefined) return null;
    return refuseUnsent(basis, platform, {
      cell,
      field: 'privacy',
      harmless: cell.text.trim().toLowerCase() === 'public',
    });
  }
  if (cell !== undefined) return parseChoice(cell, 'privacy', PRIVACIES, problems);
  if (basis.raw.refused || basis.raw.suspected.has('privacy')) return null;
  const at = { line: basis.raw.line, column: 'privacy', file: basis.raw.file };
  problems.add({
    code: 'privacy-missing',
    at,
    message: `There is no privacy: on ${platform.name} the service publishes as private.`,
  });
  return null;
}
