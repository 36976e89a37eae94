import { yieldToEventLoop, type Db } from '../engine/store';
import { sourceHash } from '../model/source';
import { type Entry } from '../model/types';
import { identityOf, type RowElsewhere } from '../rows/row-lookup';
import { readEntries } from '../rows/snapshots';

/** Maps a source's channel and hash to the row that is sent there. */
export type PendingSources = ReadonlyMap<string, RowElsewhere>;

/**
 * The sources that other campaigns' open runs have accepted but not imported yet. They have no rows yet, so a search of
 * the rows doesn't find them, but they will be sent.
 */
export async function pendingSources(db: Db, campaign: string): Promise<PendingSources> {
  const sources = new Map<string, RowElsewhere>();
  const pending = await db
    .selectFrom('submissions')
    .select(['submissions.campaign', 'submissions.snapshot_id', 'submissions.progress'])
    .where('submissions.imported_at', 'is', null)
    .where('submissions.campaign', '!=', campaign)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('runs')
          .select('runs.id')
          .whereRef('runs.campaign', '=', 'submissions.campaign')
          .where('runs.open', '=', 1),
      ),
    )
    .orderBy('submissions.id')
    .execute();
  for (const { campaign: other, snapshot_id, progress } of pending) {
    for (let from = progress; ;) {
      const page = await readEntries(db, snapshot_id, from);
      const last = page.at(-1);
      if (!last) break;
      for (const { entry } of page) {
        const place = placeOf(entry);
        if (entry.skip || place === null || sources.has(place)) continue;
        sources.set(place, { campaign: other, place: `campaign ${other}, row ${entry.line}` });
      }
      from = last.entry.position + 1;
      await yieldToEventLoop();
    }
  }
  return sources;
}

/** Where a pending submission of another campaign sends the entry's source to the same channel; null if none does. */
export function findPending(sources: PendingSources, entry: Entry): RowElsewhere | null {
  if (sources.size === 0) return null;
  const place = placeOf(entry);
  return place === null ? null : (sources.get(place) ?? null);
}

/** The newest submission of the ledger by its id; 0 when there is none. */
export async function newestSubmission(db: Db): Promise<number> {
  const newest = await db.selectFrom('submissions').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return newest?.id ?? 0;
}

/** Whether another campaign had a submission accepted after the one with this id. */
export async function submittedElsewhere(db: Db, campaign: string, after: number): Promise<boolean> {
  const found = await db
    .selectFrom('submissions')
    .select('id')
    .where('id', '>', after)
    .where('campaign', '!=', campaign)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function placeOf(entry: Entry): string | null {
  const hash = sourceHash(entry.values.source);
  if (hash === '') return null;
  const { account, profileId, platform } = identityOf(entry);
  return JSON.stringify([account, profileId, platform, hash]);
}
