import { type Counts } from '../../ledger/model/types';
import { EXIT, type ExitCode, pickExit, PRECEDENCE } from '../errors/exit-codes';
import { plural, thousands } from '../terminal/safe-text';

/** Why a run doesn't end with 0: an exit code, and the text for people. */
export interface Reason {
  code: ExitCode;
  /** `2 failed`, `interrupted` */
  text: string;
  /** Rows that have not succeeded, although their state alone suggests it. */
  otherwise?: number;
  /** It is about rows that were left out, which this file has. */
  leftOut?: string;
}

export interface ReasonFacts {
  counts: Counts;
  /** Rows the run still has to end. */
  openRows: number;
  /** The whole run, a channel or single rows were cancelled by a person, or stopped by tolerance. */
  cancelled: boolean;
  /** Too many rows failed. */
  stopped?: boolean;
  /** The service refused the account's key and rows wait for that. */
  accessRefused: boolean;
  /** Rows that may be published twice, or whose publication is another row's. */
  disputed?: number;
  /** Drafts that could not be changed to what the manifest says now. */
  unchanged?: number;
  /** Published rows that are not live as requested. */
  differing?: number;
}

/** All reasons that a run's rows give, the most serious first. */
export function reasonsOf(facts: ReasonFacts): Reason[] {
  const {
    counts,
    openRows,
    cancelled,
    stopped = false,
    accessRefused,
    disputed = 0,
    unchanged = 0,
    differing = 0,
  } = facts;
  const reasons: Reason[] = [];
  const add = (code: ExitCode, rows: number, text: string): void => {
    if (rows > 0) reasons.push({ code, text: `${thousands(rows)} ${text}` });
  };
  const state = (name: keyof Counts): number => counts[name] ?? 0;
  if (accessRefused && openRows > 0) reasons.push({ code: EXIT.access, text: 'the service refused the key' });
  if (stopped) reasons.push({ code: EXIT.cancelled, text: 'stopped because too many rows failed' });
  else if (cancelled && state('cancelled') === 0) reasons.push({ code: EXIT.cancelled, text: 'it was cancelled' });
  else if (cancelled) add(EXIT.cancelled, state('cancelled'), 'cancelled');
  add(EXIT.unsettled, state('unconfirmed'), 'unconfirmed');
  add(EXIT.unsettled, state('overdue'), 'overdue');
  add(EXIT.unsettled, disputed, 'may be published twice');
  add(EXIT.failed, state('failed'), 'failed');
  add(EXIT.failed, state('rejected'), 'rejected');
  add(EXIT.failed, unchanged, unchanged === 1 ? 'draft not changed' : 'drafts not changed');
  add(EXIT.failed, differing, 'live, but not as requested');
  add(EXIT.unfinished, openRows, 'not ended');
  return reasons;
}

/** Live rows that no longer match the manifest, which the submission warned about. */
export function differsReason(rows: number): Reason {
  return { code: EXIT.failed, text: `${plural(rows, 'row')} no longer as the manifest says`, otherwise: rows };
}

/** The exit code of these reasons. */
export function exitOf(reasons: readonly Reason[]): ExitCode {
  return pickExit(reasons.map(({ code }) => code));
}

/** In the order of their exit codes. */
export function bySeriousness(reasons: readonly Reason[]): Reason[] {
  return [...reasons].sort((a, b) => PRECEDENCE.indexOf(a.code) - PRECEDENCE.indexOf(b.code));
}
