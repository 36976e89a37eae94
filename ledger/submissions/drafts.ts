import { gateScope } from '../runs/gates';
import { valuesAt } from '../rows/accepted';
import { noteDecision } from '../rows/decisions';
import { type FieldChange } from '../model/submission-types';
import { draftPatch } from '../model/draft-rules';
import { rowLabel, shortMessage } from '../model/labels';
import { moveRow, patchRow, readRow } from '../rows/rows';
import { readRun } from '../runs/read-run';
import { settingsOf } from '../rows/snapshots';
import { PATCH_PENDING, PATCH_REFUSED } from '../model/states';
import { type Db, type Store, type Tx } from '../engine/store';
import { type SubmissionOptions } from './repeated-trial';
import { type RowValues, type RunRef } from '../model/types';

/** A draft that the newest manifest changes. */
export interface DraftChange {
  rowId: number;
  account: string;
  publicationId: string;
  line: number;
  key: string;
  changes: readonly FieldChange[];
}

/**
 * Drafts of a run's campaign whose accepted values differ from those of its newest manifest in a way that PATCH can
 * apply.
 */
export async function draftChanges(store: Store, ref: RunRef): Promise<DraftChange[]> {
  const run = await readRun(store.db, ref);
  if (run.snapshot_id === null) return [];
  const rows = await store.db
    .selectFrom('rows')
    .innerJoin('entries as accepted', (join) =>
      join
        .onRef('accepted.snapshot_id', '=', 'rows.entry_snapshot')
        .onRef('accepted.position', '=', 'rows.entry_position'),
    )
    .innerJoin('entries as newest', (join) =>
      join.onRef('newest.snapshot_id', '=', 'rows.snapshot_id').onRef('newest.position', '=', 'rows.position'),
    )
    .select(['rows.id', 'rows.account', 'rows.publication_id', 'rows.line', 'rows.key', 'newest.skip'])
    .select(['accepted.values as before', 'newest.values as after'])
    .where('rows.campaign', '=', ref.campaign)
    .where('rows.state', '=', 'drafted')
    .where('rows.snapshot_id', '=', run.snapshot_id)
    .where('rows.publication_id', 'is not', null)
    .whereRef('accepted.values', '!=', 'newest.values')
    .orderBy('rows.position')
    .execute();
  if (rows.length === 0) return [];
  const keys = await trialKeys(store, ref.campaign);
  return rows.flatMap((row) => {
    const [before, after] = [JSON.parse(row.before) as RowValues, JSON.parse(row.after) as RowValues];
    const refused = after.status === 'published' && before.status !== 'published';
    const changes = refused || row.skip === 1 ? [] : draftPatch(before, after);
    if (changes.length === 0 || (keys !== null && !keys.includes(row.key))) return [];
    const { id: rowId, account, publication_id, line, key } = row;
    return [{ rowId, account, publicationId: publication_id ?? '', line, key, changes }];
  });
}

/** A trial with keys changes only the drafts of those keys. */
async function trialKeys(store: Store, campaign: string): Promise<readonly string[] | null> {
  const newest = await store.db
    .selectFrom('submissions')
    .select('options')
    .where('campaign', '=', campaign)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { select } = JSON.parse(newest?.options ?? '{"select":null}') as SubmissionOptions;
  return select?.keys ?? null;
}

export type DraftOutcome =
  /** The service has the new values. */
  | { kind: 'changed'; status: string | null }
  /** It refused them, or the draft is gone; the row keeps what it had. */
  | { kind: 'refused'; code: string; message: string }
  /**
   * The service could not be reached, or did not answer. The change is retried until `giveUpAt` (ms), counted from the
   * first attempt.
   */
  | { kind: 'unanswered'; message: string; giveUpAt: number }
  /** It is no longer a draft: the service published it or is doing so. */
  | { kind: 'went-on'; status: string };

/** Records the outcome of a change to a draft. Nothing happens if the row has moved meanwhile. */
export async function recordDraftChange(
  store: Store,
  run: RunRef,
  { rowId, publicationId }: Pick<DraftChange, 'rowId' | 'publicationId'>,
  outcome: DraftOutcome,
): Promise<void> {
  await store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    const now = store.now();
    if (row.state !== 'drafted' || row.publication_id !== publicationId) return;
    switch (outcome.kind) {
      case 'changed': {
        const { snapshot_id: entry_snapshot, position: entry_position } = row;
        const values = await valuesAt(tx, { snapshot: entry_snapshot, position: entry_position });
        const label = rowLabel({ line: row.line, key: row.key, values });
        const status = outcome.status ?? row.status;
        await patchRow(tx, rowId, {
          entry_snapshot,
          entry_position,
          label,
          status,
          code: null,
          message: 'changed at the service',
        });
        // What its publication has, should the row come back to it later.
        await tx
          .updateTable('attempts')
          .set({ entry_snapshot, entry_position })
          .where('row_id', '=', rowId)
          .where('number', '=', row.attempts)
          .execute();
        await noteDecision(tx, { rowId, kind: 'patched', publicationId, by: `${run.campaign}.${run.number}`, at: now });
        return;
      }
      case 'refused':
        await patchRow(tx, rowId, { code: outcome.code, message: shortMessage(outcome.message) });
        return;
      case 'unanswered': {
        // A draft has no deadline while nothing publishes it: the column stores when its change is given up.
        const giveUpAt = row.code === PATCH_PENDING ? (row.deadline ?? outcome.giveUpAt) : outcome.giveUpAt;
        const code = now >= giveUpAt ? PATCH_REFUSED : PATCH_PENDING;
        const message = `${code === PATCH_PENDING ? 'not changed yet' : 'not changed'}: ${outcome.message}`;
        await patchRow(tx, rowId, { code, message: shortMessage(message), deadline: giveUpAt });
        return;
      }
      case 'went-on': {
        const { giveUpAfterMs } = await settingsOf(store, tx, row.entry_snapshot);
        const { id } = await readRun(tx, run);
        await moveRow(tx, row, 'processing', now, {
          status: outcome.status,
          message: 'no longer a draft: the service is publishing it, and it is followed',
          run_id: id,
          deadline: now + giveUpAfterMs,
        });
      }
    }
  });
}

/**
 * Drafts of the run's newest manifest whose change the service has not answered yet; a cancelled run waits for none of
 * them.
 */
export async function pendingDrafts(store: Store, ref: RunRef): Promise<number> {
  const run = await readRun(store.db, ref);
  if (run.snapshot_id === null) return 0;
  const cancelled = await store.db
    .selectFrom('gates')
    .select('since')
    .where('scope', '=', gateScope.run(ref))
    .where('kind', '=', 'cancelled')
    .executeTakeFirst();
  if (cancelled) return 0;
  const { rows } = await store.db
    .selectFrom('rows')
    .select((eb) => eb.fn.countAll<number | string>().as('rows'))
    .where('snapshot_id', '=', run.snapshot_id)
    .where('state', '=', 'drafted')
    .where('code', '=', PATCH_PENDING)
    .executeTakeFirstOrThrow();
  return Number(rows);
}

/** Drafts that no longer need a change (for example because the manifest was changed back) stop waiting for one. */
export async function dropPendingDrafts(store: Store, ref: RunRef, needed: readonly number[]): Promise<void> {
  const run = await readRun(store.db, ref);
  if (run.snapshot_id === null) return;
  const waiting = await store.db
    .selectFrom('rows')
    .select('id')
    .where('snapshot_id', '=', run.snapshot_id)
    .where('state', '=', 'drafted')
    .where('code', '=', PATCH_PENDING)
    .execute();
  const stale = waiting.filter(({ id }) => !needed.includes(id));
  if (stale.length === 0) return;
  await store.write(async (tx) => {
    for (const { id } of stale) await patchRow(tx, id, { code: null, message: null });
  });
}

/** Records that a row's draft is to be replaced by a new publication, before the row's reference to it is cleared. */
export async function noteReplaced(tx: Tx, rowId: number, by: string, at: number): Promise<void> {
  const { publication_id } = await readRow(tx, rowId);
  if (publication_id !== null)
    await noteDecision(tx, { rowId, kind: 'replaced', publicationId: publication_id, by, at });
}

/** Drafts that are to be replaced, or were, and whose records aren't deleted yet; with their rows. */
function undeleted(db: Db) {
  return db
    .selectFrom('decisions')
    .innerJoin('rows', 'rows.id', 'decisions.row_id')
    .where('decisions.kind', '=', 'replaced')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('decisions as done')
            .select('done.row_id')
            .whereRef('done.row_id', '=', 'decisions.row_id')
            .whereRef('done.publication_id', '=', 'decisions.publication_id')
            .where('done.kind', '=', 'deleted'),
        ),
      ),
    );
}

/** Drafts of a row that a new publication replaces, and whose records aren't deleted yet. */
export async function replacedDrafts(store: Store, rowId: number): Promise<string[]> {
  const found = await undeleted(store.db)
    .select('decisions.publication_id as id')
    .where('decisions.row_id', '=', rowId)
    .execute();
  return found.flatMap(({ id }) => (id === null ? [] : [id]));
}

/** Drafts of a campaign whose replacement exists, and whose records aren't deleted yet. */
export async function leftDrafts(
  store: Store,
  campaign: string,
): Promise<{ rowId: number; account: string; publicationId: string }[]> {
  const found = await undeleted(store.db)
    .select(['rows.id', 'rows.account', 'rows.publication_id as own', 'rows.publish_id', 'decisions.publication_id'])
    .where('rows.campaign', '=', campaign)
    .execute();
  return found.flatMap(({ id: rowId, account, own, publish_id, publication_id: publicationId }) => {
    const replaced = (own !== null && own !== publicationId) || publish_id !== null;
    return publicationId === null || !replaced ? [] : [{ rowId, account, publicationId }];
  });
}
