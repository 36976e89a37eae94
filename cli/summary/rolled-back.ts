import { type Ledger } from '../../ledger/ledger';
import { type Output } from '../terminal/output';

/** Warns that the ledger shown was rolled back. */
export async function printRolledBack(output: Output, ledger: Ledger): Promise<void> {
  if (ledger.rolledBack === null) return;
  const message = ledger.rolledBack.lost
    ? 'this is not the ledger that was here: its history is lost, and nothing is sent until `reelay ledger reconcile`'
    : ledger.rolledBack.promoted === true
      ? 'this ledger is on another database server than its newest records, which may be lost: nothing is sent until `reelay ledger reconcile`'
      : 'this ledger is an older copy: its records may be out of date, and nothing is sent until `reelay ledger reconcile`';
  await output.event({ event: 'notice', code: 'ledger-rolled-back', message });
  output.warn(message);
}
