/**
 * The states of a row and the moves between them, as data. Code and tests read this one table.
 * `planned` and `waiting` come before a create; `creating` is a create that may be under way or whose answer is not
 * settled yet; `processing` is a publication that the service has accepted. All others are final.
 */
export const ROW_STATES = [
  'planned',
  'waiting',
  'creating',
  'processing',
  'published',
  'failed',
  'rejected',
  'unconfirmed',
  'overdue',
  'drafted',
  'submitted',
  'cancelled',
] as const;

export type RowState = (typeof ROW_STATES)[number];

/** The states in which nothing more happens automatically. */
export const END_STATES = [
  'published',
  'failed',
  'rejected',
  'unconfirmed',
  'overdue',
  'drafted',
  'submitted',
  'cancelled',
] as const satisfies readonly RowState[];

/** Which states may follow a state, and what moves a row there. */
export const TRANSITIONS: Readonly<Record<RowState, Readonly<Partial<Record<RowState, string>>>>> = {
  planned: {
    waiting: 'its time or its channel is not ready yet',
    creating: 'claimed for a create',
    cancelled: 'cancelled, pruned or marked to skip before it was sent',
  },
  waiting: {
    planned: 'new values were accepted',
    creating: 'claimed for a create',
    cancelled: 'cancelled, pruned or marked to skip before it was sent',
  },
  creating: {
    planned: 'the create certainly did not happen',
    processing: 'accepted, or adopted on evidence',
    published: 'a later scan found it published',
    failed: 'a later scan found it failed',
    rejected: 'the service refused the create',
    unconfirmed: 'a create may have happened and nothing can settle it',
    drafted: 'a draft was requested and accepted',
    submitted: 'a direct publish was acknowledged',
    cancelled: 'cancelled, and the create certainly did not happen',
  },
  processing: {
    published: 'the service reports it',
    failed: 'the service reports it',
    overdue: 'still processing at the deadline',
    creating: 'the publication that its create was answered with is another row’s',
  },
  overdue: {
    processing: 'read again on request',
    published: 'the service reports it',
    failed: 'the service reports it',
  },
  unconfirmed: {
    planned: 'a person confirms that it does not exist',
    processing: 'a person names the publication, or its answer arrived late',
    published: 'a person names the publication, or its answer arrived late',
    failed: 'a person names the publication, or its answer arrived late',
    rejected: 'its answer arrived late',
    drafted: 'its answer arrived late',
    submitted: 'a person confirms a direct publish, or its answer arrived late',
    cancelled: 'a person gives it up',
  },
  failed: {
    planned: 'retried, or its values were corrected',
    published: 'read again: the service now reports it',
    processing: 'read again: the service now reports it',
  },
  rejected: { planned: 'retried, or its values were corrected', cancelled: 'pruned' },
  cancelled: {
    planned: 'submitted again; it was never sent',
    processing: 'an answer arrived late',
    drafted: 'an answer arrived late',
    submitted: 'an answer arrived late',
  },
  published: {},
  drafted: {
    planned: 'a new publication was requested in its place',
    processing: 'read again: the service has published it or is doing so',
  },
  submitted: {},
};

/** The code of a row that a person gave up: `cancelled`, although its video may be live. */
export const GIVEN_UP = 'given-up';

/** Codes of rows that are cancelled because their manifest, or one of its flags, requested that. */
export const AS_ASKED_CODES: readonly string[] = ['skip', 'pruned', 'late', 'deadline-passed'];

/** The code of a draft whose change has had no answer yet: its run retries it. */
export const PATCH_PENDING = 'patch-pending';

/** The code of a draft that is not as its manifest says: the service refused the change, or doesn't allow it. */
export const PATCH_REFUSED = 'patch-refused';

/** Codes of drafts that a submit could not change; a draft whose record was deleted elsewhere is not an error. */
export const UNCHANGED_CODES: readonly string[] = [PATCH_REFUSED, 'publication-immutable', PATCH_PENDING];

/** A draft that differs from its manifest because its change was refused. */
export function isUnchangedDraft(row: { state: RowState; code: string | null }): boolean {
  return row.state === 'drafted' && row.code !== null && UNCHANGED_CODES.includes(row.code);
}

/** The code of a row whose publication is live with other values than the row requested. */
export const PUBLISHED_DIFFERS = 'published-differs';

/** Codes of published rows that are not live as requested: from the start, or according to a later read (`recheck`). */
export const DIFFERING_CODES: readonly string[] = [PUBLISHED_DIFFERS, 'made-private', 'gone', 'failed-later'];

/** A published row that is not live as requested. */
export function isDiffering(row: { state: RowState; code: string | null }): boolean {
  return row.state === 'published' && row.code !== null && DIFFERING_CODES.includes(row.code);
}

export function isEnd(state: RowState): boolean {
  return (END_STATES as readonly RowState[]).includes(state);
}

export function mayMove(from: RowState, to: RowState): boolean {
  return TRANSITIONS[from][to] !== undefined;
}
