import { sql } from 'kysely';
import { differences } from '../model/converge';
import { maskUrl } from '../model/source';
import { viewOf } from '../runs/view';
import { type Store } from '../engine/store';
import { type RowValues, type ViewRef } from '../model/types';

/** A row whose manifest still has the values that a sheet has corrected since; the row keeps the sheet's. */
export interface KeptCorrection {
  line: number;
  key: string;
  channel: string;
  /** `NAME.N`: the run that received the correction. */
  run: string | null;
  /** The fields in which the row differs from the manifest; a source without its query. */
  changes: readonly { field: string; manifest: string | null; row: string | null }[];
}

/** The first rows of a view that keep their corrections, in the order of the manifest (its path), and how many there are. */
export async function keptCorrections(
  { db }: Store,
  ref: ViewRef,
  limit = 5,
): Promise<{ total: number; rows: KeptCorrection[]; manifest: string | null }> {
  const { snapshotId, campaign } = await viewOf(db, ref);
  if (snapshotId === null) return { total: 0, rows: [], manifest: null };
  const kept = db
    .selectFrom('rows')
    .innerJoin('entries as said', (join) =>
      join
        .on('said.snapshot_id', '=', snapshotId)
        .onRef('said.account', '=', 'rows.account')
        .onRef('said.profile_id', '=', 'rows.profile_id')
        .onRef('said.platform', '=', 'rows.platform')
        .onRef('said.key', '=', 'rows.key'),
    )
    .innerJoin('entries as has', (join) =>
      join.onRef('has.snapshot_id', '=', 'rows.entry_snapshot').onRef('has.position', '=', 'rows.entry_position'),
    )
    .where('rows.campaign', '=', campaign)
    .where('rows.replaced_values', 'is not', null)
    .where('said.skip', '=', 0)
    .whereRef('said.values', '=', 'rows.replaced_values')
    .whereRef('has.values', '!=', 'rows.replaced_values');
  const { total } = await kept.select((eb) => eb.fn.countAll<number | string>().as('total')).executeTakeFirstOrThrow();
  if (Number(total) === 0) return { total: 0, rows: [], manifest: null };
  const { path } = await db
    .selectFrom('snapshots')
    .select('path')
    .where('id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  const rows = await kept
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['said.line', 'said.position', 'rows.key', 'channels.label as channel'])
    .select(['said.values as before', 'has.values as after', 'rows.entry_snapshot'])
    .select((eb) =>
      eb
        .selectFrom('submissions')
        .innerJoin('runs', 'runs.id', 'submissions.run_id')
        .select(sql<number | null>`min(runs.number)`.as('number'))
        .where('submissions.campaign', '=', campaign)
        .whereRef('submissions.snapshot_id', '=', 'rows.entry_snapshot')
        .$asScalar()
        .as('number'),
    )
    .orderBy('said.position')
    .limit(limit)
    .execute();
  return {
    total: Number(total),
    manifest: path,
    rows: rows.map(({ line, key, channel, before, after, number }) => ({
      line,
      key,
      channel,
      run: number === null ? null : `${campaign}.${String(number)}`,
      changes: changesOf(JSON.parse(before) as RowValues, JSON.parse(after) as RowValues),
    })),
  };
}

function changesOf(before: RowValues, after: RowValues): KeptCorrection['changes'] {
  return differences(before, after).names.map((field) => ({
    field,
    manifest: valueOf(field, before),
    row: valueOf(field, after),
  }));
}

function valueOf(field: string, values: RowValues): string | null {
  switch (field) {
    case 'source':
      return values.source === null ? null : maskUrl(values.source);
    case 'file':
      return values.fileSize === undefined ? null : `${String(values.fileSize)} bytes`;
    case 'publish_at':
      return values.publishAt;
    default:
      return values[field as 'title' | 'description' | 'privacy' | 'status' | 'via'];
  }
}
