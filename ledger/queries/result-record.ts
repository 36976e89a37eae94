import { entryDifferences } from '../model/converge';
import { channelLabel } from '../model/labels';
import { baseName, maskUrl, sourceFolder } from '../model/source';
import { type RowState } from '../model/states';
import { unknownStatusOf } from './unknown-status';
import { iso } from '../engine/store';
import { type RowRecord, type Tables } from '../engine/tables';
import { type ResultRecord } from '../model/result-types';
import { type RowValues } from '../model/types';
import { versionOf } from '../model/version';

type RowPart = Pick<
  RowRecord,
  | 'publication_id'
  | 'publish_id'
  | 'video_id'
  | 'video_url'
  | 'privacy'
  | 'published_at'
  | 'created_at'
  | 'ended_at'
  | 'code'
  | 'column_name'
  | 'message'
  | 'candidates'
>;

export type Joined = Pick<Tables['entries'], 'position' | 'line' | 'key' | 'account' | 'skip' | 'values' | 'cells'> & {
  [column in keyof RowPart]: RowPart[column] | null;
} & {
  sent_values: string | null;
  path: string;
  corrected_path: string | null;
  replaced_values: string | null;
  entry_of: number;
  corrected_of: number | null;
  corrected_position: number | null;
  corrected_cells: string | null;
  corrected_values: string | null;
  state: RowState | null;
  status: string | null;
  attempts: number | null;
  run_campaign: string | null;
  run_number: number | null;
};

export const COLUMNS = [
  'entries.position',
  'entries.line',
  'entries.key',
  'entries.account',
  'entries.skip',
  'entries.values',
  'sent.values as sent_values',
  'entries.cells',
  'snapshots.path',
  'rows.replaced_values',
  'entries.snapshot_id as entry_of',
  'corrected.snapshot_id as corrected_of',
  'corrected.position as corrected_position',
  'corrected.cells as corrected_cells',
  'corrected.values as corrected_values',
  'correction.path as corrected_path',
  'rows.state',
  'rows.status',
  'rows.attempts',
  'rows.publication_id',
  'rows.publish_id',
  'rows.video_id',
  'rows.video_url',
  'rows.privacy',
  'rows.published_at',
  'rows.created_at',
  'rows.ended_at',
  'rows.code',
  'rows.column_name',
  'rows.message',
  'rows.candidates',
  'runs.campaign as run_campaign',
  'runs.number as run_number',
] as const;

export const UNSENT: readonly RowState[] = ['planned', 'waiting'];

/** `manifest`: the path of the manifest that is shown. */
export function toRecord(row: Joined, campaign: string, manifest: string | null): ResultRecord {
  // The values that were accepted for the row: a later manifest doesn't change what is already live.
  const values = JSON.parse(row.sent_values ?? row.values) as RowValues;
  // The manifest still has the values that a sheet has corrected since: the correction counts.
  const corrected = row.replaced_values !== null && row.replaced_values === row.values;
  const wanted = (corrected ? row.corrected_values : null) ?? row.values;
  const difference =
    row.code !== null ? null : (unknownStatusOf(row.state, row.status) ?? sinceSent(row, values, wanted));
  const [cellsText, path] = corrected ? [row.corrected_cells, row.corrected_path] : [null, null];
  const cells = JSON.parse(cellsText ?? row.cells) as Record<string, string>;
  return {
    line: row.line,
    file: manifest === null || manifest === row.path ? null : baseName(row.path),
    key: row.key,
    campaign,
    state: row.state ?? 'planned',
    run: row.run_campaign === null || row.run_number === null ? null : `${row.run_campaign}.${row.run_number}`,
    account: row.account,
    platform: values.platform,
    channel: channelLabel(values),
    profile: values.profileName,
    profile_id: values.profileId,
    title: values.title,
    source: values.source === null ? null : maskUrl(values.source),
    folder: sourceFolder(cells, path ?? row.path),
    publish_at: values.publishAt,
    publication_id: row.publication_id,
    publish_id: row.publish_id,
    video_id: row.video_id,
    video_url: row.video_url,
    privacy: row.privacy ?? values.privacy,
    published_at: row.published_at,
    created_at: iso(row.created_at),
    ended_at: iso(row.ended_at),
    code: difference?.code ?? row.code,
    column: difference?.column ?? row.column_name,
    message: difference?.message ?? row.message,
    attempts: row.attempts ?? 0,
    version:
      row.state === null
        ? null
        : corrected && row.corrected_of !== null && row.corrected_position !== null
          ? versionOf({ snapshot: row.corrected_of, position: row.corrected_position })
          : versionOf({ snapshot: row.entry_of, position: row.position }),
    candidates: row.candidates === null ? [] : (JSON.parse(row.candidates) as string[]),
    cells,
  };
}

const OUT: readonly RowState[] = ['processing', 'published', 'submitted', 'drafted', 'overdue'];

/** The manifest, or its correction, now says something else than what was sent. */
function sinceSent(row: Joined, sent: RowValues, wanted: string) {
  if (row.sent_values === wanted) return null;
  if (row.state === null || !OUT.includes(row.state)) return null;
  if (sent.adopted === true && row.state !== 'drafted') return null;
  const { names } = entryDifferences(sent, { skip: row.skip === 1, values: JSON.parse(wanted) as RowValues });
  const [column] = names;
  if (column === undefined) return null;
  return { code: 'differs', column, message: `${names.join(', ')} changed after it was sent; it stays as it was sent` };
}

export interface ResultFilter {
  states?: readonly RowState[];
  /** A profile's id or name. */
  profile?: string;
  /** Every row that the campaign ever had, not only those of the run. */
  everything?: boolean;
}
