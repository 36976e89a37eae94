import { type RunRef } from './types';

/**
 * The outcome of a firing. `open`: under way · `done`: its run ended and every row succeeded · `incomplete`: its run
 * ended, and rows of it failed or need a person · `nothing`: no row was left to send · `refused`: the manifest was
 * refused, nothing was sent · `stopped`: its run was cancelled or stopped · `failed`: it could not be submitted in time
 * · `skipped`: another firing ran, or had the same key · `missed`: nothing could fire at its time.
 */
export const FIRING_OUTCOMES = [
  'open',
  'done',
  'incomplete',
  'nothing',
  'refused',
  'stopped',
  'failed',
  'skipped',
  'missed',
] as const;

export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];

export interface Firing {
  id: number;
  schedule: string;
  /** The nominal local date (or date and time), the UTC time of hourly and interval schedules, or `manual …`. */
  key: string;
  /** ISO */
  nominalAt: string;
  workflowId: string | null;
  outcome: FiringOutcome;
  /** The reason, as a code and as a text. */
  code: string | null;
  reason: string | null;
  run: RunRef | null;
  manifestHash: string | null;
  startedAt: string;
  endedAt: string | null;
}

export interface NotedFiring {
  key: string;
  /** ms since the epoch */
  nominalAt: number;
  outcome: 'skipped' | 'missed';
  code: string;
  reason: string;
}

export interface FiringEnd {
  outcome: Exclude<FiringOutcome, 'open'>;
  code?: string;
  reason?: string;
  manifestHash?: string;
  /** The text of a manifest that was refused. */
  manifestText?: string;
}

export interface Firings {
  /**
   * The permission to fire: only one workflow ever gets it for a schedule and key. The same workflow gets it again when
   * it asks again. `again` allows it even if the key was refused, failed, skipped or missed before.
   */
  open(input: {
    schedule: string;
    key: string;
    nominalAt: number;
    workflowId: string;
    again: boolean;
  }): Promise<{ firing: Firing; mine: boolean }>;
  /** The firing that a workflow runs or ran. */
  ofWorkflow(schedule: string, workflowId: string): Promise<Firing | null>;
  get(id: number): Promise<Firing>;
  /** Ends an open firing; one that has ended stays as it is. */
  end(id: number, end: FiringEnd): Promise<Firing>;
  /** Records firings that did not happen; what the schedule already has under a key stays. Returns the new ones. */
  note(schedule: string, noted: readonly NotedFiring[]): Promise<NotedFiring[]>;
  /** Newest nominal time first. Default: 50. */
  list(schedule: string, limit?: number): Promise<Firing[]>;
  /** Firings of the schedule whose nominal time lies in (from, to]; ms since the epoch. */
  between(schedule: string, from: number, to: number): Promise<Firing[]>;
  /** How many were missed. */
  missed(schedule: string): Promise<number>;
  /** The newest firings that ended with a run or a refusal since a time (ms); newest first. */
  ended(schedule: string, limit: number, since?: number): Promise<Firing[]>;

  addBackfill(input: { schedule: string; from: number; to: number; by: string }): Promise<void>;
  inBackfill(schedule: string, at: number): Promise<boolean>;

  /** Stores a schedule's name; one that was deleted counts as new. */
  keep(schedule: string, by: string): Promise<void>;
  /** Records times (ms) of a schedule; null clears one. */
  mark(schedule: string, times: ScheduleTimes): Promise<void>;
  schedule(name: string): Promise<StoredSchedule | null>;
  /** Schedules that were not deleted, by name. */
  schedules(): Promise<StoredSchedule[]>;
}

export interface ScheduleTimes {
  pausedAt?: number | null;
  resumedAt?: number | null;
  watchedTo?: number | null;
  deletedAt?: number | null;
}

export interface StoredSchedule {
  name: string;
  by: string;
  madeAt: number;
  pausedAt: number | null;
  resumedAt: number | null;
  watchedTo: number | null;
}
