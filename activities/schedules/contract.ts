import { type Counts, type RunRef } from '../../ledger/model/types';
import { type NoticeBrief } from '../notices/contract';
import { type ReadOptions } from '../../manifests/types';

/** Where a schedule's manifest is; relative sources of one behind a URL start at `base`. */
export type ManifestPlace = { kind: 'path'; path: string } | { kind: 'url'; url: string; base: string };

/**
 * How firings are told apart: by the nominal local `date` where a day has one fixed time, by local date and `time` where it
 * has several, by `utc` for hourly and interval schedules.
 */
export type FiringKeys = 'date' | 'time' | 'utc';

/** What a schedule does at each firing; the argument of its action, as it was when the schedule was made or updated. */
export interface ScheduleDefinition {
  schedule: string;
  manifest: ManifestPlace;
  /** The nominal time and the present moment come with the firing. */
  read: Omit<ReadOptions, 'now' | 'nominal'>;
  /** The account of rows that name none. */
  account: string;
  /** IANA zone of the calendar; UTC for intervals. */
  zone: string;
  keyed: FiringKeys;
  /** Rows per firing; null: all, or as many as the manifest says. */
  take: number | null;
  /** Rows that are gone from the manifest; null: as the kind of manifest has it. */
  vanished: 'refuse' | 'prune' | 'keep' | null;
  overlap: 'skip' | 'wait' | 'join';
  /** How late a firing may be, ms. */
  lateMs: number;
  /** Pause after so many refused or stopped firings in a row; 0: never. */
  pauseAfter: number;
  /** ISO: times before this one are of no concern. Its times were changed then, if not made. */
  since: string;
  /** ISO: when the schedule of this name was made; stays through updates, and tells it from one that was deleted before. */
  born?: string;
}

export interface FiringActivities {
  /** Claims the firing, or says why it does not happen; notes what was missed before it. */
  openFiring: (input: OpenFiringInput) => Promise<OpenedFiring>;
  /** Reads the manifest, checks it, converges, and starts or joins the campaign's run. */
  submitFiring: (input: SubmitFiringInput) => Promise<SubmittedFiring>;
  /** Waits until the run has ended, or the budget is over. */
  awaitRun: (input: AwaitRunInput) => Promise<AwaitedRun>;
  /** Records how the firing ended, and pauses the schedule after too many bad ones. */
  endFiring: (input: EndFiringInput) => Promise<{ notices: NoticeBrief[] }>;
}

export interface OpenFiringInput {
  definition: ScheduleDefinition;
  /** ISO */
  nominalAt: string;
}

/** `due` false: the firing ended before it began, `outcome` and `reason` say how. */
export interface OpenedFiring {
  due: boolean;
  firing: number | null;
  key: string;
  /** ISO; a later time than asked for, when this firing takes the place of older ones. */
  nominalAt: string;
  outcome: string;
  reason: string | null;
}

export interface SubmitFiringInput {
  definition: ScheduleDefinition;
  firing: number;
  /** ISO */
  nominalAt: string;
  /** The wait for missing files is over. */
  waitOver: boolean;
}

export type SubmittedFiring =
  | { kind: 'submitted'; run: RunRef }
  | { kind: 'ended'; outcome: 'nothing' | 'refused' | 'failed'; code: string; reason: string }
  /** Files that are waited for, ms from the firing's start. */
  | { kind: 'missing'; waitMs: number; files: string[] };

export interface AwaitRunInput {
  run: RunRef;
  /** ms */
  budgetMs: number;
}

export interface AwaitedRun {
  /** Null while it goes on. */
  ended: 'done' | 'incomplete' | 'stopped' | null;
  /** Of the rows that the run itself worked. */
  counts: Counts;
}

export interface EndFiringInput {
  definition: ScheduleDefinition;
  firing: number;
  outcome: 'done' | 'incomplete' | 'stopped' | 'failed';
  code: string;
  reason: string;
}
