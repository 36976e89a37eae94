import { type Store } from '../engine/store';
import { backup, exportRows, status } from '../maintenance/backup';
import { leaveFor } from '../maintenance/moved';
import { type Safety, sequence } from '../maintenance/rollback-guard';
import {
  acceptRolledBack,
  holdIfBehind,
  markPossiblySent,
  neverClaimed,
  pauseRolledBack,
  possiblySent,
  rollbackFacts,
  rolledBackAccounts,
} from '../maintenance/rolled-back';
import { exportFirings } from '../schedules/export-firings';
import { bind } from './bind';

/** For maintenance of the ledger itself: backups, and the recovery after an older copy was restored. */
export const maintaining = (store: Store, safety: Safety) => ({
  ...bind(store, {
    status,
    backup,
    leaveFor,
    exportRows,
    exportFirings,
    sequence,
    holdIfBehind,
    possiblySent,
    pauseRolledBack,
    rolledBackAccounts,
    rollbackFacts,
    neverClaimed,
    markPossiblySent,
  }),
  acceptRolledBack: (strays: Parameters<typeof acceptRolledBack>[2]) => acceptRolledBack(store, safety, strays),
});

export interface MaintainingLedger extends ReturnType<typeof maintaining> {}
