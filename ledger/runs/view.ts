import { isIn, rowsNotInManifest, vanishedRows } from '../rows/not-in-manifest';
import { isCorrecting } from './corrections';
import { readRun, type RunRecord } from './read-run';
import { shownSnapshot } from './runs';
import { prepared, preparedFirst, type Db } from '../engine/store';
import { type RunRef, type ViewRef } from '../model/types';

/** Which rows are shown: those of one run, or those of a campaign over all its runs. */
export interface View {
  campaign: string;
  /** The run itself, or a campaign's newest one; null: the campaign has had none. */
  run: RunRecord | null;
  /** The manifest whose rows come first, in its order; null before there is one. */
  snapshotId: number | null;
  /** All runs of the campaign. */
  whole: boolean;
}

export async function viewOf(db: Db, ref: ViewRef): Promise<View> {
  if (isRun(ref)) {
    const run = await readRun(db, ref);
    return { campaign: ref.campaign, run, snapshotId: await manifestOf(db, run), whole: false };
  }
  const { campaign } = ref;
  const run = await db
    .selectFrom('runs')
    .selectAll()
    .where('campaign', '=', campaign)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const imported = await db
    .selectFrom('campaigns')
    .select('snapshot_id')
    .where('name', '=', campaign)
    .executeTakeFirst();
  const coming = run === undefined || run.snapshot_id !== null ? null : await comingManifest(db, run.id);
  return { campaign, run: run ?? null, snapshotId: coming ?? imported?.snapshot_id ?? null, whole: true };
}

const importedIn = prepared<{ runId: number }, { snapshot_id: number; options: string }>((db, p) =>
  db
    .selectFrom('submissions')
    .select(['snapshot_id', 'options'])
    .where('run_id', '=', p.runId)
    .where('imported_at', 'is not', null)
    .orderBy('id', 'desc'),
);

/** The manifest that a run shows: a correcting sheet that joined the run doesn't replace the manifest it corrects. */
async function manifestOf(db: Db, run: RunRecord): Promise<number | null> {
  const shown = await shownSnapshot(db, run);
  const taken = await importedIn(db, { runId: run.id });
  const isMain = ({ options }: { options: string }) => !isCorrecting(options);
  if (taken[0]?.snapshot_id !== shown || taken.every((one) => !isMain(one))) return shown;
  return taken.find(isMain)?.snapshot_id ?? shown;
}

function isRun(ref: ViewRef): ref is RunRef {
  return ref.number !== null;
}

/** For a run that has imported nothing yet: what it is about to import, unless that is a correcting sheet. */
async function comingManifest(db: Db, runId: number): Promise<number | null> {
  const pending = await db
    .selectFrom('submissions')
    .select(['snapshot_id', 'options'])
    .where('run_id', '=', runId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (pending === undefined) return null;
  return isCorrecting(pending.options) ? null : pending.snapshot_id;
}

/** How many entries a manifest has, and how many rows name it as their manifest. */
const sizesOf = preparedFirst<{ snapshotId: number }, { entries: number; total: number | null }>((db, p) =>
  db
    .selectFrom('snapshots')
    .select((eb) => [
      'snapshots.entries',
      eb
        .selectFrom('row_counts')
        .select((e) => e.fn.sum<number | null>('row_counts.rows').as('n'))
        .where('row_counts.snapshot_id', '=', p.snapshotId)
        .$asScalar()
        .as('total'),
    ])
    .where('snapshots.id', '=', p.snapshotId),
);

/**
 * The imported rows of a view, as queries that an index answers. Almost always every row of the manifest names it as
 * its manifest. If another manifest has taken some of them, they are compared by their identity.
 */
export async function rowsOf(db: Db, view: View) {
  const { campaign, snapshotId } = view;
  if (snapshotId === null) return [];
  const rows = db.selectFrom('rows');
  const sizes = await sizesOf(db, { snapshotId });
  const own =
    Number(sizes?.total) === sizes?.entries
      ? rows.where('rows.snapshot_id', '=', snapshotId)
      : rows.where('rows.campaign', '=', campaign).where(isIn(snapshotId));
  return [own, ...otherRows(db, view)];
}

/** Rows of a view that its manifest doesn't have. */
export function otherRows(db: Db, { campaign, run, snapshotId, whole }: View) {
  if (snapshotId === null) return [];
  return whole || run === null ? [vanishedRows(db, campaign, snapshotId)] : rowsNotInManifest(db, run, snapshotId);
}
