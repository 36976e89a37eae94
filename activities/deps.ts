import { type Ledger } from '../ledger/ledger';
import { type WorkerIdentity } from '../ledger/model/attempt-types';
import { type AccountRegistry } from '../service/accounts';
import { type NoticeSettings } from './notices/find-notices';
import { type AttemptClock } from './reconcile/attempt-clock';
import { type Timings } from './timings';

/** A worker's log. Fields about a row: `run`, `channel`, `row` (its line), `key`, `publication`. */
export interface Log {
  debug: (message: string, fields?: Record<string, unknown>) => void;
  info: (message: string, fields?: Record<string, unknown>) => void;
  warn: (message: string, fields?: Record<string, unknown>) => void;
  error: (message: string, fields?: Record<string, unknown>) => void;
}

export interface ActivityDeps {
  ledger: Ledger;
  accounts: AccountRegistry;
  worker: WorkerIdentity;
  /** Whether a worker's process still exists: only `dead` proves that its attempts are over. */
  processState: (worker: WorkerIdentity) => 'alive' | 'dead' | 'unknown';
  timings: Timings;
  /** Aborted when this process begins to stop: nothing more is claimed, and open requests finish on their own. */
  stopping: AbortSignal;
  log: Log;
  /** Who is notified of what; without it, no one. */
  notices?: NoticeSettings;
  /** Hosts of the operator's own network that a manifest from a URL may name; none without it. */
  privateHosts?: readonly string[];
  /** The host whose files this worker has, where several share the ledger. */
  filesHost?: string;
  /** ms since the epoch, by the local clock: for times that people see, and for pauses. */
  now: () => number;
  /** Measures how long attempts have been over, by clocks that can't be set; one per process. */
  clock: AttemptClock;
}
