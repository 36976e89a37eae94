import { SandboxOptionError } from '../problem';

/** Possible shapes of an error body; the interface shows none (section 7). */
export const ERROR_BODIES = [
  'error-object',
  'message',
  'text',
  'html',
  'empty',
  'echo-key',
  'huge',
  'hostile',
] as const;
export type ErrorBody = (typeof ERROR_BODIES)[number];

/** What a service may do to a title before it shows it; several add up, in this order. */
export const TITLE_CHANGES = ['collapsed', 'lower', 'nfd', 'no-emoji', 'straight-quotes', 'encoded'] as const;
export type TitleChange = (typeof TITLE_CHANGES)[number];

/** What a service may do to a description before it shows it; `truncated` only in the list. */
export const DESCRIPTION_CHANGES = ['trimmed', 'crlf', 'truncated'] as const;
export type DescriptionChange = (typeof DESCRIPTION_CHANGES)[number];

/**
 * What the interface leaves open, one choice each. A client has to work with every combination. By default nothing is
 * shown that the interface doesn't define.
 */
export interface OpenChoices {
  /** Publication objects carry `title` (section 2.3). @default false */
  echoTitle: boolean;
  /** Publication objects carry `description`. @default false */
  echoDescription: boolean;
  /** Publication objects carry `profile_id`. @default false */
  echoProfile: boolean;
  /** Publication objects carry `created_at`. @default false */
  echoCreatedAt: boolean;
  /** The list carries `privacy` as well as the single view. @default false */
  echoPrivacy: boolean;
  /** How titles are shown, if not as sent. @default as sent */
  titleShown: readonly TitleChange[];
  /** Titles longer than this many characters are shown cut, with `…` as the last one; 0: none. @default 0 */
  titleMax: number;
  /** How descriptions are shown. @default as sent */
  descriptionShown: readonly DescriptionChange[];
  /** How `privacy` is shown: upper-cased, or `private` until the publication is published. @default 'as-sent' */
  privacyShown: 'as-sent' | 'upper' | 'private-until-done';
  /** How `profile_id` is shown. @default 'as-sent' */
  profileShown: 'as-sent' | 'upper';
  /** How `platform` is shown: by its wire value, or by its role, `short` or `long`. @default 'as-sent' */
  platformShown: 'as-sent' | 'role';
  /** How `created_at` is shown: an hour early or late, or in that hour's local time without a zone. @default 'utc' */
  createdAtShown: 'utc' | 'hour-early' | 'hour-late' | 'no-zone';
  /** The status that list and single view show while a publication is processing. @default 'processing' */
  ingestStatus: 'processing' | 'pending' | 'draft';
  /** The name of the field with the reason of a failure; '' shows none. @default '' */
  failureField: string;
  /** Publication and profile objects have undocumented fields. @default false */
  furtherFields: boolean;
  /** The single view of a publication on the short platform carries `privacy: public`. @default true */
  privacyOnShort: boolean;
  /** GET /v1/profiles/:id answers `{profile: …}` or the bare object (section 4.2). @default 'wrapped' */
  profileEnvelope: 'wrapped' | 'bare';
  /** Success status of the endpoints that name none (section 4.8). @default 200 each */
  updateStatus: number;
  deleteStatus: number;
  directStatus: number;
  /** Status for a PATCH outside `draft` and `pending` (section 7). @default 409 */
  immutableStatus: number;
  /** Status for an invalid field (section 7). @default 400 */
  invalidStatus: number;
  /** Body of errors (section 7). @default 'error-object' */
  errorBody: ErrorBody;
  /** Drafts appear in GET /v1/publications. @default true */
  draftsListed: boolean;
  /** A direct publish also becomes a publication in the list. @default false */
  directListed: boolean;
  /** What happens to `pending`: it stays, or continues to `processing` after `pendingMs`. @default 'stays' */
  pending: 'stays' | 'goes-on';
  /** Time in `pending` before `processing`, in ms. @default 200 */
  pendingMs: number;
  /** A new publication appears in the list only after this time, in ms. @default 0 */
  listLagMs: number;
  /** It appears in the list, and is found by its id, only after this time, in ms. @default 0 */
  readLagMs: number;
  /** The list carries `total`. @default true */
  listTotal: boolean;
  /** The maximum number of entries per page of the list, whatever `limit` was requested. @default 100 */
  pageMax: number;
  /** Order of the list: newest first, or by whole seconds with ties by id. @default 'newest' */
  listOrder: 'newest' | 'seconds';
  /** A `limit` outside 1..100: refused, or moved to the nearest bound (section 4.4). @default 'refuse' */
  pageLimit: 'refuse' | 'clamp';
  /** `description` or `privacy` on the short platform: refused, or ignored (section 4.5). @default 'refuse' */
  longOnlyFields: 'refuse' | 'ignore';
}

export const OPEN_DEFAULTS: OpenChoices = {
  echoTitle: false,
  echoDescription: false,
  echoProfile: false,
  echoCreatedAt: false,
  echoPrivacy: false,
  titleShown: [],
  titleMax: 0,
  descriptionShown: [],
  privacyShown: 'as-sent',
  profileShown: 'as-sent',
  platformShown: 'as-sent',
  createdAtShown: 'utc',
  ingestStatus: 'processing',
  failureField: '',
  furtherFields: false,
  privacyOnShort: true,
  profileEnvelope: 'wrapped',
  updateStatus: 200,
  deleteStatus: 200,
  directStatus: 200,
  immutableStatus: 409,
  invalidStatus: 400,
  errorBody: 'error-object',
  draftsListed: true,
  directListed: false,
  pending: 'stays',
  pendingMs: 200,
  listLagMs: 0,
  readLagMs: 0,
  listTotal: true,
  pageMax: 100,
  listOrder: 'newest',
  pageLimit: 'refuse',
  longOnlyFields: 'refuse',
};

const WORDS: Partial<Record<keyof OpenChoices, readonly string[]>> = {
  profileEnvelope: ['wrapped', 'bare'],
  errorBody: ERROR_BODIES,
  pending: ['stays', 'goes-on'],
  titleShown: TITLE_CHANGES,
  descriptionShown: DESCRIPTION_CHANGES,
  privacyShown: ['as-sent', 'upper', 'private-until-done'],
  profileShown: ['as-sent', 'upper'],
  platformShown: ['as-sent', 'role'],
  createdAtShown: ['utc', 'hour-early', 'hour-late', 'no-zone'],
  ingestStatus: ['processing', 'pending', 'draft'],
  listOrder: ['newest', 'seconds'],
  pageLimit: ['refuse', 'clamp'],
  longOnlyFields: ['refuse', 'ignore'],
};

/**
 * Reads choices like `echo-title`, `echoTitle=false` or `profile-envelope=bare`.
 *
 * @throws SandboxOptionError naming the choice, the value and what is allowed.
 */
export function parseOpenChoices(texts: readonly string[]): Partial<OpenChoices> {
  const chosen: Record<string, unknown> = {};
  for (const text of texts) {
    const [rawName = '', ...rest] = text.split('=');
    const name = rawName.trim().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!Object.hasOwn(OPEN_DEFAULTS, name)) {
      const known = Object.keys(OPEN_DEFAULTS).join(', ');
      throw new SandboxOptionError(`Unknown open choice "${rawName}". Known choices: ${known}.`);
    }
    chosen[name] = readValue(name as keyof OpenChoices, rest.length === 0 ? undefined : rest.join('=').trim());
  }
  return chosen;
}

function readValue(name: keyof OpenChoices, value: string | undefined): unknown {
  const words = WORDS[name];
  const standard = OPEN_DEFAULTS[name];
  const refuse = (allowed: string): never => {
    throw new SandboxOptionError(`Open choice "${name}" can't be "${value ?? ''}". Use ${name}=VALUE with ${allowed}.`);
  };
  if (words !== undefined && Array.isArray(standard)) {
    const several = value?.split(',').map((word) => word.trim());
    return several?.every((word) => words.includes(word)) === true
      ? several
      : refuse(`one or more of ${words.join(', ')}`);
  }
  if (words !== undefined) return value !== undefined && words.includes(value) ? value : refuse(words.join(', '));
  if (typeof standard === 'boolean') {
    if (value === undefined || value === 'true') return true;
    return value === 'false' ? false : refuse('true or false');
  }
  if (typeof standard === 'number') {
    const number = Number(value);
    if (value === undefined || !/^\d+$/.test(value)) return refuse('a whole number');
    if (name === 'pageMax' && (number < 1 || number > 100)) return refuse('a number from 1 to 100');
    if (name.endsWith('Status') && (number < 200 || number > 599)) return refuse('a status from 200 to 599');
    return number;
  }
  return value ?? refuse('a field name');
}
