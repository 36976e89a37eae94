import { type Selectable } from 'kysely';
import { LedgerStateError } from '../model/errors';
import { type Db, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type RunRef } from '../model/types';

export type RunRecord = Selectable<Tables['runs']>;

export const runByNumber = preparedFirst<RunRef, RunRecord>((db, p) =>
  db.selectFrom('runs').selectAll().where('campaign', '=', p.campaign).where('number', '=', p.number),
);

const runIdByNumber = preparedFirst<RunRef, { id: number }>((db, p) =>
  db.selectFrom('runs').select('id').where('campaign', '=', p.campaign).where('number', '=', p.number),
);

export async function readRun(db: Db, run: RunRef): Promise<RunRecord> {
  return (await runByNumber(db, run)) ?? unknownRun(run);
}

export async function runIdOf(db: Db, run: RunRef): Promise<number> {
  return ((await runIdByNumber(db, run)) ?? unknownRun(run)).id;
}

function unknownRun(run: RunRef): never {
  throw new LedgerStateError(`the ledger has no run ${run.campaign}.${run.number}`);
}

/** Whether the run still holds its campaign: open, and not superseded. */
export async function holds(store: Store, run: RunRef): Promise<boolean> {
  return isOpen(store.db, run);
}

export async function isOpen(db: Db, run: RunRef): Promise<boolean> {
  return (await readRun(db, run)).open === 1;
}
