import { sql } from 'kysely';
import { LedgerStateError } from '../model/errors';
import { rowLabel, shortMessage } from '../model/labels';
import { ownerOf, ownPublication } from '../publications/publications';
import { valuesAt } from '../rows/accepted';
import { withdrawAnswer } from './others-publication';
import { readAttempt } from './attempt-records';
import { release } from './release';
import { moveRow, patchRow, readRow } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { sourceHash } from '../model/source';
import { PATCH_PENDING, PATCH_REFUSED, type RowState } from '../model/states';
import { type RowValues } from '../model/types';
import { type Store, type Tx } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';

/** The code of an attempt that was given up because its worker fell silent: nothing proves that it is over. */
export const WORKER_SILENT = 'worker-silent';

export type SettleDecision =
  | {
      kind: 'adopt';
      publicationId: string;
      status: string;
      /** The row whose create was answered with this publication, although it isn't that row's. */
      takenFrom?: number;
    }
  | { kind: 'repeat' }
  | { kind: 'unconfirmed'; code: string; message: string; candidates: readonly string[] };

/**
 * Settles an attempt that ended as `unknown`; does nothing if it is already settled or answered. `unconfirmed` also
 * ends an attempt whose worker has been silent for too long: if that worker wakes up, it no longer sends, and its own
 * late answer still counts.
 */
export async function settle(store: Store, rowId: number, number: number, decision: SettleDecision): Promise<RowState> {
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const attempt = await readAttempt(tx, row, number);
    const now = store.now();
    if (attempt.ended_at === null) {
      if (decision.kind !== 'unconfirmed') {
        throw new LedgerStateError(
          `attempt ${number} of row ${row.line} (key ${row.key}) is still open; it can’t be settled`,
        );
      }
      await endAsUnknown(tx, row, number, { ...decision, now });
    } else if (attempt.outcome !== 'unknown' || attempt.settled_at !== null) return row.state;
    const current = row.state === 'creating' && row.attempts === number;
    if (current && decision.kind === 'adopt') {
      // Another row got the publication after the list was read: nothing is decided now, and the next scan shows it as
      // that row's.
      const owner = await ownerOf(tx, row.account, decision.publicationId);
      if (owner !== undefined && owner.row_id !== row.id && !(await takeFrom(tx, row, owner, { ...decision, now })))
        return row.state;
    }
    await markSettled(tx, row, number, { as: current ? decision.kind : 'moot', now });
    if (!current) return row.state;
    switch (decision.kind) {
      case 'adopt':
        return adoptPublication(store, tx, { row, attempt }, { ...decision, now });
      case 'repeat':
        return release(tx, row, { now, code: null, message: 'the create certainly did not happen; it is repeated' });
      case 'unconfirmed':
        return moveRow(tx, row, 'unconfirmed', now, {
          code: decision.code,
          message: shortMessage(decision.message),
          candidates: JSON.stringify(decision.candidates),
        });
    }
  });
}

/**
 * Gives this row a publication that another row's create was answered with. Returns false if the other row no longer
 * has it.
 */
async function takeFrom(
  tx: Tx,
  row: RowRecord,
  owner: { row_id: number; how: string },
  found: { publicationId: string; takenFrom?: number; now: number },
): Promise<boolean> {
  const { publicationId, takenFrom, now } = found;
  if (owner.row_id !== takenFrom || owner.how !== 'answer') return false;
  if (!(await withdrawAnswer(tx, takenFrom, publicationId, now))) return false;
  await tx
    .updateTable('publications')
    .set({ row_id: row.id, how: 'adopted', claimed_sequence: null })
    .where('account', '=', row.account)
    .where('publication_id', '=', publicationId)
    .execute();
  return true;
}

/** A service may show `draft` while it ingests a publication: only a row that was sent as a draft ends as one. */
async function adoptPublication(
  store: Store,
  tx: Tx,
  { row, attempt }: { row: RowRecord; attempt: Tables['attempts'] },
  found: { publicationId: string; status: string; now: number },
): Promise<RowState> {
  const snapshot = attempt.entry_snapshot ?? row.entry_snapshot;
  const position = attempt.entry_position ?? row.entry_position;
  const sent = await valuesAt(tx, { snapshot, position });
  const status = found.status === 'draft' && sent.status === 'published' ? 'processing' : found.status;
  const state = await followPublication(store, tx, row, { ...found, status, how: 'adopted' });
  const isChanged = snapshot !== row.entry_snapshot || position !== row.entry_position;
  if (isChanged && state === 'drafted') await keepSentDraft(tx, row, { snapshot, position, sent });
  return state;
}

/**
 * A draft has the values that were sent, even if its row has accepted newer ones since: the row goes back to those
 * values, and the changes that PATCH allows are then made at the service.
 */
async function keepSentDraft(
  tx: Tx,
  row: RowRecord,
  { snapshot, position, sent }: { snapshot: number; position: number; sent: RowValues },
): Promise<void> {
  const wanted = await valuesAt(tx, { snapshot: row.entry_snapshot, position: row.entry_position });
  const isPublished = wanted.status === 'published';
  await patchRow(tx, row.id, {
    entry_snapshot: snapshot,
    entry_position: position,
    label: rowLabel({ line: row.line, key: row.key, values: sent }),
    source_hash: sourceHash(sent.source),
    code: isPublished ? PATCH_REFUSED : PATCH_PENDING,
    message: isPublished ? 'not published: an earlier create had already made this draft' : null,
    deadline: null,
  });
}

/** Ends an open attempt of which it isn't known whether it was sent. */
export async function endAsUnknown(
  tx: Tx,
  row: Pick<RowRecord, 'id'>,
  number: number,
  why: { code: string; message: string; now: number },
): Promise<void> {
  await tx
    .updateTable('attempts')
    .set({ ended_at: why.now, outcome: 'unknown', code: why.code, message: shortMessage(why.message) })
    .where('row_id', '=', row.id)
    .where('number', '=', number)
    .where('ended_at', 'is', null)
    .execute();
}

/** Attempts without a certain outcome: not settled, or only as `unconfirmed`. The same text as an index's condition. */
export const UNSETTLED = sql<boolean>`outcome = 'unknown' and coalesce(settled_as, 'unconfirmed') = 'unconfirmed'`;

export async function markSettled(
  tx: Tx,
  row: Pick<RowRecord, 'id'>,
  number: number,
  settled: { as: string; now: number },
): Promise<void> {
  await tx
    .updateTable('attempts')
    .set({ settled_as: settled.as, settled_at: settled.now })
    .where('row_id', '=', row.id)
    .where('number', '=', number)
    .where(UNSETTLED)
    .execute();
}

/** Makes a publication the row's own and has it followed (or kept, if it is a draft). */
export async function followPublication(
  store: Store,
  tx: Tx,
  row: RowRecord,
  found: { publicationId: string; status: string; how: 'adopted' | 'named'; now: number },
): Promise<RowState> {
  const { publicationId, status, how, now } = found;
  const owner = await ownPublication(tx, { account: row.account, publicationId, rowId: row.id, how, at: now });
  if (owner !== row.id) {
    throw new LedgerStateError(
      `publication ${publicationId} belongs to another row; row ${row.line} (key ${row.key}) can’t have it`,
    );
  }
  const settings = await settingsOf(store, tx, row.entry_snapshot);
  return moveRow(tx, row, status === 'draft' ? 'drafted' : 'processing', now, {
    publication_id: publicationId,
    status,
    code: null,
    message: null,
    candidates: null,
    created_at: now,
    deadline: now + settings.giveUpAfterMs,
  });
}
