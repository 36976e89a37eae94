import { LedgerFaultError } from '../model/errors';
import { noteEnds } from '../channels/failure-policy';
import { shortMessage } from '../model/labels';
import { park } from '../channels/parkings';
import { release } from './release';
import { moveRow, patchRow, readRow, type RowPatch } from '../rows/rows';
import { type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type AttemptOutcome } from '../model/attempt-types';
import { recordAccepted, recordSubmitted } from './record-answer';
import { endAttempt, readAttempt, type Recorded, type Recording } from './attempt-records';

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
          `attempt ${number} of row ${row.line} (key ${row.key}) is another worker’s; an outcome of worker ${worker} can’t belong to it`,
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
