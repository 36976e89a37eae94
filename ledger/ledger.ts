import { type FollowingLedger } from './interfaces/following';
import { type HoldingLedger } from './interfaces/holding';
import { type KeepingLedger } from './interfaces/keeping';
import { type OperatingLedger } from './interfaces/operating';
import { type ReadingLedger } from './interfaces/reading';
import { type ReconcilingLedger } from './interfaces/reconciling';
import { type RunningLedger } from './interfaces/running';
import { type SendingLedger } from './interfaces/sending';
import { type RolledBack } from './maintenance/rollback-guard';
import { type Firings } from './model/firing-types';

/**
 * The database of campaigns, rows, attempts and outcomes; the only authority on what was sent and what came back. It has one
 * interface for each kind of user. Every method that changes something is one short transaction (imports: one per page),
 * durable when it resolves.
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
    KeepingLedger {
  /** Made once with the database; task queues carry it. */
  readonly id: string;
  /** Workers of several hosts may use it: it is in PostgreSQL. */
  readonly severalHosts: boolean;
  /** The clock that its times are noted by, ms since the epoch: one for all hosts that share it. */
  readonly now: () => number;
  /** For people: the file's path, or the database's host and name. */
  readonly location: string;
  /** Set when the ledger went back in time (restored, or lost and made anew) and was opened all the same. */
  readonly rolledBack: RolledBack | null;
  /** What schedules fired, missed and skipped. */
  readonly firings: Firings;
  close(): Promise<void>;
}
