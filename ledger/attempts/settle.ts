import { sql } from 'kysely';
import { LedgerStateError } from '../model/errors';
import { shortMessage } from '../model/labels';
import { acceptedPlace, backToSent, placeOf } from '../rows/back-to-sent';
import { ownerOf, ownPublication } from '../publications/publications';
import { valuesAt } from '../rows/accepted';
import { withdrawAnswer } from './others-publication';
import { readAttempt } from './attempt-records';
import { release } from './release';
import { moveRow, readRow } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
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
        return followPublication(store, tx, row, { ...decision, how: 'adopted', attempt, now });
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

/**
 * Makes the publication of an attempt the row's own and has it followed (or kept, if it is a draft). A service may show
 * `draft` while it ingests a publication: only a row that was sent as a draft ends as one.
 */
export async function followPublication(
  store: Store,
  tx: Tx,
  row: RowRecord,
  found: {
    publicationId: string;
    status: string;
    how: 'adopted' | 'named';
    /** What made it; undefined: nothing that this ledger knows of. */
    attempt: Pick<Tables['attempts'], 'entry_snapshot' | 'entry_position'> | undefined;
    now: number;
  },
): Promise<RowState> {
  const { publicationId, how, attempt, now } = found;
  const owner = await ownPublication(tx, { account: row.account, publicationId, rowId: row.id, how, at: now });
  if (owner !== row.id) {
    throw new LedgerStateError(
      `publication ${publicationId} belongs to another row; row ${row.line} (key ${row.key}) can’t have it`,
    );
  }
  const place = attempt === undefined ? acceptedPlace(row) : placeOf(attempt, row);
  const sent = await valuesAt(tx, place);
  const status = found.status === 'draft' && sent.status === 'published' ? 'processing' : found.status;
  const state = status === 'draft' ? 'drafted' : 'processing';
  const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
  return moveRow(tx, row, state, now, {
    publication_id: publicationId,
    status,
    code: null,
    message: null,
    candidates: null,
    created_at: now,
    deadline: now + giveUpAfterMs,
    ...(await backToSent(tx, row, { place, sent, state })),
  });
}
