import { findValues } from '../rows/accepted';
import { LedgerFaultError } from '../model/errors';
import { noteEnds } from '../channels/failure-policy';
import { shortMessage } from '../model/labels';
import { ownPublication } from '../publications/publications';
import { moveRow, moveRowBy, patchRow, type RowPatch } from '../rows/rows';
import { noteSecond } from './second-publications';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type AttemptOutcome } from '../model/attempt-types';
import { endAttempt, type Recorded, type Recording } from './attempt-records';
import { isOlder, OTHERS_ID, recordOthersId } from './others-publication';

export async function recordAccepted(
  r: Recording,
  outcome: Extract<AttemptOutcome, { kind: 'accepted' }>,
): Promise<Recorded> {
  const { tx, row, now } = r;
  const { publicationId } = outcome;
  const { account, id: rowId } = row;
  const answered = { account, publicationId, rowId, how: 'answer', claimedSequence: r.attempt.sequence } as const;
  // The same answer again, after its publication turned out to be another row's.
  if (r.attempt.code === OTHERS_ID && r.attempt.publication_id === publicationId) return { state: row.state };
  if (r.attempt.outcome === 'accepted' && r.attempt.publication_id !== publicationId) {
    await ownPublication(tx, { ...answered, at: now });
    await noteSecond(tx, row, publicationId);
    return { state: row.state, conflict: publicationId };
  }
  const hasNoId = row.publication_id === null && row.publish_id === null;
  if (hasNoId && (await isOlder(tx, { runId: r.attempt.run_id, account: row.account, publicationId })))
    return recordOthersId(r, publicationId, 'existed before its run began');
  const owner = await ownPublication(tx, { ...answered, at: now });
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

export async function recordSubmitted(
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
