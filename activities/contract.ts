import { type NoticeBrief } from './notices/contract';
import { type ChannelWork, type Counts, type PageRow, type RunRef } from '../ledger/model/types';

export { type Counts, type PageRow, type RunRef } from '../ledger/model/types';

/**
 * What workflows ask of activities. Workflows import this file's types only. Every input is one object; rows travel as
 * ids with a short text, so that no payload comes near Temporal's limits.
 */
export interface ReelayActivities {
  /** Which run this workflow execution works; null when the campaign has none open. */
  beginRun: (input: BeginRunInput) => Promise<RunRef | null>;
  /** Brings the ledger's rows to what was submitted, takes the accounts' baselines, and says what is to do. */
  importManifest: (input: RunInput) => Promise<ImportResult>;
  /** The next rows of a channel. */
  takePage: (input: TakePageInput) => Promise<Page>;
  /** Creates the publications of some rows, a few at once. Outcomes are data; it doesn't throw for a row. */
  createPublications: (input: CreatePublicationsInput) => Promise<CreatePublicationsResult>;
  /** Follows every publication of the run, and settles creates whose answer was lost. */
  watchPublications: (input: WatchInput) => Promise<WatchResult>;
  /** Closes the run unless something is left. */
  finishRun: (input: RunInput) => Promise<{ finished: boolean; notice?: NoticeBrief }>;
  /** Makes waiting channel workflows look into the ledger now; those that have ended are left alone. */
  wakeChannels: (input: WakeChannelsInput) => Promise<void>;
  /** Commits a cancel that was asked for in Temporal. */
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

/** A channel with work left: enough to start its workflow and to show it. */
export type ChannelBrief = Pick<ChannelWork, 'id' | 'label' | 'open'> &
  Partial<Pick<ChannelWork, 'nextReadyAt' | 'why'>> & {
    /** What holds it, for people. */
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
  /** False: a later run has the campaign, this one must stop. */
  holds: boolean;
  rows: PageRow[];
  /** Why rows of this channel can't be sent now, for people; null when nothing holds them. */
  held: string | null;
  /** There is nothing for this channel now, but its run is still open, so there may be later: it waits to be woken. */
  linger?: boolean;
  /** Its rows wait for one another's slots: each place is to go on by itself. */
  paced?: boolean;
  /** Creates that may be open at once in this channel. */
  width?: number;
  /** The ledger's number. */
  sequence?: number;
  /** In which times are shown to people. */
  zone?: string;
}

export interface CreatePublicationsInput extends RunInput {
  channelId: string;
  /** In the order they are to be sent. */
  rowIds: number[];
  /** Creates open at once; default 1. */
  places?: number;
  /** The highest number of the ledger that the workflow has seen: a ledger below it is an older copy. */
  sequence?: number;
}

/**
 * What became of one row in this activity.
 * `done`: the create is recorded (accepted, refused, unknown) · `later`: not claimed, try again (a gate, a slot, its time) ·
 * `unreachable`: the service can't be reached, nothing was sent · `refused-access`: the key or channel was refused.
 */
export interface RowResult {
  id: number;
  result: 'done' | 'later' | 'unreachable' | 'refused-access';
  state: string;
  code?: string;
  /** The channel should wait so long (ms) before its next create. */
  waitMs?: number;
  /** How long (ms) it took to send it and to have an answer. */
  tookMs?: number;
}

export interface CreatePublicationsResult {
  rows: RowResult[];
  /** The ledger's number after them. */
  sequence?: number;
}

export interface WatchInput extends RunInput {
  /** Return after so long at the latest, ms. */
  budgetMs: number;
  /** Don't return before, unless everything has ended, ms. */
  atLeastMs: number;
  /** Notices that were told already. */
  told?: string[];
  /** What was parked when the watch before returned. */
  parked?: string[];
  /** No row has gone wrong so far: the first one that does is reported at once, where people look. */
  firstProblem?: boolean;
  /** The highest number of the ledger that the workflow, or a lost attempt of this activity, has seen. */
  sequence?: number;
}

/** A row that ended otherwise than asked, as the Web UI shows it. */
export interface ShownProblem {
  /** `row 12 · Episode 3 → long` */
  row: string;
  channel: string;
  state: string;
  why: string;
}

export interface WatchResult {
  /** Rows by state over the whole manifest; absolute, never a difference. */
  counts: Counts;
  /** So many of the cancelled ones were given up by a person: they may be out. */
  givenUp?: number;
  /** So many of the drafted ones could not be changed. */
  unchanged?: number;
  /** Number of published rows that are live differently from the request. */
  differing?: number;
  /** Rows of this run that have not ended. */
  open: number;
  /** Channels that have rows to create. */
  channels: ChannelBrief[];
  /** Nothing is in flight, and nothing can be created before this time (ISO); null: keep watching. */
  idleUntil: string | null;
  /** For people: workers that fell silent, statuses nobody knows, reads that are refused. */
  notes: string[];
  /** The newest rows that ended otherwise than asked. */
  problems?: ShownProblem[];
  /** False: a later run has the campaign. */
  holds: boolean;
  /** In which times are shown to people: the manifest's, else the worker's. */
  zone?: string;
  /** Something was opened just now: channels that sleep are to look again. */
  hurry?: boolean;
  /** Channels that have a row to create anew: where one sleeps until a later row's time, it is to look now. */
  wake?: string[];
  /** Scopes of the parkings that hold its rows. */
  parked?: string[];
  /** The ledger's number. */
  sequence?: number;
  /** A person cancelled the run. */
  cancelled?: boolean;
  /** The flags that the campaign's newest manifest was submitted with. */
  given?: (readonly [flag: string, value?: string])[];
  /** Somebody wants to be told of these. */
  notices?: NoticeBrief[];
}
