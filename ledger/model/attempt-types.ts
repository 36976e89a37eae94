import { type ScopedCap } from '../pace/pace';
import { type RowState } from './states';
import { type RowValues, type RunRef } from './types';

export interface WorkerIdentity {
  /** Unique per process start. */
  id: string;
  hostId: string;
  bootId: string;
  pid: number;
  /** The process's start time as the kernel gives it (ticks since boot on Linux). */
  startTime: string;
}

/** When a worker last reported in; running workers do so every 5 s. */
export interface WorkerPulse {
  id: string;
  pid: number;
  /** ISO */
  seenAt: string;
}

export interface HeardWorker extends WorkerIdentity {
  /** ISO */
  seenAt: string;
}

/** A worker as the ledger knows it. */
export interface KnownWorker extends HeardWorker {
  /** Its creates that have no outcome yet. */
  open: number;
  /** ISO; null: it was not removed. */
  forgottenAt: string | null;
}

export interface ClaimRequest {
  rowId: number;
  run: RunRef;
  worker: string;
  /** ms since the epoch */
  now: number;
  /** The accepted values that were compared with the account's unowned publications; absent: none yet. */
  compared?: EntryPlace | undefined;
}

/** Where the values of a manifest’s entry are stored: the id of its snapshot, and its position in that. */
export interface EntryPlace {
  snapshot: number;
  position: number;
}

export type ClaimResult =
  | {
      claimed: true;
      attempt: number;
      account: string;
      key: string;
      line: number;
      values: RowValues;
      /** Caps over seconds, which the sender enforces too, by when requests are actually sent; absent: none. */
      caps?: readonly ScopedCap[];
    }
  /** `busy`: the channel or account has no free slot; try again soon. */
  | {
      claimed: false;
      reason:
        | 'busy'
        | 'not-ready'
        | 'paced'
        | 'canary'
        | 'cancelled'
        | 'paused'
        | 'parked'
        | 'stopped'
        | 'not-held'
        | 'taken'
        | 'late'
        /** The row has to be compared first with publications that no row owned when the ledger was reconciled. */
        | 'unowned'
        /**
         * An earlier create was refused: the row is `creating` until reelay has made sure that no publication of it
         * exists.
         */
        | 'unproven';
      state: RowState;
      /** For `not-ready` and `paced`: ISO. */
      readyAt?: string;
      /** For `paced`: what it waits for, for people. */
      why?: string;
    };

/** The outcome of one attempt, as its worker saw it. */
export type AttemptOutcome =
  | { kind: 'accepted'; publicationId: string; status: string; message?: string }
  | { kind: 'submitted'; publishId: string; message: string }
  | { kind: 'rejected'; code: string; message: string; httpStatus?: number; column?: string }
  /** Certainly not created; the row is returned and may be tried again from `retryAt` (ms since the epoch). */
  | { kind: 'never-sent'; code: string; message: string; retryAt?: number }
  /** The key or the channel was refused (401, 403): the row is returned and the scope is parked. */
  | { kind: 'auth-refused'; code: string; message: string; httpStatus: number; park: 'account' | 'channel' }
  /** A publication may exist. `notBefore`: ms since the epoch, when a wait was asked for. */
  | { kind: 'unknown'; code: string; message: string; httpStatus?: number; notBefore?: number };

/** An attempt that has no settled outcome: still open, or ended as `unknown`. */
export interface UnsettledAttempt {
  rowId: number;
  attempt: number;
  account: string;
  key: string;
  line: number;
  /** Text id of its row’s channel, as in workflow ids. */
  channel: string;
  values: RowValues;
  worker: WorkerIdentity;
  workerSeenAt: string;
  /** A person removed its worker: it is treated like a worker that is proven dead. */
  workerForgotten: boolean;
  claimedAt: string;
  /** Null while it is open. */
  endedAt: string | null;
  /** Why it is unknown: `code` of the outcome, or `worker-died`. */
  code: string | null;
  /** The message that was recorded with that code. */
  message: string | null;
  notBefore: string | null;
  /**
   * The service refused it, and its row is to be sent again: `row`, because a person had it retried; `access` (401,
   * 403, 404), because its account or channel is no longer parked. Null: its answer was lost.
   */
  refused: 'row' | 'access' | null;
  channelId: number;
  /** The ledger's sequence number at its claim; 0 if it isn't known. */
  sequence: number;
  /** Scans of the account's list made so far on its behalf. */
  scans: readonly ListScan[];
}

/** One scan of the account's list, for one attempt. */
export interface ListScan {
  /** By the local clock, ISO. */
  at: string;
  /** By the service's clock, ms since the epoch; null where it shows none. */
  servedAt: number | null;
  /** Publications that no row owns and that could be this attempt's. */
  candidates: readonly string[];
  /** The list was read from its newest entry to its end, or past a whole region of known entries, without a gap. */
  full: boolean;
  /** Every own publication that was accepted before the scan is in it. */
  current: boolean;
  /** The settling time had passed when the scan began. */
  settled: boolean;
}

/** A create whose publication could be any that no row owns: open, lost, given up, or refused and not looked for since. */
export interface LostAttempt {
  rowId: number;
  attempt: number;
  values: RowValues;
  /** The newest ids of the account before its run created any; null if the list couldn't be read then. */
  knownBefore: readonly string[] | null;
}
