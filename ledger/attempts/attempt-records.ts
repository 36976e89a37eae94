import { LedgerFaultError } from '../model/errors';
import { shortMessage } from '../model/labels';
import { type RowState } from '../model/states';
import { prepared, preparedFirst, type Store, type Tx } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';
import { type AttemptOutcome } from '../model/attempt-types';

export interface Recording {
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

const attemptOf = preparedFirst<{ rowId: number; number: number }, Tables['attempts']>((db, p) =>
  db.selectFrom('attempts').selectAll().where('row_id', '=', p.rowId).where('number', '=', p.number),
);

export function findAttempt(tx: Tx, rowId: number, number: number): Promise<Tables['attempts'] | undefined> {
  return attemptOf(tx, { rowId, number });
}

export async function readAttempt(tx: Tx, row: RowRecord, number: number): Promise<Tables['attempts']> {
  const attempt = await findAttempt(tx, row.id, number);
  if (attempt) return attempt;
  throw new LedgerFaultError(
    `row ${row.line} (key ${row.key}) has no attempt ${number}; an outcome can’t belong to it`,
  );
}

/** Writes the attempt's outcome. An attempt that had ended as `unknown` is settled by its own late answer. */
export async function endAttempt(
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
