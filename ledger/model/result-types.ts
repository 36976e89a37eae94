import { type RowState } from './states';
import { type RowValues } from './types';

/** A status that the interface doesn't name, and how many followed rows show it. */
export interface UnknownStatus {
  status: string;
  rows: number;
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
  /** In the campaign's manifest, or in `file`. */
  line: number;
  /** The name of the file that has the row, if the manifest doesn't. */
  file: string | null;
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
  /** Number of its creates. */
  attempts: number;
  /** False if its worker was never seen to end, so that it may still send. */
  isAttemptOver: boolean;
}

/** A row that did not succeed: failed, rejected, unconfirmed or overdue, or a draft that could not be changed. */
export interface ProblemRow {
  /** In the manifest that is shown, or in `file`. */
  line: number;
  /** The name of the file that has the row, if that manifest doesn't. */
  file: string | null;
  key: string;
  /** `row 12 · Episode 3 → long` */
  label: string;
  channel: string;
  state: RowState;
  code: string | null;
  message: string | null;
  endedAt: string | null;
  /** `NAME.N`: the run that it ended in. */
  run: string | null;
}

/** One record of `results` (contract, design part 6). Null where nothing is known. */
export interface ResultRecord {
  /** In the manifest that is shown, or in `file`. */
  line: number;
  /** The name of the file that has the row, if that manifest doesn't. */
  file: string | null;
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
  /** Where a relative path in the user's own columns starts. Only CSV output shows it. */
  folder: string | null;
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
  /** The version of its own columns. Only CSV output shows it. */
  version: string | null;
  /** Publication ids that may be this row's (unconfirmed rows). */
  candidates: readonly string[];
  /** The user's own columns. Only CSV output shows them. */
  cells: Readonly<Record<string, string>>;
}
