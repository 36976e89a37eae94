import { sql } from 'kysely';
import { findValues } from '../rows/accepted';
import { LedgerFaultError } from '../model/errors';
import { noteEnds } from '../channels/failure-policy';
import { shortMessage } from '../model/labels';
import { isPostgres } from '../engine/postgres-dialect';
import { park } from '../channels/parkings';
import { ownPublication } from '../publications/publications';
import { release } from './release';
import { moveRow, moveRowBy, patchRow, readRow, type RowPatch } from '../rows/rows';
import { noteSecond } from './second-publications';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { prepared, preparedFirst, type Store, type Tx } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';
import { type AttemptOutcome } from '../model/types';

interface Recording {
  tx: Tx;
  store: Store;
  now: number;
  row: RowRecord;
  attempt: Tables['attempts'];
}

export interface Recorded {
  state: RowState;
  conflict?: string;
}

/** The code of a create that was answered with the id of another row's publication. */
export const OTHERS_ID = 'others-publication';

/**
 * Records the outcome of an attempt. It is never refused, whichever run owns the row by now: a late `accepted` or
 * `rejected` is applied to a row that is `creating` or `unconfirmed`; a publication id that differs from the row's own
 * is kept and reported in `conflict`. Recording the same outcome twice changes nothing. `worker`: the worker that made
 * the attempt; unknown in spool files of earlier versions.
 * @throws LedgerFaultError if there is no such attempt, or it is another worker's: a database that lost a claim reuses
 * its number
 */
export function createRecord(store: Store) {
  return (rowId: number, number: number, outcome: AttemptOutcome, worker?: string): Promise<Recorded> =>
    store.write(async (tx) => {
      const row = await readRow(tx, rowId);
      const attempt = await readAttempt(tx, row, number);
      if (worker !== undefined && attempt.worker_id !== worker) {
        throw new LedgerFaultError(
          `attempt ${number} of row ${row.line} (key ${row.key}) is another worker's; an outcome of worker ${worker} can't belong to it`,
        );
      }
      const recording: Recording = { tx, store, now: store.now(), row, attempt };
      if (isRepeated(attempt, outcome)) return { state: row.state };
      switch (outcome.kind) {
        case 'accepted':
          return recordAccepted(recording, outcome);
        case 'submitted':
          return recordSubmitted(recording, outcome);
        case 'rejected':
          return recordRejected(recording, outcome);
        case 'never-sent':
        case 'auth-refused':
          return recordUnsent(recording, outcome);
        case 'unknown':
          return recordUnknown(recording, outcome);
      }
    });
}

const attemptOf = preparedFirst<{ rowId: number; number: number }, Tables['attempts']>((db, p) =>
  db.selectFrom('attempts').selectAll().where('row_id', '=', p.rowId).where('number', '=', p.number),
);

export async function readAttempt(tx: Tx, row: RowRecord, number: number): Promise<Tables['attempts']> {
  const attempt = await attemptOf(tx, { rowId: row.id, number });
  if (attempt) return attempt;
  throw new LedgerFaultError(
    `row ${row.line} (key ${row.key}) has no attempt ${number}; an outcome can't belong to it`,
  );
}

function isRepeated(attempt: Tables['attempts'], outcome: AttemptOutcome): boolean {
  if (attempt.outcome !== outcome.kind) return false;
  if (outcome.kind === 'accepted') return attempt.publication_id === outcome.publicationId;
  if (outcome.kind === 'submitted') return attempt.publish_id === outcome.publishId;
  return true;
}

/** An attempt with a certain outcome keeps it, unless a later outcome shows that something was created. */
function isSettledFor(attempt: Tables['attempts']): boolean {
  return attempt.ended_at !== null && attempt.outcome !== 'unknown';
}

async function recordAccepted(r: Recording, outcome: Extract<AttemptOutcome, { kind: 'accepted' }>): Promise<Recorded> {
  const { tx, row, now } = r;
  const { publicationId } = outcome;
  // The same answer again, after its publication turned out to be another row's.
  if (r.attempt.code === OTHERS_ID && r.attempt.publication_id === publicationId) return { state: row.state };
  if (r.attempt.outcome === 'accepted' && r.attempt.publication_id !== publicationId) {
    await ownPublication(tx, { account: row.account, publicationId, rowId: row.id, how: 'answer', at: now });
    await noteSecond(tx, row, publicationId);
    return { state: row.state, conflict: publicationId };
  }
  const hasNoId = row.publication_id === null && row.publish_id === null;
  if (hasNoId && (await isOlder(tx, { runId: r.attempt.run_id, account: row.account, publicationId })))
    return recordOthersId(r, publicationId, 'existed before its run began');
  const owner = await ownPublication(tx, {
    account: row.account,
    publicationId,
    rowId: row.id,
    how: 'answer',
    at: now,
    claimedSequence: r.attempt.sequence,
  });
  if (row.publication_id === publicationId) return { state: row.state };
  if (owner !== row.id && hasNoId) return recordOthersId(r, publicationId, 'is another row’s');
  await endAttempt(r, outcome, { publication_id: publicationId });
  if (owner !== row.id || row.publication_id !== null || row.publish_id !== null) {
    await noteSecond(tx, row, publicationId);
    return { state: row.state, conflict: publicationId };
  }
  const drafted = await isDraft(r, outcome.status);
  return { state: await moveToAnswer(r, drafted ? 'drafted' : 'processing', await acceptedPatch(r, outcome)) };
}

const olderOnes = preparedFirst<{ runId: number; account: string; publicationId: string }, { run_id: number }>(
  (db, p) =>
    db
      .selectFrom('baselines')
      .select('baselines.run_id')
      .where('run_id', '=', p.runId)
      .where('account', '=', p.account)
      .where(
        isPostgres(db)
          ? sql<boolean>`baselines.ids::jsonb ? ${p.publicationId}`
          : sql<boolean>`${p.publicationId} in (select value from json_each(baselines.ids))`,
      ),
);

/** Whether a publication was in the account's list before the run created anything. */
async function isOlder(tx: Tx, one: { runId: number; account: string; publicationId: string }): Promise<boolean> {
  return (await olderOnes(tx, one)) !== undefined;
}

/**
 * The answer names a publication that isn't this row's, so it doesn't tell us anything about this row's create: it
 * counts as unknown. A publication may exist for the row under an id that was never returned.
 */
async function recordOthersId(r: Recording, publicationId: string, why: string): Promise<Recorded> {
  const { tx, row, attempt } = r;
  if (attempt.ended_at !== null) return { state: row.state };
  const message = `the service answered with publication ${publicationId}, which ${why}`;
  await endAttempt(r, { kind: 'unknown', code: OTHERS_ID, message }, {});
  if (attempt.number === row.attempts && row.state === 'creating') {
    await patchRow(tx, row.id, { code: OTHERS_ID, message: shortMessage(message) });
  }
  return { state: row.state };
}

async function recordSubmitted(
  r: Recording,
  outcome: Extract<AttemptOutcome, { kind: 'submitted' }>,
): Promise<Recorded> {
  const { row } = r;
  if (r.attempt.outcome === 'submitted') {
    await noteSecond(r.tx, row, outcome.publishId);
    return { state: row.state, conflict: outcome.publishId };
  }
  await endAttempt(r, outcome, { publish_id: outcome.publishId });
  if (row.publish_id === outcome.publishId) return { state: row.state };
  if (row.publication_id !== null || row.publish_id !== null) {
    await noteSecond(r.tx, row, outcome.publishId);
    return { state: row.state, conflict: outcome.publishId };
  }
  const patch: RowPatch = {
    publish_id: outcome.publishId,
    created_at: r.now,
    code: null,
    message: shortMessage(outcome.message),
    candidates: null,
  };
  if (row.state === 'submitted') {
    // A person had already decided this before its answer arrived.
    await patchRow(r.tx, row.id, patch);
    return { state: row.state };
  }
  return { state: await moveToAnswer(r, 'submitted', patch) };
}

async function recordRejected(r: Recording, outcome: Extract<AttemptOutcome, { kind: 'rejected' }>): Promise<Recorded> {
  const { tx, row, attempt } = r;
  if (isSettledFor(attempt)) return { state: row.state };
  await endAttempt(r, outcome, {});
  const current = attempt.number === row.attempts && (row.state === 'creating' || row.state === 'unconfirmed');
  if (!current) return { state: row.state };
  const patch: RowPatch = {
    code: outcome.code,
    message: shortMessage(outcome.message),
    column_name: outcome.column ?? null,
    candidates: null,
    sent: 0,
  };
  const state = await moveRow(tx, row, 'rejected', r.now, patch);
  await noteEnds(r.store, tx, [{ row, state, code: outcome.code, message: outcome.message }], r.now);
  return { state };
}

async function recordUnsent(
  r: Recording,
  outcome: Extract<AttemptOutcome, { kind: 'never-sent' | 'auth-refused' }>,
): Promise<Recorded> {
  const { tx, row, attempt, now } = r;
  if (isSettledFor(attempt)) return { state: row.state };
  await endAttempt(r, outcome, {});
  if (outcome.kind === 'auth-refused') {
    const channel = await tx
      .selectFrom('channels')
      .select(['id', 'text_id'])
      .where('id', '=', row.channel_id)
      .executeTakeFirstOrThrow();
    const status = String(outcome.httpStatus);
    const said = outcome.message.includes(status) ? outcome.message : `${outcome.message} (HTTP ${status})`;
    const reason = shortMessage(said) ?? '';
    await park(tx, { account: row.account, channel: outcome.park === 'account' ? null : channel, reason }, now);
  }
  if (attempt.number !== row.attempts) return { state: row.state };
  if (row.state === 'unconfirmed') {
    // Nothing was sent after all. Whether to continue is still the decision of the person who was asked.
    const message = shortMessage(`its worker reported late that nothing was sent (${outcome.message})`);
    await patchRow(tx, row.id, { code: 'not-sent', message });
  }
  if (row.state !== 'creating') return { state: row.state };
  const readyAt = outcome.kind === 'never-sent' ? outcome.retryAt : undefined;
  return { state: await release(tx, row, { now, readyAt, code: outcome.code, message: outcome.message }) };
}

async function recordUnknown(r: Recording, outcome: Extract<AttemptOutcome, { kind: 'unknown' }>): Promise<Recorded> {
  const { tx, row, attempt } = r;
  if (attempt.ended_at !== null) return { state: row.state };
  await endAttempt(r, outcome, { not_before: outcome.notBefore ?? null });
  if (attempt.number === row.attempts && row.state === 'creating') {
    await patchRow(tx, row.id, { code: outcome.code, message: shortMessage(outcome.message) });
  }
  return { state: row.state };
}

/** The row moves to the state that the answer gives it, whatever its current state: an answer we have is the truth. */
async function moveToAnswer(
  r: Recording,
  to: 'processing' | 'drafted' | 'submitted',
  answer: RowPatch,
): Promise<RowState> {
  const { tx, row, now } = r;
  if (to !== 'processing') await noteEnds(r.store, tx, [{ row, state: to, code: null, message: null }], now);
  const patch = row.state === 'creating' ? answer : { ...answer, ...(await openRunFor(tx, row)) };
  switch (row.state) {
    case 'creating':
    case 'unconfirmed':
    case 'cancelled':
      return moveRow(tx, row, to, now, patch);
    case 'planned':
      return moveRowBy(tx, row, ['creating', to], now, patch);
    case 'waiting':
      return moveRowBy(tx, row, ['creating', to], now, patch);
    case 'failed':
    case 'rejected':
      return moveRowBy(tx, row, ['planned', 'creating', to], now, patch);
    case 'processing':
    case 'published':
    case 'overdue':
    case 'drafted':
    case 'submitted':
      throw new LedgerFaultError(`row ${row.line} (key ${row.key}) is ${row.state} without an id; nothing was changed`);
  }
}

/** A row whose run has ended moves to the campaign's open run, if there is one; otherwise the next run takes it. */
async function openRunFor(tx: Tx, row: RowRecord): Promise<RowPatch> {
  const open = await tx
    .selectFrom('runs')
    .select('id')
    .where('campaign', '=', row.campaign)
    .where('open', '=', 1)
    .executeTakeFirst();
  return open ? { run_id: open.id } : {};
}

/** A draft publishes nothing by itself. Only if its status is something else is it worth following. */
const FOLLOWED: readonly string[] = ['processing', 'published', 'failed'];

async function isDraft({ tx, row }: Recording, status: string): Promise<boolean> {
  if (status === 'draft') return true;
  if (FOLLOWED.includes(status)) return false;
  const accepted = await findValues(tx, { snapshot: row.entry_snapshot, position: row.entry_position });
  return accepted?.status === 'draft';
}

async function acceptedPatch(
  { tx, store, row, now }: Recording,
  outcome: { publicationId: string; status: string; message?: string },
): Promise<RowPatch> {
  const settings = await settingsOf(store, tx, row.entry_snapshot);
  return {
    publication_id: outcome.publicationId,
    status: outcome.status,
    code: null,
    message: shortMessage(outcome.message),
    column_name: null,
    candidates: null,
    created_at: now,
    deadline: now + settings.giveUpAfterMs,
    sent: 1,
  };
}

/**
 * Withdraws the answer of a create, because its publication turned out to be another row's: the answer counts as
 * unknown from now on. Returns false if the row has moved on since; then nothing is changed.
 */
export async function withdrawAnswer(tx: Tx, rowId: number, publicationId: string, now: number): Promise<boolean> {
  const row = await readRow(tx, rowId);
  if (row.state !== 'processing' || row.publication_id !== publicationId) return false;
  const attempt = await readAttempt(tx, row, row.attempts);
  if (attempt.outcome !== 'accepted' || attempt.publication_id !== publicationId) return false;
  const message = shortMessage(`the service answered with publication ${publicationId}, which is another row’s`);
  await tx
    .updateTable('attempts')
    .set({ outcome: 'unknown', code: OTHERS_ID, message, settled_as: null, settled_at: null })
    .where('row_id', '=', rowId)
    .where('number', '=', attempt.number)
    .execute();
  await moveRow(tx, row, 'creating', now, {
    code: OTHERS_ID,
    message,
    publication_id: null,
    status: null,
    created_at: null,
    deadline: null,
  });
  return true;
}

/** Writes the attempt's outcome. An attempt that had ended as `unknown` is settled by its own late answer. */
async function endAttempt(
  { tx, attempt, now }: Recording,
  outcome: AttemptOutcome,
  found: Partial<Pick<Tables['attempts'], 'publication_id' | 'publish_id' | 'not_before'>>,
): Promise<void> {
  const late = attempt.outcome === 'unknown' && attempt.settled_at === null;
  await writeEnd(tx, {
    row_id: attempt.row_id,
    number: attempt.number,
    ended_at: attempt.ended_at ?? now,
    outcome: outcome.kind,
    code: 'code' in outcome ? outcome.code : null,
    message: shortMessage(outcome.message),
    http_status: 'httpStatus' in outcome ? (outcome.httpStatus ?? null) : null,
    publication_id: found.publication_id ?? attempt.publication_id,
    publish_id: found.publish_id ?? attempt.publish_id,
    not_before: found.not_before ?? attempt.not_before,
    settled_as: late ? 'answered' : attempt.settled_as,
    settled_at: late ? now : attempt.settled_at,
  });
}

type AttemptEnd = Pick<
  Tables['attempts'],
  | 'row_id'
  | 'number'
  | 'ended_at'
  | 'outcome'
  | 'code'
  | 'message'
  | 'http_status'
  | 'publication_id'
  | 'publish_id'
  | 'not_before'
  | 'settled_as'
  | 'settled_at'
>;

const writeEnd = prepared<AttemptEnd, unknown>((db, p) =>
  db
    .updateTable('attempts')
    .set({
      ended_at: p.ended_at,
      outcome: p.outcome,
      code: p.code,
      message: p.message,
      http_status: p.http_status,
      publication_id: p.publication_id,
      publish_id: p.publish_id,
      not_before: p.not_before,
      settled_as: p.settled_as,
      settled_at: p.settled_at,
    })
    .where('row_id', '=', p.row_id)
    .where('number', '=', p.number),
);
