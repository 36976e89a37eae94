import { type ResultRecord } from '../ledger/model/result-types';

/** The fields of a record in the order of the contract; JSON has them unprefixed, CSV with the prefix `reelay_`. */
export const RECORD_FIELDS = [
  'line',
  'file',
  'key',
  'state',
  'run',
  'account',
  'platform',
  'profile',
  'profile_id',
  'title',
  'source',
  'publish_at',
  'publication_id',
  'publish_id',
  'video_id',
  'video_url',
  'privacy',
  'published_at',
  'created_at',
  'ended_at',
  'code',
  'column',
  'message',
  'attempts',
  'campaign',
  'candidates',
] as const satisfies readonly (keyof ResultRecord)[];

export type RecordField = (typeof RECORD_FIELDS)[number];

/**
 * Our columns in a CSV: what the user's own columns can't show. Those have the newest manifest's values, ours what was
 * sent.
 */
export const CSV_FIELDS = [
  'key',
  'campaign',
  'state',
  'code',
  'column',
  'message',
  'line',
  'run',
  'account',
  'platform',
  'profile',
  'profile_id',
  'title',
  'source',
  'folder',
  'publish_at',
  'publication_id',
  'publish_id',
  'video_id',
  'video_url',
  'privacy',
  'published_at',
  'created_at',
  'ended_at',
  'attempts',
  'candidates',
  'version',
] as const satisfies readonly (keyof ResultRecord)[];

export const CSV_PREFIX = 'reelay_';

/** A record as JSON shows it: without the user's own columns. */
export function recordData(record: ResultRecord): Record<RecordField, unknown> {
  return Object.fromEntries(RECORD_FIELDS.map((field) => [field, record[field]])) as Record<RecordField, unknown>;
}
