import { type Counts, type RunRef } from '../../ledger/model/types';
import { type NoticeBrief } from '../notices/contract';
import { type ReadOptions } from '../../manifests/types';

/** Where a schedule's manifest is; for one behind a URL, relative sources start at `base`. */
export type ManifestPlace = { kind: 'path'; path: string } | { kind: 'url'; url: string; base: string };

/**
 * How firings are identified: by the nominal local `date` if a day has one fixed time, by local date and `time` if it
 * has several, by `utc` for hourly and interval schedules.
 */
export type FiringKeys = 'date' | 'time' | 'utc';

/** The settings of a schedule's firings; the argument of its action, as it was when the schedule was created or updated. */
export interface ScheduleDefinition {
  schedule: string;
  manifest: ManifestPlace;
  /** The nominal time and the current time come with the firing. */
  read: Omit<ReadOptions, 'now' | 'nominal'>;
  /** The account for rows that don't name one. */
  account: string;
  /** IANA zone of the calendar; UTC for intervals. */
  zone: string;
  keyed: FiringKeys;
  /** Rows per firing; null: all, or the number that the manifest sets. */
  take: number | null;
  /** What to do with rows that are no longer in the manifest; null: the default for the kind of manifest. */
  vanished: 'refuse' | 'prune' | 'keep' | null;
  overlap: 'skip' | 'wait' | 'join';
  /** How late a firing may be, ms. */
  lateMs: number;
  /** Pause after this many consecutive refused or stopped firings; 0: never. */
  pauseAfter: number;
  /** ISO: times before this one are ignored. The schedule was created, or its times were changed, then. */
  since: string;
  /**
   * ISO: when the schedule of this name was created; stays through updates, and distinguishes it from one that was
   * deleted before.
   */
  born?: string;
}

export interface FiringActivities {
  /** Claims the firing, or says why it does not happen; records what was missed before it. */
  openFiring: (input: OpenFiringInput) => Promise<OpenedFiring>;
  /** Reads the manifest, checks it, converges, and starts or joins the campaign's run. */
  submitFiring: (input: SubmitFiringInput) => Promise<SubmittedFiring>;
  /** Waits until the run has ended, or the time limit is over. */
  awaitRun: (input: AwaitRunInput) => Promise<AwaitedRun>;
  /** Records how the firing ended, and pauses the schedule after too many bad ones. */
  endFiring: (input: EndFiringInput) => Promise<{ notices: NoticeBrief[] }>;
}

export interface OpenFiringInput {
  definition: ScheduleDefinition;
  /** ISO */
  nominalAt: string;
}

/** `due` false: the firing ended before it began; `outcome` and `reason` say how. */
export interface OpenedFiring {
  due: boolean;
  firing: number | null;
  key: string;
  /** ISO; later than the requested time, if this firing replaces older ones. */
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
  /** How long files are waited for, ms from the firing's start. */
  | { kind: 'missing'; waitMs: number; files: string[] };

export interface AwaitRunInput {
  run: RunRef;
  /** ms */
  budgetMs: number;
}

export interface AwaitedRun {
  /** Null while it is running. */
  ended: 'done' | 'incomplete' | 'stopped' | null;
  /** Counts of the rows that the run itself processed. */
  counts: Counts;
}

export interface EndFiringInput {
  definition: ScheduleDefinition;
  firing: number;
  outcome: 'done' | 'incomplete' | 'stopped' | 'failed';
  code: string;
  reason: string;
}
