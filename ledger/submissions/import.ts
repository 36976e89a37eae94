import { cancelGated } from '../operator/cancel';
import { createChannelUpsert } from '../channels/channels';
import { adoptUnfollowed } from '../runs/unfollowed-rows';
import { isFirings, type SubmissionOptions, takenByTrial } from './repeated-trial';
import { moveRow } from '../rows/rows';
import { readRun } from '../runs/read-run';
import { readEntries, settingsOf } from '../rows/snapshots';
import { PAGE_ROWS, type Store, type Tx, yieldToEventLoop } from '../engine/store';
import { BY_PERSON, BY_PRUNE, PRUNED } from '../model/cancel-asked';
import { type RunRef } from '../model/types';
import { PRUNABLE, rowsToPrune } from './correction';
import { importEntries, type PageContext, type Submission } from './import-rows';

/**
 * Imports one page of the campaign's oldest submission that isn't imported; null if there is none, or another run has
 * taken over the campaign.
 */
async function importPage(store: Store, ref: RunRef): Promise<number | null> {
  return store.write(async (tx) => {
    const run = await readRun(tx, ref);
    const submission = await tx
      .selectFrom('submissions')
      .selectAll()
      .where('campaign', '=', ref.campaign)
      .where('imported_at', 'is', null)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!submission || run.open === 0) return null;
    const options = JSON.parse(submission.options) as SubmissionOptions;
    const context: PageContext = {
      tx,
      now: store.now(),
      run,
      submission,
      options,
      keys: options.select?.keys ? new Set(options.select.keys) : null,
      settings: await settingsOf(store, tx, submission.snapshot_id),
      channelOf: createChannelUpsert(),
      rows: [],
      places: [],
      toSend: [],
    };
    if (submission.progress === 0) submission.selected = await takenBefore(tx, submission, options);
    const page = await readEntries(tx, submission.snapshot_id, submission.progress);
    const last = page.at(-1);
    if (!last) return pruneOrEnd(context);
    await importEntries(context, page);
    const progress = { progress: last.entry.position + 1, selected: context.submission.selected };
    await tx.updateTable('submissions').set(progress).where('id', '=', submission.id).execute();
    return page.length;
  });
}

/** A trial that is submitted again continues with the rows it has. */
async function takenBefore(tx: Tx, submission: Submission, { select }: SubmissionOptions): Promise<number> {
  if (select?.limit === undefined || (await isFirings(tx, submission.id))) return 0;
  const { hash } = await tx
    .selectFrom('snapshots')
    .select('hash')
    .where('id', '=', submission.snapshot_id)
    .executeTakeFirstOrThrow();
  return takenByTrial(tx, { campaign: submission.campaign, hash, select, before: submission.id });
}

/**
 * Updates the campaign's rows from the submissions that aren't imported yet, oldest first, page by page. Idempotent;
 * safe to repeat.
 */
export async function importSubmissions(
  store: Store,
  run: RunRef,
  { onPage }: { onPage?: (rows: number) => void } = {},
): Promise<{ imported: number }> {
  let imported = 0;
  for (;;) {
    const rows = await importPage(store, run);
    if (rows === null) break;
    imported += rows;
    onPage?.(imported);
    await yieldToEventLoop();
  }
  await cancelGated(store, run);
  return { imported };
}

/** More rows than can be created at a time. */
const MOST_CREATING = 100_000;

/** After the last entry: cancels what is to be pruned, a page at a time, then ends the import. */
async function pruneOrEnd({ tx, now, run, submission, options }: PageContext): Promise<number> {
  if (options.vanished === 'prune') {
    const gone = await rowsToPrune(tx, submission, { states: PRUNABLE, limit: PAGE_ROWS });
    for (const row of gone) {
      await moveRow(tx, row, 'cancelled', now, { ...PRUNED, run_id: run.id });
    }
    if (gone.length > 0) return 0;
    const creating = await rowsToPrune(tx, submission, { states: ['creating'], limit: MOST_CREATING });
    for (let from = 0; from < creating.length; from += PAGE_ROWS) {
      const ids = creating.slice(from, from + PAGE_ROWS).map(({ id }) => id);
      await tx
        .updateTable('rows')
        .set({ cancel_asked: BY_PRUNE })
        .where('id', 'in', ids)
        .where('cancel_asked', '!=', BY_PERSON)
        .execute();
    }
  }
  await adoptUnfollowed(tx, run);
  await tx.updateTable('submissions').set({ imported_at: now }).where('id', '=', submission.id).execute();
  await tx.updateTable('runs').set({ snapshot_id: submission.snapshot_id }).where('id', '=', run.id).execute();
  if (options.correcting === true) return 0;
  await tx
    .updateTable('campaigns')
    .set({ snapshot_id: submission.snapshot_id })
    .where('name', '=', run.campaign)
    .execute();
  return 0;
}
