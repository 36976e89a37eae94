import { type NoticeBrief } from './notices/contract';
import { type ChannelWork, type Counts, type PageRow, type RunRef } from '../ledger/model/types';

export { type Counts, type PageRow, type RunRef } from '../ledger/model/types';

/**
 * The activities that workflows call. Workflows import only this file's types. Every input is one object; rows travel
 * as ids with a short text, so that no payload comes near Temporal's limits.
 */
export interface ReelayActivities {
  /** Finds the run that this workflow execution processes; null if the campaign has none open. */
  beginRun: (input: BeginRunInput) => Promise<RunRef | null>;
  /** Imports what was submitted into the ledger's rows, takes the accounts' baselines, and returns what there is to do. */
  importManifest: (input: RunInput) => Promise<ImportResult>;
  /** The next rows of a channel. */
  takePage: (input: TakePageInput) => Promise<Page>;
  /** Creates the publications of some rows, a few at once. Outcomes are data; it doesn't throw for a row. */
  createPublications: (input: CreatePublicationsInput) => Promise<CreatePublicationsResult>;
  /** Follows every publication of the run, and settles creates whose answer was lost. */
  watchPublications: (input: WatchInput) => Promise<WatchResult>;
  /** Closes the run unless something is left. */
  finishRun: (input: RunInput) => Promise<{ finished: boolean; notice?: NoticeBrief }>;
  /** Makes waiting channel workflows check the ledger now; those that have ended are skipped. */
  wakeChannels: (input: WakeChannelsInput) => Promise<void>;
  /** Commits a cancel that was requested in Temporal. */
  cancelRun: (input: RunInput & { channelId?: string }) => Promise<void>;
}

export interface BeginRunInput {
  campaign: string;
}

export interface RunInput {
  run: RunRef;
}

export interface ImportResult {
  channels: ChannelBrief[];
}

/** A channel with rows left: enough to start its workflow and to show it. */
export type ChannelBrief = Pick<ChannelWork, 'id' | 'label' | 'open'> &
  Partial<Pick<ChannelWork, 'sending' | 'nextReadyAt' | 'why'>> & {
    /** What holds it, as text for people. */
    held?: string;
  };

export interface TakePageInput extends RunInput {
  channelId: string;
  limit: number;
}

export interface WakeChannelsInput {
  /** At most 500. */
  workflowIds: string[];
}

export interface Page {
  /** False: a later run has taken over the campaign, and this one must stop. */
  holds: boolean;
  rows: PageRow[];
  /** Why rows of this channel can't be sent now, as text for people; null if nothing holds them. */
  held: string | null;
  /** Nothing to do for this channel now, but its run is still open, so there may be later: it waits for a signal. */
  linger?: boolean;
  /** Its rows wait for one another's slots: each slot continues independently. */
  paced?: boolean;
  /** Maximum number of creates open at once in this channel. */
  width?: number;
  /** The ledger's sequence number. */
  sequence?: number;
  /** The zone in which times are shown to people. */
  zone?: string;
}

export interface CreatePublicationsInput extends RunInput {
  channelId: string;
  /** In the order in which they are sent. */
  rowIds: number[];
  /** Creates open at once; default 1. */
  places?: number;
  /** The highest sequence number of the ledger that the workflow has seen: a ledger with a lower one is an older copy. */
  sequence?: number;
}

/**
 * The outcome of one row in this activity. `done`: the create is recorded (accepted, refused, unknown) · `later`: not
 * claimed, try again (a gate, a slot, its time) · `unreachable`: the service can't be reached, nothing was sent ·
 * `refused-access`: the key or channel was refused.
 */
export interface RowResult {
  id: number;
  result: 'done' | 'later' | 'unreachable' | 'refused-access';
  state: string;
  code?: string;
  /** The channel should wait this long (ms) before its next create. */
  waitMs?: number;
  /** How long (ms) it took from sending it to its answer. */
  tookMs?: number;
}

export interface CreatePublicationsResult {
  rows: RowResult[];
  /** The ledger's sequence number afterwards. */
  sequence?: number;
}

export interface WatchInput extends RunInput {
  /** Return after this long at the latest, ms. */
  budgetMs: number;
  /** Don't return earlier than this, unless everything has ended, ms. */
  atLeastMs: number;
  /** Notices that were already sent. */
  told?: string[];
  /** What was parked when the previous watch returned. */
  parked?: string[];
  /** No row has gone wrong so far: the first one that does is reported at once. */
  firstProblem?: boolean;
  /** The highest sequence number of the ledger that the workflow, or a lost attempt of this activity, has seen. */
  sequence?: number;
}

/** A row that did not succeed, as the Web UI shows it. */
export interface ShownProblem {
  /** `row 12 · Episode 3 → long` */
  row: string;
  channel: string;
  state: string;
  why: string;
}

export interface WatchResult {
  /** Rows by state over the whole manifest; absolute numbers, never differences. */
  counts: Counts;
  /** How many of the cancelled rows were given up by a person: they may be live. */
  givenUp?: number;
  /** How many of the drafted rows could not be changed. */
  unchanged?: number;
  /** Number of published rows that are live but not as requested. */
  differing?: number;
  /** Rows of this run that have not ended. */
  open: number;
  /** Channels that have rows to create. */
  channels: ChannelBrief[];
  /** Nothing is in flight, and nothing can be created before this time (ISO); null: keep watching. */
  idleUntil: string | null;
  /** Notes for people: silent workers, unknown statuses, reads that are refused. */
  notes: string[];
  /** The newest rows that did not succeed. */
  problems?: ShownProblem[];
  /** False: a later run has taken over the campaign. */
  holds: boolean;
  /** The zone in which times are shown to people: the manifest's, otherwise the worker's. */
  zone?: string;
  /** Something was opened just now: waiting channels should check again. */
  hurry?: boolean;
  /** Channels that have a row to create again: if one waits for a later row's time, it should check now. */
  wake?: string[];
  /** Scopes of the parkings that hold its rows. */
  parked?: string[];
  /** The ledger's sequence number. */
  sequence?: number;
  /** A person cancelled the run. */
  cancelled?: boolean;
  /** The flags with which the campaign's newest manifest was submitted. */
  given?: (readonly [flag: string, value?: string])[];
  /** Notices to be sent, because someone is configured to receive them. */
  notices?: NoticeBrief[];
}
