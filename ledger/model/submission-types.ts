import { type SubmissionProblem } from './errors';
import { type CampaignSettings, type Entry, type RowValues, type RunRef } from './types';
import { type RowState } from './states';

/** Settings and defaults of rows that a config gives to every manifest; the ledger only keeps them. */
export interface ConfiguredReading {
  settings: object;
  defaults: object;
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
  /** Rows of the manifest that are left out because of an error. */
  leftOut?: readonly LeftOutRow[];
  /** A trial: only this many of the remaining rows, or only these keys. The others stay `planned`. */
  select?: { limit?: number; keys?: readonly string[] };
  /** The limit is the manifest's own (`take`): each submission takes that many. */
  take?: true;
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
  /** Absolute path of the config file that was read, named or found; absent: none was. */
  config?: string;
  /** How the config said to read the manifest; absent: there was none, or it isn't known. */
  configured?: ConfiguredReading;
  by: string;
  /** If several hosts share the ledger: the one that has the files of its rows. */
  filesHost?: string;
  /** The firing of a schedule that submits it: a firing submits only once, however often it is retried. */
  firing?: number;
  /** A note that is stored with the firing besides how its run ended; null: none. */
  firingNote?: string | null;
}

/** A row with an error, as far as it can be recognised. */
export interface LeftOutRow {
  line: number;
  key: string | null;
  source: string | null;
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

/** A flag of the command that submitted a manifest, with its value; a flag without a value is alone. */
export type GivenFlag = readonly [flag: string, value?: string];

/** What a submit does with one row. */
export const PLAN_ACTIONS = [
  'create',
  'update',
  'continue',
  'attempt',
  'recreate',
  'patch',
  'leave',
  'too-late',
  'differs',
  'skip',
  'refuse',
  'prune',
  'keep',
] as const;

/**
 * `create`: a new row · `update`: not sent yet, takes the new values · `continue`: not sent yet, unchanged · `attempt`:
 * failed or rejected and corrected, gets a new attempt · `recreate`: cancelled and never sent, planned again; or a
 * draft that is replaced by a new publication · `patch`: a draft, changed at the service · `leave`: nothing to do ·
 * `too-late`: changed, but its create is under way or accepted · `differs`: changed, but it is already live · `skip`:
 * marked so in the manifest · `refuse`: has an error · `prune` and `keep`: rows that the manifest no longer has.
 */
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** Actions after which a row is to be sent. */
export const SENDS: readonly PlanAction[] = ['create', 'update', 'continue', 'attempt', 'recreate'];

export interface PlanRow {
  position: number | null;
  line: number | null;
  key: string;
  channel: string;
  action: PlanAction;
  /** False for a row that a trial leaves `planned`. */
  selected: boolean;
  state: RowState | null;
  /** `NAME.N`: the run that processes or ended it. */
  run: string | null;
  /** For a draft that is changed: the old and new values. */
  changes?: readonly FieldChange[];
  /** Its values if they aren't those of the manifest: it keeps a sheet's correction, or the manifest doesn't have it. */
  values?: RowValues;
}

/** When the campaign's rows that the manifest doesn't have are sent; the times as in PlanChannel. */
export type KeptTimes = Pick<PlanChannel, 'firstAt' | 'lastAt' | 'timed'>;

export interface PlanChannel {
  channel: string;
  /** For people: `Garden · long`. */
  label: string;
  rows: number;
  /** When the first and the last would be sent, by their times and the channel's pace: ISO; null: at once. */
  firstAt: string | null;
  lastAt: string | null;
  /** Some of its rows have a publish_at. */
  timed: boolean;
  /** Rows that would miss their publish_at by more than 1 h. */
  late: number;
  /** Every row that would miss a time of its own, in the order of sending. */
  misses: readonly MissedTime[];
  /** The maximum number of rows that would be sent at the same moment. */
  atOnce: number;
  /** When each of its rows would be sent, in that order: ms since the epoch, null: at once; Infinity: never. */
  times: readonly { position: number; at: number | null }[];
}

export interface MissedTime {
  line: number;
  key: string;
  /**
   * Which time is missed: it is sent more than 1 h after `publish_at`, after its `deadline`, or after its signed URL
   * has expired.
   */
  time: 'publish_at' | 'deadline' | 'url_expiry';
  wanted: string;
  /** When it would be sent; `never`: the rules never allow it. */
  at: string;
  why: string;
}

/** What a submit would do. */
export interface Plan {
  actions: Readonly<Partial<Record<PlanAction, number>>>;
  /** In the manifest's order, then the rows that the manifest no longer has. */
  rows: readonly PlanRow[];
  problems: readonly SubmissionProblem[];
  /** Per channel, in the manifest's order: the rows that would be sent, and when. */
  channels: readonly PlanChannel[];
  /** Null: the campaign has no other rows that are still to be sent. */
  kept: KeptTimes | null;
}

/** A row in the ledger, with the values that were accepted for it. */
export interface ExistingRow {
  state: RowState;
  code: string | null;
  /** A create may have happened. */
  sent: boolean;
  /** `NAME.N` */
  run: string | null;
  values: RowValues;
}

export interface DecideOptions {
  acceptDifferences: boolean;
  recreate?: boolean;
  /** Rows that a person cancelled stay cancelled. */
  leaveCancelled?: boolean;
  /** Pruned rows stay cancelled unless they were edited: results have them, whether they are to be sent or not. */
  leavePruned?: boolean;
  repeat: 'refuse' | 'allow';
  /** The row of another campaign that sends the same source to the same channel: `NAME row 12`. */
  elsewhere: string | null;
  /** The form of the manifest: a CSV uses flags for settings that a YAML has at its top. */
  format?: 'csv' | 'yaml';
}

export interface Decision {
  action: PlanAction;
  problem?: SubmissionProblem;
  changes?: readonly FieldChange[];
}

export interface Differences {
  any: boolean;
  source: boolean;
  /** The same source under a new signature: to be used, since it fixes a row whose link had expired. */
  resigned: boolean;
  /** A file of the same size with another modification time. */
  touched: boolean;
  /** Until when it may be sent. Irrelevant once it was sent. */
  deadline: boolean;
  /** Field names of the manifest. */
  names: string[];
}

/** A field of a publication that changes. */
export interface FieldChange {
  field: PatchField;
  from: string | null;
  to: string;
}

/** An entry with the text of its values as the ledger stores it. */
export interface StoredEntry {
  entry: Entry;
  text: string;
  /** Its key is that of the campaign's row with its source. */
  recognized?: true;
  /** Its values are not only those of its file: a file of results is older than its row. */
  merged?: true;
  /** Values that were edited in a file of results, and got other values since that was written. */
  conflicts?: readonly EditConflict[];
}

/** A field's value in a file of results, and the one that its row has got since. */
export interface EditConflict {
  field: string;
  file: string | null;
  row: string | null;
}

export type PatchField = (typeof PATCH_FIELDS)[number];

/** The fields that PATCH takes (interface, section 4.7), by our names, which are those of the wire. */
export const PATCH_FIELDS = ['title', 'description', 'privacy', 'status'] as const;
