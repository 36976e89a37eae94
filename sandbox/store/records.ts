/** How a publication ends; `never` stays `processing`. */
export type Outcome = 'published' | 'failed' | 'never';
export type Status = 'draft' | 'pending' | 'processing' | 'published' | 'failed';
export type Privacy = 'public' | 'private' | 'unlisted';

export interface PublicationSource {
  kind: 'file' | 'url' | 'none';
  /** Only in memory with its query: the version on disk has none. */
  url?: string;
  fileName?: string;
  /** Bytes of the video as counted while it was read. */
  bytes: number;
  /** Content-Length of the whole request, if it had one. */
  declaredBytes?: number;
  /** Hex, with the option `hash`. */
  sha256?: string;
}

/** Everything the sandbox knows about one accepted request. Times are ms since 1970. */
export interface PublicationRecord {
  /** 1, 2, 3 … in the order of acceptance, across restarts. */
  readonly n: number;
  readonly id: string;
  /** `foreign` was created by another client on the same account. */
  readonly kind: 'publication' | 'direct' | 'foreign';
  readonly createdAt: number;
  readonly platform: string;
  readonly profileId: string;
  title: string | null;
  description: string | null;
  privacy: Privacy | null;
  readonly source: PublicationSource;
  /** The status that was last set; see statusAt for the current one. */
  given: 'draft' | 'pending' | 'processing';
  /** When `pending` continues to `processing`; null: it stays. */
  processingAt: number | null;
  /** When the background upload ends; null: none is in progress. */
  dueAt: number | null;
  outcome: Outcome;
  reason: string | null;
}

/** Status of a publication at a time. Computed, so that a hundred thousand of them need no timers and survive a restart. */
export function statusAt(record: PublicationRecord, now: number): Status {
  if (record.given === 'draft') return 'draft';
  if (record.given === 'pending' && (record.processingAt === null || now < record.processingAt)) return 'pending';
  if (record.dueAt === null || now < record.dueAt || record.outcome === 'never') return 'processing';
  return record.outcome;
}
