import { LedgerStateError } from '../model/errors';
import { endFollowed, type FollowedEnd } from './followed-ends';
import { type NotedEnd, noteEnds } from '../channels/failure-policy';
import { shortMessage } from '../model/labels';
import { readChannelNames } from '../rows/channel-names';
import { ownerOf, ownPublication } from '../publications/publications';
import { moveRow, patchRow, readRow, readRows, type RowPatch } from '../rows/rows';
import { runIdOf } from '../runs/read-run';
import { markSettled } from './settle';
import { isDisputed } from './second-publications';
import { settingsOf } from '../rows/snapshots';
import { isEnd, mayMove, PUBLISHED_DIFFERS } from '../model/states';
import { type Db, iso, prepared, type Store, type Tx } from '../engine/store';
import { type RowRecord } from '../engine/tables';
import { type InFlightRow, type PublicationEnd } from '../model/result-types';
import { type RunRef } from '../model/types';

function followed(db: Db, runId: number) {
  return db
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['rows.id', 'rows.account', 'rows.publication_id', 'rows.platform', 'rows.created_at', 'rows.deadline'])
    .select(['rows.profile_id', 'rows.status', 'rows.line', 'rows.key', 'rows.label', 'channels.label as channel'])
    .where('run_id', '=', runId)
    .where('state', '=', 'processing');
}

type Followed = Awaited<ReturnType<ReturnType<typeof followed>['execute']>>[number];

const followedIn = prepared<{ runId: number }, Followed>((db, p) => followed(db, p.runId));

/** Rows of the run whose publications are being followed, oldest first. */
export async function inFlight(store: Store, run: RunRef): Promise<InFlightRow[]> {
  const runId = await runIdOf(store.db, run);
  const rows = await followedIn(store.db, { runId });
  if (rows.length === 0) return [];
  const nameOf = await readChannelNames(store.db);
  return rows
    .sort((a, b) => (a.created_at ?? 0) - (b.created_at ?? 0) || a.id - b.id)
    .map((row) => ({
      rowId: row.id,
      account: row.account,
      publicationId: row.publication_id ?? '',
      platform: row.platform,
      since: iso(row.created_at ?? 0),
      deadline: iso(row.deadline ?? 0),
      status: row.status ?? '',
      line: row.line,
      key: row.key,
      label: row.label,
      channel: nameOf({
        ...row,
        profileId: row.profile_id === '' ? null : row.profile_id,
        label: row.channel,
      }),
    }));
}

/** Records a status that ends nothing. A row that had failed or was overdue is followed again while its run is open. */
export async function noteStatus(store: Store, rowId: number, publicationId: string, status: string): Promise<void> {
  const seen = await store.db.selectFrom('rows').select(['status', 'state']).where('id', '=', rowId).executeTakeFirst();
  if (seen?.state === 'processing' && seen.status === status) return;
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    if (row.publication_id !== publicationId) return;
    if (row.state === 'processing') return patchRow(tx, rowId, { status });
    if (row.state !== 'failed' && row.state !== 'overdue') return;
    const run = await tx.selectFrom('runs').select('open').where('id', '=', row.run_id).executeTakeFirst();
    if (run?.open !== 1) return;
    const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
    const now = store.now();
    const cleared = isDisputed(row.code) ? {} : { code: null, message: null };
    await moveRow(tx, row, 'processing', now, { status, ...cleared, deadline: now + giveUpAfterMs });
  });
}

/**
 * Records how publications ended, all in one transaction. What is already recorded stays: the same end twice changes
 * nothing, and an end that was read before the row moved on doesn't undo that move.
 * @throws LedgerStateError if a publication isn't the row's; then nothing of the batch is kept
 */
export async function recordEnds(store: Store, ends: readonly PublicationEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await store.write(async (tx) => {
    const now = store.now();
    const rows = await readRows(
      tx,
      ends.map((end) => end.rowId),
    );
    const followed: FollowedEnd[] = [];
    const read: { end: PublicationEnd; row: RowRecord | null }[] = [];
    for (const end of ends) {
      const row = rows.get(end.rowId);
      // A row that ends a second time takes the slower path.
      rows.delete(end.rowId);
      const isFollowed = row?.state === 'processing' && row.publication_id === end.publicationId;
      if (row && isFollowed && !keepsCode(row, end)) {
        followed.push({ id: row.id, state: end.state, ended_at: now, ...reportText(row, end), ...whatWentWrong(end) });
        read.push({ end, row });
      } else read.push({ end, row: null });
    }
    await endFollowed(tx, followed);
    const noted: NotedEnd[] = [];
    for (const { end, row } of read) {
      const ended = row ?? (await recordEnd(tx, end, now));
      if (ended) noted.push({ row: ended, state: end.state, code: end.code, message: end.message });
    }
    await noteEnds(store, tx, noted, now);
  });
}

/** One end, in the caller's transaction. Returns the row as it was if the end is new, otherwise null. */
export async function recordEnd(tx: Tx, end: PublicationEnd, now: number): Promise<RowRecord | null> {
  const row = await readRow(tx, end.rowId);
  if (row.publication_id !== end.publicationId && !(await ownsNow(tx, row, end.publicationId, now))) return null;
  if (row.state === end.state || !mayMove(row.state, end.state)) {
    if (isEnd(row.state)) return null;
    throw new LedgerStateError(
      `row ${row.line} (key ${row.key}) is ${row.state}; its publication can’t be ${end.state}`,
    );
  }
  await markSettled(tx, row, row.attempts, { as: 'read', now });
  await moveRow(tx, row, end.state, now, endPatch(row, end));
  return row;
}

/**
 * A row without an answer gets the publication that was found for it. Returns false if it is one that the row had
 * before.
 */
async function ownsNow(tx: Tx, row: RowRecord, publicationId: string, now: number): Promise<boolean> {
  const before = await ownerOf(tx, row.account, publicationId);
  if (before?.row_id === row.id) return false;
  const free = !before && row.publication_id === null && (row.state === 'creating' || row.state === 'unconfirmed');
  if (!free) {
    throw new LedgerStateError(
      `publication ${publicationId} isn’t that of row ${row.line} (key ${row.key}), which is ${row.state}`,
    );
  }
  await ownPublication(tx, { account: row.account, publicationId, rowId: row.id, how: 'read', at: now });
  return true;
}

/** That the row may be published twice, or is not live as it was corrected, stays said when it ends. */
function keepsCode({ code }: RowRecord, end: PublicationEnd): boolean {
  if (isDisputed(code)) return true;
  return code === PUBLISHED_DIFFERS && end.state === 'published' && end.code === undefined;
}

function endPatch(row: RowRecord, end: PublicationEnd): RowPatch {
  return {
    publication_id: end.publicationId,
    ...reportText(row, end),
    ...(keepsCode(row, end) ? {} : { ...whatWentWrong(end), candidates: null }),
  };
}

function reportText(row: RowRecord, end: PublicationEnd) {
  return {
    status: end.status,
    video_id: end.videoId ?? row.video_id,
    video_url: end.videoUrl ?? row.video_url,
    privacy: end.privacy ?? row.privacy,
    published_at: end.publishedAt ?? row.published_at,
  };
}

function whatWentWrong(end: PublicationEnd) {
  const code = end.code ?? (end.state === 'overdue' ? 'overdue' : null);
  return { code, message: shortMessage(end.message) };
}
