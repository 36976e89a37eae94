import { acceptedRows } from '../rows/accepted';
import { attentionRows } from '../queries/attention';
import { noteDecision } from '../rows/decisions';
import { shortMessage } from '../model/labels';
import { followPublication } from '../attempts/settle';
import { moveRow, moveRowBy, patchRow, readRow } from '../rows/rows';
import { type Safety } from './rollback-guard';
import { type RowState } from '../model/states';
import { breathe, PAGE_ROWS, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type AttentionRow } from '../model/types';

/** A publication of the account that no row owns. */
export type Stray = Tables['strays'];

export interface SuspectVerdict {
  rowId: number;
  by: string;
  verdict: { kind: 'adopt'; publicationId: string; status: string } | { kind: 'ask'; candidates: readonly string[] };
}

/** States of a row that may have gone on in the time which the ledger has lost; one being created is reconciled as ever. */
const SUSPECT: readonly RowState[] = ['planned', 'waiting', 'failed', 'rejected'];

export async function suspects(store: Store, account: string): Promise<AttentionRow[]> {
  return attentionRows(acceptedRows(store.db).where('rows.account', '=', account).where('rows.state', 'in', SUSPECT));
}

/** A row that the ledger takes for unsent may be out: it is the publication found, or a person says what it is. */
export async function markSuspect(store: Store, { rowId, by, verdict }: SuspectVerdict): Promise<RowState> {
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    if (!SUSPECT.includes(row.state)) return row.state;
    const now = store.now();
    const path: RowState[] =
      row.state === 'planned' || row.state === 'waiting' ? ['creating'] : ['planned', 'creating'];
    await moveRowBy(tx, row, path, now, { sent: 1 });
    const creating = { ...row, state: 'creating' as const };
    if (row.run_id === null) await patchRow(tx, row.id, { run_id: await newestRun(tx, row.campaign) });
    if (verdict.kind === 'adopt') {
      const { publicationId, status } = verdict;
      await noteDecision(tx, { rowId, kind: 'reconciled', publicationId, by, at: now });
      return followPublication(store, tx, creating, { publicationId, status, how: 'adopted', now });
    }
    await noteDecision(tx, { rowId, kind: 'reconciled', by, at: now });
    return moveRow(tx, creating, 'unconfirmed', now, {
      code: 'ledger-rewound',
      message: shortMessage('the ledger went back in time, and this row may have been sent in between'),
      candidates: JSON.stringify(verdict.candidates),
    });
  });
}

async function newestRun(tx: Store['db'], campaign: string): Promise<number | null> {
  const run = await tx
    .selectFrom('runs')
    .select('id')
    .where('campaign', '=', campaign)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return run?.id ?? null;
}

/** Keeps what no row owns, so that rows which are imported later are compared with it; then the ledger goes on. */
export async function acceptRewound(store: Store, safety: Safety, strays: readonly Stray[]): Promise<void> {
  for (let from = 0; from < strays.length; from += PAGE_ROWS) {
    await store.write(async (tx) => {
      for (const stray of strays.slice(from, from + PAGE_ROWS)) {
        await tx
          .insertInto('strays')
          .values(stray)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    });
    await breathe();
  }
  await safety.accept();
}
