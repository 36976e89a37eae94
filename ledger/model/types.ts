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
  /** The manifest gives it no key: its source identifies it. */
  bySource?: true;
  account: string;
  values: RowValues;
  skip: boolean;
  /** The user's own columns, by header, as text and in their order. */
  cells: Readonly<Record<string, string>>;
  /** In a file of results: the version of the row that its cells were written from. */
  version?: string;
}

export interface RunRef {
  campaign: string;
  number: number;
}

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
  /** Of the open rows: those whose create is under way. */
  sending: number;
  /**
   * When the next remaining row may be sent by its time, the channel's pace and the service's request to wait, ISO;
   * null: now. The end of the year 9999: none will be, because all are being sent or wait for a person.
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

export type Counts = Readonly<Partial<Record<RowState, number>>>;
