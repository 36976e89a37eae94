import { type Defaults } from '../settings/defaults';
import { type Place, type Problem, type ProblemList } from '../problems/problems';
import { type RawRow } from '../raw-row';
import { type ManifestRow, type PlatformConfig, type ReadOptions, type RemoteTrust } from '../types';

/** What checking rows needs besides the rows. */
export interface RowsContext {
  defaults: Defaults;
  platforms: readonly PlatformConfig[];
  /** The account for rows that don't name one, and the existing accounts. */
  accounts: Pick<ReadOptions, 'account' | 'fallbackAccount' | 'accountPlatforms'>;
  problems: ProblemList;
  /** The manifest's folder. */
  base: string;
  /** Where the manifest came over the network. */
  remote: RemoteTrust | null;
  now: number;
  past: NonNullable<ReadOptions['past']>;
  timezone: string | undefined;
  dateFormat: string | undefined;
}

/**
 * A row for one platform, and where its parts were written. Rows with errors are kept too, so that all errors are
 * reported at once.
 */
export interface DraftRow {
  row: ManifestRow;
  raw: RawRow;
  sourceAt: Place;
  /** The source as written in the file. */
  written: string;
  /** False after an error. */
  ok: boolean;
  /** False if the key or the platform isn't known, so that duplicates can't be detected. */
  identified: boolean;
}

/** What a row has in common over its platforms. */
export interface RowBasis {
  raw: RawRow;
  context: RowsContext;
  account: string | null;
  skip: boolean;
  status: 'published' | 'draft' | 'pending';
  via: 'publication' | 'direct';
  platforms: readonly PlatformConfig[];
}

/** The fields that may differ by platform. */
export interface KindFields {
  profile: string | null;
  /** `default` was written as the profile. */
  defaultAsked?: boolean;
  title: string | null;
  description: string | null;
  privacy: string | null;
  publishAt: string | null;
  deadline: string | null;
  /** Left out because its time has passed and `--past skip` was given. */
  skip: boolean;
  deferredErrors: readonly Problem[];
}
