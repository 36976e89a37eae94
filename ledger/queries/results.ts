import { createWaitingReasons } from '../channels/waiting-reasons';
import { NOT_IN_MANIFEST } from '../rows/not-in-manifest';
import { readChannelNames } from '../rows/channel-names';
import { correctionsOf } from '../runs/corrections';
import { type View, viewOf } from '../runs/view';
import { type Db, PAGE_ROWS, prepared, type Store, yieldToEventLoop } from '../engine/store';
import { type ResultRecord } from '../model/result-types';
import { type ViewRef } from '../model/types';
import { COLUMNS, type Joined, type ResultFilter, toRecord, UNSENT } from './result-record';
import { leftOutOf } from './left-out';
import { furtherRows } from './manifest-columns';

/**
 * One record per row of the run's manifest, in its order, then those that the run has besides (`not-in-manifest`, if
 * they have no code of their own). Paged internally, so that memory use stays constant.
 */
export function createResults(store: Store) {
  const page = prepared<{ snapshotId: number; campaign: string; from: number; limit: number }, Joined>((db, p) =>
    db
      .selectFrom('entries')
      .leftJoin('rows', (join) =>
        join
          .on('rows.campaign', '=', p.campaign)
          .onRef('rows.account', '=', 'entries.account')
          .onRef('rows.profile_id', '=', 'entries.profile_id')
          .onRef('rows.platform', '=', 'entries.platform')
          .onRef('rows.key', '=', 'entries.key'),
      )
      .leftJoin('entries as sent', (join) =>
        join.onRef('sent.snapshot_id', '=', 'rows.entry_snapshot').onRef('sent.position', '=', 'rows.entry_position'),
      )
      .leftJoin('entries as corrected', (join) =>
        join
          .on('rows.replaced_values', 'is not', null)
          .onRef('corrected.snapshot_id', '=', 'rows.snapshot_id')
          .onRef('corrected.position', '=', 'rows.position'),
      )
      .innerJoin('snapshots', 'snapshots.id', 'entries.snapshot_id')
      .leftJoin('snapshots as correction', 'correction.id', 'corrected.snapshot_id')
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select(COLUMNS)
      .where('entries.snapshot_id', '=', p.snapshotId)
      .where('entries.position', '>=', p.from)
      .orderBy('entries.position')
      .limit(p.limit),
  );

  /** The same for rows that the manifest doesn't have, with the values of the last manifest that had them. */
  const others = async (ids: readonly number[]): Promise<Other[]> =>
    store.db
      .selectFrom('rows')
      .innerJoin('entries', (join) =>
        join.onRef('entries.snapshot_id', '=', 'rows.snapshot_id').onRef('entries.position', '=', 'rows.position'),
      )
      .leftJoin('entries as sent', (join) =>
        join.onRef('sent.snapshot_id', '=', 'rows.entry_snapshot').onRef('sent.position', '=', 'rows.entry_position'),
      )
      .leftJoin('entries as corrected', (join) =>
        join
          .on('rows.replaced_values', 'is not', null)
          .onRef('corrected.snapshot_id', '=', 'rows.snapshot_id')
          .onRef('corrected.position', '=', 'rows.position'),
      )
      .innerJoin('snapshots', 'snapshots.id', 'entries.snapshot_id')
      .leftJoin('snapshots as correction', 'correction.id', 'corrected.snapshot_id')
      .leftJoin('runs', 'runs.id', 'rows.run_id')
      .select([...COLUMNS, 'rows.snapshot_id', 'rows.source_hash'])
      .where('rows.id', 'in', ids)
      .orderBy('rows.snapshot_id')
      .orderBy('rows.position')
      .orderBy('rows.id')
      .execute();

  /**
   * One record per row of the view's manifest, in its order, then those of the view that it doesn't have. Rows that
   * aren't imported yet are shown as planned.
   */
  return async function* results(ref: ViewRef, filter: ResultFilter = {}): AsyncGenerator<ResultRecord> {
    const view = await viewOf(store.db, ref);
    const { snapshotId, run } = view;
    const nameOf = await readChannelNames(store.db);
    let manifest: string | null = null;
    const waitingFor = run === null ? null : createWaitingReasons(store, run);
    if (snapshotId !== null) {
      for (let from = 0; ;) {
        const rows = await page(store.db, { snapshotId, campaign: ref.campaign, from, limit: PAGE_ROWS });
        for (const row of rows) {
          from = row.position + 1;
          manifest ??= row.path;
          const record = await recordOf(row);
          if (record !== null) yield record;
        }
        if (rows.length < PAGE_ROWS) break;
        await yieldToEventLoop();
      }
    }
    const ids = await otherIds(store.db, view, filter.everything === true);
    if (ids.length === 0) return;
    const isOwn = await ownRows(store.db, ref.campaign);
    for (let at = 0; at < ids.length; at += PAGE_ROWS) {
      for (const row of await others(ids.slice(at, at + PAGE_ROWS))) {
        const record = await recordOf(row);
        if (record === null) continue;
        if (record.code === null && !isOwn(row)) Object.assign(record, NOT_IN_MANIFEST_ROWS);
        yield record;
      }
      await yieldToEventLoop();
    }

    async function recordOf(row: Joined): Promise<ResultRecord | null> {
      const record = toRecord(row, ref.campaign, manifest);
      record.channel = nameOf({ ...record, profileId: record.profile_id, label: record.channel });
      if (filter.states && !filter.states.includes(record.state)) return null;
      if (filter.profile !== undefined && filter.profile !== record.profile_id && filter.profile !== record.profile)
        return null;
      const unsent = row.run_number === null || row.run_number === run?.number;
      if (waitingFor !== null && UNSENT.includes(record.state) && record.code === null && unsent) {
        const { account, platform, profile_id: profileId, publish_at: publishAt } = record;
        const selected = row.run_number !== null;
        Object.assign(record, await waitingFor({ account, platform, profileId, publishAt, selected }));
      }
      return record;
    }
  };
}

type Other = Joined & { snapshot_id: number; source_hash: string };

const NOT_IN_MANIFEST_ROWS = {
  code: NOT_IN_MANIFEST,
  message: 'the newest manifest doesn’t have it; it stays as it was accepted',
};

/** Ids of the rows beside the manifest's, in the order of their own manifests. */
async function otherIds(db: Db, view: View, everything: boolean): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const rows of furtherRows(db, view, everything)) {
    const found = await rows
      .select('rows.id')
      .orderBy('rows.snapshot_id')
      .orderBy('rows.position')
      .orderBy('rows.id')
      .execute();
    for (const { id } of found) ids.push(id);
  }
  return ids;
}

/**
 * Tells rows that belong to the campaign although its main manifest doesn't have them: that of a manifest whose import
 * isn't finished, which will be the run's own; that of a sheet which corrects the main manifest; and a row that the main
 * manifest has with an error.
 */
async function ownRows(db: Db, campaign: string): Promise<(row: Other) => boolean> {
  const coming = await db
    .selectFrom('submissions')
    .select('snapshot_id')
    .where('campaign', '=', campaign)
    .where('imported_at', 'is', null)
    .execute();
  const { sheets, newest } = await correctionsOf(db, campaign);
  const snapshots = new Set([...sheets, ...coming.map(({ snapshot_id }) => snapshot_id)]);
  const isLeftOut = await leftOutOf(db, newest);
  return (row) => snapshots.has(row.snapshot_id) || isLeftOut(row);
}
