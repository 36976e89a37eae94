import { type FollowingLedger } from './interfaces/following';
import { type HoldingLedger } from './interfaces/holding';
import { type MaintainingLedger } from './interfaces/maintaining';
import { type OperatingLedger } from './interfaces/operating';
import { type ReadingLedger } from './interfaces/reading';
import { type ReconcilingLedger } from './interfaces/reconciling';
import { type RunningLedger } from './interfaces/running';
import { type SendingLedger } from './interfaces/sending';
import { type RolledBack } from './maintenance/rollback-guard';
import { type Firings } from './model/firing-types';

/**
 * The database of campaigns, rows, attempts and outcomes; the only authority on what was sent and what was answered. It
 * has one interface for each kind of user. Every method that changes something is one short transaction (imports: one
 * per page), durable when it resolves.
 */
export interface Ledger
  extends
    RunningLedger,
    SendingLedger,
    ReconcilingLedger,
    FollowingLedger,
    HoldingLedger,
    OperatingLedger,
    ReadingLedger,
    MaintainingLedger {
  /** Created once with the database; task queues carry it. */
  readonly id: string;
  /** Workers of several hosts may use it: it is in PostgreSQL. */
  readonly severalHosts: boolean;
  /** The clock for its times, ms since the epoch: the same for all hosts that share it. */
  readonly now: () => number;
  /** For people: the file's path, or the database's host and name. */
  readonly location: string;
  /** Set if the ledger was rolled back (restored, or lost and created again) and was opened anyway. */
  readonly rolledBack: RolledBack | null;
  /** The firings of schedules: those that ran, were missed or were skipped. */
  readonly firings: Firings;
  close(): Promise<void>;
}
