import { type SubmissionProblem } from './errors';
import { type ScopedCap } from '../pace/pace';
import { type PaceLayer } from '../pace/pace-rules';
import { type RowState } from './states';

/** What is sent for a row, with every default applied. Times are ISO 8601 in UTC. */
export interface RowValues {
  /** Absolute path of a local file, or an http(s) URL. Null only for a draft without a video. */
  source: string | null;
  sourceKind: 'file' | 'url' | 'none';
  /** Wire value of the platform and its role. */
  platform: string;
  platformKind: 'short' | 'long';
  profileId: string | null;
  profileName: string | null;
  title: string | null;
  description: string | null;
  privacy: 'public' | 'private' | 'unlisted' | null;
  /** `pending` only for a row whose publication is already a draft or pending (section 4.7). */
  status: 'published' | 'draft' | 'pending';
  publishAt: string | null;
  /** Not sent after it. */
  deadline?: string;
  /** The row was created for a publication that no manifest had: what was sent for it isn't known. */
  adopted?: true;
  /** When a signed source URL expires, if its query shows that. */
  sourceExpiresAt?: string;
  via: 'publication' | 'direct';
  /** For a file: size in bytes and modification time (ms) when the manifest was accepted. */
  fileSize?: number;
  fileModifiedMs?: number;
  /** For a folder's file: a fingerprint of its content. */
  fileMark?: string;
}

/** How the whole manifest is handled, with every default applied. Durations in ms. */
export interface CampaignSettings {
  /** The zone in which times are shown to people; it decides nothing. Absent: the manifest names none. */
  timezone?: string;
  late: 'publish' | 'hold' | 'skip';
  giveUpAfterMs: number;
  ambiguous: 'reconcile' | 'hold';
  repeat: 'refuse' | 'allow';
  /** Open creates at once. */
  channelConcurrency: number;
  accountConcurrency: number;
  /** The pace settings of config, manifest and flags, the weakest first. */
  pace?: readonly PaceLayer[];
  /** Who is notified, according to the manifest. */
  notify?: { url: string; on?: readonly ('ended' | 'parked' | 'refused')[] };
}

/** One intended publication in the manifest: a line, or one platform of a line. */
export interface Entry {
  /** 0, 1, 2 … in the order of the manifest; unique in it. */
  position: number;
  line: number;
  key: string;
  account: string;
  values: RowValues;
  skip: boolean;
  /** The user's own columns, by header, as text and in their order. */
  cells: Readonly<Record<string, string>>;
}

export interface SubmissionInput {
  campaign: string;
  /** The accepted manifest: a hash over its effective rows, and the file itself. */
  snapshot: {
    /** sha256 over the effective entries and settings, hex. */
    hash: string;
    /** sha256 of the file's bytes, hex. */
    fileHash: string;
    path: string;
    format: 'csv' | 'yaml';
    /** The file's text, kept in the ledger only. */
    text: string;
    /** The manifest's own headers, in order. */
    columns: readonly string[];
    settings: CampaignSettings;
  };
  entries: Iterable<Entry> | AsyncIterable<Entry>;
  /** A trial: only this many of the remaining rows, or only these keys. The others stay `planned`. */
  select?: { limit?: number; keys?: readonly string[] };
  /** What to do with rows of the campaign that the manifest no longer has. Default: refuse. */
  vanished?: 'refuse' | 'prune' | 'keep';
  forceOld?: boolean;
  acceptDifferences?: boolean;
  /**
   * Drafts that can't be changed to what the manifest says are replaced by a new publication; the draft's record is
   * then deleted.
   */
  recreate?: boolean;
  rekey?: boolean;
  /** Rows that a person cancelled: sent again, left as they are, or (default) a reason to refuse the submission. */
  cancelled?: 'refuse' | 'send' | 'leave';
  /** user@host */
  /** The flags of the submit; absent: they aren't known, as for a firing. */
  given?: readonly GivenFlag[];
  by: string;
  /** If several hosts share the ledger: the one that has the files of its rows. */
  filesHost?: string;
  /** The firing of a schedule that submits it: a firing submits only once, however often it is retried. */
  firing?: number;
  /** A note that is stored with the firing besides how its run ended; null: none. */
  firingNote?: string | null;
}

export interface SubmissionResult {
  submission: number;
  run: RunRef;
  /** True if it joined an open run. */
  attached: boolean;
  startedBy: string;
  /** True if this very snapshot was submitted before. */
  repeated: boolean;
  /** Rows that were accepted although they aren't as the manifest says, such as live rows that differ. */
  warnings: readonly SubmissionProblem[];
}

export interface RunRef {
  campaign: string;
  number: number;
}

/** A flag of the command that submitted a manifest, with its value; a flag without a value is alone. */
export type GivenFlag = readonly [flag: string, value?: string];

/** A campaign over all its runs. */
export interface CampaignRef {
  campaign: string;
  number: null;
}

/** Whose rows are shown. */
export type ViewRef = RunRef | CampaignRef;

export interface RunInfo extends RunRef {
  /** `open` until every row of the run has ended. */
  open: boolean;
  /** Why it closed: it ended, or a later run took over (reset, terminated). */
  closedAs: 'ended' | 'superseded' | null;
  /** Its first manifest was imported; before that, its rows are those of earlier runs. */
  imported: boolean;
  workflowId: string;
  workflowRunId: string | null;
  startedBy: string;
  startedAt: string;
  finishedAt: string | null;
  manifestPath: string | null;
  manifestHash: string | null;
  settings: CampaignSettings | null;
  cancelled: GateInfo | null;
  /** Its rows by state when it ended; null: it is open, was superseded, or ended before this was kept. */
  endedCounts: Counts | null;
}

export interface GateInfo {
  scope: string;
  kind: 'cancelled' | 'paused' | 'parked' | 'stopped';
  since: string;
  by: string;
  reason: string;
}

export interface ChannelRef {
  account: string;
  profileId: string | null;
  platform: string;
}

/** A channel of a run, with what is left to do in it. */
export interface ChannelWork extends ChannelRef {
  /** Stable text for workflow ids, unique among the ledger's channels: `[A-Za-z0-9._-]`. */
  id: string;
  /** For people: `Garden · long`. */
  label: string;
  open: number;
  /**
   * When the next remaining row may be sent by its time, the channel's pace and the service's request to wait, ISO;
   * null: now.
   */
  nextReadyAt: string | null;
  /** What it waits for, for people; null if it doesn't wait, or only for its own time. Without a time: a free slot. */
  why: string | null;
  /** The service asked to wait until then. */
  throttled: boolean;
  /** What holds the channel, regardless of its times: the strongest of its gates. */
  held: GateInfo | null;
}

/** A row as a channel handles it: enough to order, group and show it. */
export interface PageRow {
  id: number;
  line: number;
  /** `row 12 · Episode 3 → long`, at most 120 characters, no signed query. */
  label: string;
  /** ISO; null: ready now. */
  readyAt: string | null;
  /** What it waits for besides its own time: the channel's pace, for people. */
  why?: string;
  upload: boolean;
  /** For an upload: the host whose workers have its file; any worker if none is named. */
  filesHost?: string;
}

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

/** A status that the interface doesn't name, and how many followed rows show it. */
export interface UnknownStatus {
  status: string;
  rows: number;
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

/** A row whose publication is being followed. */
export interface InFlightRow {
  rowId: number;
  account: string;
  publicationId: string;
  platform: string;
  /** When the publication was accepted, ISO. */
  since: string;
  /** ISO: after this it is `overdue`. */
  deadline: string;
  /** The last status the service showed. */
  status: string;
  line: number;
  key: string;
  label: string;
  channel: string;
}

export interface PublicationEnd {
  rowId: number;
  publicationId: string;
  state: 'published' | 'failed' | 'overdue';
  status: string;
  videoId?: string | null;
  videoUrl?: string | null;
  privacy?: string | null;
  publishedAt?: string | null;
  code?: string;
  message?: string;
}

/** A row that only a person can settle: unconfirmed, or possibly published twice. */
export interface AttentionRow {
  rowId: number;
  line: number;
  key: string;
  state: RowState;
  account: string;
  /** Text id of its channel, and the channel's name for people. */
  channelId: string;
  channel: string;
  code: string | null;
  message: string | null;
  candidates: readonly string[];
  /** What was sent, or may have been. */
  values: RowValues;
  /** False if its worker was never seen to end, so that it may still send. */
  isAttemptOver: boolean;
}

/** A row that did not succeed: failed, rejected, unconfirmed or overdue, or a draft that could not be changed. */
export interface ProblemRow {
  line: number;
  key: string;
  /** `row 12 · Episode 3 → long` */
  label: string;
  channel: string;
  state: RowState;
  code: string | null;
  message: string | null;
  endedAt: string | null;
}

export type Counts = Readonly<Partial<Record<RowState, number>>>;

/** One record of `results` (contract, design part 6). Null where nothing is known. */
export interface ResultRecord {
  line: number;
  key: string;
  campaign: string;
  state: RowState;
  run: string | null;
  account: string;
  platform: string;
  /** Its channel's name, as shown everywhere: `Garden · long`. */
  channel: string;
  profile: string | null;
  profile_id: string | null;
  title: string | null;
  /** With a signed query masked, except in the user's own CSV columns. */
  source: string | null;
  publish_at: string | null;
  publication_id: string | null;
  publish_id: string | null;
  video_id: string | null;
  video_url: string | null;
  privacy: string | null;
  published_at: string | null;
  created_at: string | null;
  ended_at: string | null;
  code: string | null;
  column: string | null;
  message: string | null;
  attempts: number;
  /** Publication ids that may be this row's (unconfirmed rows). */
  candidates: readonly string[];
  /** The user's own columns. Only CSV output shows them. */
  cells: Readonly<Record<string, string>>;
}
