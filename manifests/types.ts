import { type NotifySetting } from './settings/notify-setting';
import { type PaceSettings } from './settings/pace';
import { type Problem } from './problems/problems';
import { type ScheduleSetting } from './settings/schedule-setting';

/** The kind of a platform: `short` and `long` decide the limits and the fields (interface, 4.5). */
export type PlatformKind = 'short' | 'long';

/** A platform as configured: its wire value and its kind. */
export interface PlatformConfig {
  readonly name: string;
  readonly kind: PlatformKind;
  /** Stricter limits than the interface's, in characters. */
  readonly titleLimit?: number;
  readonly descriptionLimit?: number;
}

/** Values for fields a row leaves blank. Keys are field names, also `FIELD.short` and `FIELD.long`. */
export type FieldDefaults = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/** The settings above `videos`, also given by flag or config. */
export interface ManifestSettings {
  /** IANA zone, or an offset, for reading a `publish_at` without an offset. */
  timezone?: string;
  /** The format of times that aren't ISO 8601, such as `MM/DD/YYYY h:mm A`. */
  dateFormat?: string;
  /** What to do with a `publish_at` missed by more than an hour. @default 'hold' */
  late: 'publish' | 'hold' | 'skip';
  /** How long a publication is followed before its row is `overdue`, in ms. @default 24 h */
  giveUpAfterMs: number;
  /** What to do with a create whose answer was lost. @default 'reconcile' */
  ambiguous: 'reconcile' | 'hold';
  /**
   * Whether a source may be sent to a channel that already has it from another campaign; `every-run`: the same rows
   * each time.
   * @default 'refuse'
   */
  repeat: 'refuse' | 'allow' | 'every-run';
  /** Pace, tolerance and canaries of config, manifest and flags, the weakest first. */
  pace?: readonly PaceSettings[];
  /** Header → field, or `ignore`. */
  columns?: Readonly<Record<string, string>>;
  /** Number of rows per submit or firing. */
  take?: number;
  schedule?: ScheduleSetting;
  /** Placeholders are filled in. */
  template?: boolean;
  /** @default 'fail' */
  missing?: MissingFiles;
  notify?: NotifySetting;
}

export interface ReadOptions {
  /** Overrides the manifest's `campaign`. */
  campaign?: string;
  platforms: readonly PlatformConfig[];
  /** The account of rows that name none; overrides the manifest's defaults. */
  account?: string;
  /** The account for rows if nothing else names one. */
  fallbackAccount?: string;
  /** Platforms by account name. If given, an account that isn't among them is an error. */
  accountPlatforms?: Readonly<Record<string, readonly PlatformConfig[]>>;
  /** Values of the lowest precedence, from the configuration. */
  defaults?: FieldDefaults;
  /** Defaults by account name, above `defaults`. */
  accountDefaults?: Readonly<Record<string, FieldDefaults>>;
  /** Defaults given as flags (`--default`); they override the manifest's own. */
  givenDefaults?: FieldDefaults;
  /** The current time, in ms since the epoch. */
  now: number;
  /** The nominal time of a firing (ms), and its schedule's zone. @default the current time, in the manifest's zone */
  nominal?: { at: number; zone?: string };
  /** Overrides the manifest's `timezone`. */
  timezone?: string;
  /** Encoding of a CSV that is not Unicode, by its iconv name (`windows-1252`, `macintosh`). */
  encoding?: string;
  /** The sheet of a workbook. @default that of the rows to correct in a workbook of results, otherwise the first visible one */
  sheet?: string;
  /** Delimiter of a CSV: one character, or `comma`, `semicolon`, `tab`, `pipe`. Detected when left out. */
  delimiter?: string;
  /** Rows are sent to a real service: addresses that are reserved for examples are refused. */
  realService?: boolean;
  /** Makes every warning an error. */
  strict?: boolean;
  /** Lists 100,000 errors of each code instead of 1,000: each row that is left out needs its reason. */
  allProblems?: boolean;
  /** What to do with a `publish_at` in the past. @default 'refuse' */
  past?: 'refuse' | 'now' | 'skip';
  /** Headers of `settings.columns` that must exist: those named for this very manifest. */
  requiredColumns?: readonly string[];
  /** Settings that override the manifest's. */
  settings?: Partial<ManifestSettings>;
  /** Settings that apply if the manifest doesn't set them. */
  fallbackSettings?: Partial<ManifestSettings>;
  /** How a campaign's manifest was read, for a sheet that corrects some of its rows; null: the campaign isn't known. */
  corrected?: (campaign: string) => Promise<CorrectedManifest | null>;
}

/** A manifest whose rows a sheet of results corrects. */
export interface CorrectedManifest {
  /** Its text, if it is a YAML. */
  yaml: string | null;
  /** As its config said, if another config is read now. */
  configured?: Required<Pick<ReadOptions, 'fallbackSettings' | 'defaults'>>;
  /** As given by flags. */
  options: Pick<ReadOptions, 'account' | 'timezone' | 'past' | 'givenDefaults' | 'settings'>;
}

/**
 * A manifest by its path, or by its bytes, with relative paths starting at `base`: those of stdin, or, with `remote`,
 * the answer of a URL.
 */
export type ManifestSource = { path: string } | { text: Buffer; name: string; base: string; remote?: RemoteTrust };

/**
 * A manifest from the network is untrusted input: it may name only http(s) sources, and no file, folder or notice
 * address.
 */
export interface RemoteTrust {
  /** Hosts of the operator's own network that its sources may name anyway. */
  privateHosts: readonly string[];
  /** Its URL in a form that may be stored and shown: without a user, and with `?…` for a query. */
  address: string;
}

/** One intended publication with its effective values: one row and one platform. */
export interface ManifestRow {
  /** Position among all rows of the manifest, from 0; rows with errors count too. */
  position: number;
  /** Physical line in the file where the row starts, from 1. */
  line: number;
  key: string;
  /** False if the key is the normalised source. */
  keyGiven: boolean;
  account: string | null;
  /** Profile id or name as written; null is the service's default channel. */
  profile: string | null;
  /** `default` was written: the default channel is intended, not forgotten. */
  defaultAsked?: true;
  /** The profile that the row had according to a results file. */
  recordedProfileId?: string;
  /** The state of the row according to a results file. */
  recordedState?: string;
  /** In a file of results: the version of the row that its cells were written from. */
  recordedVersion?: string;
  /** Set by `resolveProfiles`. */
  profileId: string | null;
  /** Set by `resolveProfiles`. */
  profileName: string | null;
  /** Wire value. */
  platform: string;
  platformKind: PlatformKind;
  /** Absolute path or URL; null for a draft without a video. */
  source: string | null;
  sourceKind: 'file' | 'url' | 'none';
  /** Bytes. */
  fileSize?: number;
  /** Time of the last change in ms since the epoch. */
  fileModifiedMs?: number;
  /** For a folder's file: a fingerprint of its content. */
  fileMark?: string;
  title: string | null;
  description: string | null;
  privacy: string | null;
  status: 'published' | 'draft' | 'pending';
  /** When it is sent: UTC, ISO 8601 with ms. */
  publishAt: string | null;
  /** Not sent after it: UTC, ISO 8601 with ms. */
  deadline: string | null;
  /** When a signed URL expires, if its query shows that. */
  sourceExpiresAt?: string;
  via: 'publication' | 'direct';
  skip: boolean;
  /**
   * The manifest's own columns as written, and `reelay_folder` if the row has one. Their order is in `columns` of the
   * result.
   */
  cells: Record<string, string>;
  /** Errors that count only if the row is still to be sent (a past time, a missing file); see `problemsToSend`. */
  deferredErrors: readonly Problem[];
}

/** The part of a row that is needed to find its profile. */
export type RowOfProfile = Pick<
  ManifestRow,
  'line' | 'account' | 'profile' | 'defaultAsked' | 'recordedProfileId' | 'platform' | 'via' | 'skip'
>;

/** A row that has errors, as written. */
export interface InvalidRow {
  line: number;
  /** What identifies it, as far as it can be read. */
  key: string | null;
  source: string | null;
  cells: Record<string, string>;
}

/** Files of a folder that may still be being written: they are no rows yet. */
export interface UnsettledFiles {
  /** Absolute. */
  paths: readonly string[];
  /** A file is considered complete this long (ms) after its last change. */
  settledMs: number;
}

/** A checked manifest, with all its problems. */
export interface ManifestCheck {
  campaign: string;
  /** Absolute path of the manifest, links resolved; its folder is where relative sources start. */
  path: string;
  format: 'csv' | 'yaml';
  /** The decoded text of the file. */
  text: string;
  /** SHA-256 of the file's bytes (and of its sheet's), hex. */
  fileHash: string;
  /** The CSV a YAML's `videos` points to; rows' lines are lines of it. */
  sheet: { path: string; text: string } | null;
  /** The rows come from a workbook: its sheet, and the letters of its columns by header. */
  workbook?: SheetPlaces;
  /** The rows are the files of a folder; their lines are their positions in it. */
  folder?: true;
  /** Files of that folder that were left out because they may still be being written. */
  unsettled?: UnsettledFiles;
  /** The manifest's own headers (YAML: the keys used) in order, without those of result files. */
  columns: string[];
  settings: ManifestSettings;
  /** Rows without any error, including errors that count only if the row is still to be sent. */
  goodRows: number;
  /** All problems by line; after 1,000 of one code and severity (100,000 errors with `allProblems`) the rest is counted. */
  problems: Problem[];
  /** What reading alone can't check. */
  notChecked: string[];
}

/** A manifest read and checked, with its rows. */
export interface ManifestReading extends ManifestCheck {
  /** Rows without errors, or only with deferred ones. */
  rows: ManifestRow[];
  /** Rows with errors, by line: at most the first 100,000. */
  invalidRows: InvalidRow[];
  /**
   * Rows with errors (at most 100,000) whose channel is known: problems with their profiles are reported in the same
   * round.
   */
  unsoundRows: RowOfProfile[];
  /** Lines of the rows with errors, ascending. */
  invalidLines: number[];
}

/** The positions in a sheet, as a spreadsheet names them. */
export interface SheetPlaces {
  sheet: string;
  /** By header: the letters of its column. */
  columns: ReadonlyMap<string, string>;
}

/**
 * What to do with a file that doesn't exist yet: refuse the manifest, leave its row for later, or wait for it this long
 * (ms).
 */
export type MissingFiles = 'fail' | 'skip' | { waitMs: number };
