import { type Ledger } from '../../ledger/ledger';
import { type Output } from '../terminal/output';

/** Says that the ledger shown is older than it was. */
export async function sayRewound(output: Output, ledger: Ledger): Promise<void> {
  if (ledger.rewound === null) return;
  const message = ledger.rewound.lost
    ? 'this is not the ledger that was here: its history is lost, and nothing is sent until `reelay ledger reconcile`'
    : 'this ledger is older than it was: what it shows may have gone on since, and nothing is sent until `reelay ledger reconcile`';
  await output.event({ event: 'notice', code: 'ledger-rewound', message });
  output.warn(message);
}
