import { cancelGated } from './cancel';
import { decide, type Decision } from './converge';
import { createChannelKeeper, HELD_UNTIL } from './channels';
import { rowLabel, shortMessage } from './labels';
import { adoptOrphans } from './orphans';
import { createRowLookup, type FoundRow, identityOf, type RowLookup } from './row-lookup';
import { CLEAN, moveRow, patchRow, type RowPatch } from './rows';
import { OPEN_STATES, readRun, type RunRecord } from './runs';
import { createEntryReader, settingsOf } from './snapshots';
import { sourceHash } from './source';
import { askAboutStrays } from './strays';
import { breathe, PAGE_ROWS, prepared, type Store, type Tx } from './store';
import { type SubmissionOptions } from './submit';
import { type Tables } from './tables';
import { type CampaignSettings, type Entry, type RunRef } from './types';

type Submission = Omit<Tables['submissions'], 'id'> & { id: number };

interface PageContext {
  tx: Tx;
  now: number;
  run: RunRecord;
  submission: Submission;
  options: SubmissionOptions;
  settings: CampaignSettings;
  channelOf: (tx: Tx, entry: Entry) => Promise<number>;
}

type RowPlace = Pick<Tables['rows'], 'snapshot_id' | 'position' | 'line'>;

export function createImport(store: Store) {
  const lookup: RowLookup = createRowLookup();
  const readEntries = createEntryReader();
  const insertRow = prepared<NewRow, { id: number }>((db, p) =>
    db.insertInto('rows').values(newRow(p)).returning('id'),
  );
  const movePlace = prepared<RowPlace & { id: number; label: string }, unknown>((db, p) =>
    db
      .updateTable('rows')
      .set({ snapshot_id: p.snapshot_id, position: p.position, line: p.line, label: p.label })
      .where('id', '=', p.id),
  );

  /** One page of the campaign's oldest submission that isn't imported; null when there is none, or the run lost its campaign. */
  async function importPage(ref: RunRef): Promise<number | null> {
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
      const context: PageContext = {
        tx,
        now: store.now(),
        run,
        submission,
        options: JSON.parse(submission.options) as SubmissionOptions,
        settings: await settingsOf(store, tx, submission.snapshot_id),
        channelOf: createChannelKeeper(),
      };
      const entries = await readEntries(tx, submission.snapshot_id, submission.progress);
      for (const entry of entries) await importEntry(context, entry);
      const last = entries.at(-1);
      if (last) {
        const progress = { progress: last.position + 1, selected: context.submission.selected };
        await tx.updateTable('submissions').set(progress).where('id', '=', submission.id).execute();
        return entries.length;
      }
      return pruneOrEnd(context);
    });
  }

  async function importEntry(context: PageContext, entry: Entry): Promise<void> {
    const { tx, run, settings } = context;
    const found = await lookup.find(tx, run.campaign, entry);
    const decision = decide(found, entry, {
      acceptDifferences: true,
      repeat: settings.repeat,
      elsewhere: settings.repeat === 'allow' ? null : await lookup.elsewhere(tx, run.campaign, entry),
    });
    if (found) await importKnown(context, entry, found, decision);
    else await importNew(context, entry, decision);
  }

  async function importNew(context: PageContext, entry: Entry, decision: Decision): Promise<void> {
    const { tx, now } = context;
    const selected = decision.action === 'create' && takes(context, entry, null);
    const accepted = acceptedValues(context, entry);
    const [made] = await insertRow(tx, {
      ...accepted,
      ...identityOf(entry),
      campaign: context.run.campaign,
      channel_id: await context.channelOf(tx, entry),
      snapshot_id: context.submission.snapshot_id,
      position: entry.position,
      line: entry.line,
      run_id: selected ? context.run.id : null,
    });
    if (!made) throw new Error('the database gave no id to a new row');
    const row = { id: made.id, state: 'planned' as const, key: entry.key, line: entry.line };
    if (decision.action === 'skip') await moveRow(tx, row, 'cancelled', now, SKIPPED);
    else if (decision.action === 'refuse') await moveRow(tx, row, 'cancelled', now, refusal(decision));
    else if (await askAboutStrays(tx, entry, row, now)) return;
    else if (selected && accepted.ready_at > now) await moveRow(tx, row, 'waiting', now);
  }

  async function importKnown(context: PageContext, entry: Entry, found: FoundRow, decision: Decision): Promise<void> {
    const { tx, now } = context;
    const place: RowPlace = {
      snapshot_id: context.submission.snapshot_id,
      position: entry.position,
      line: entry.line,
    };
    const row = { id: found.id, state: found.state, key: entry.key, line: entry.line };
    switch (decision.action) {
      case 'skip':
        await patchRow(tx, row.id, place);
        await moveRow(tx, row, 'cancelled', now, SKIPPED);
        return;
      case 'update':
      case 'continue':
      case 'attempt':
      case 'recreate': {
        const selected = takes(context, entry, found);
        const values =
          decision.action === 'continue' ? continued(context, entry, found) : acceptedValues(context, entry);
        const clean = decision.action === 'attempt' || decision.action === 'recreate' ? CLEAN : UNHELD;
        const run_id = selected ? context.run.id : null;
        await patchRow(tx, row.id, { ...clean, ...place, ...values, run_id });
        await schedule(tx, row, selected && values.ready_at > now, now);
        return;
      }
      case 'create':
      case 'leave':
      case 'too-late':
      case 'differs':
      case 'refuse':
      case 'prune':
      case 'keep':
        // The row stays as it was accepted; only its place in the manifest is new.
        await movePlace(tx, { ...place, id: row.id, label: rowLabel({ ...entry, values: found.values }) });
        // A late answer may have revived a row of a run that has ended: this run follows it.
        if (OPEN_STATES.includes(found.state) && !found.runOpen) await patchRow(tx, row.id, { run_id: context.run.id });
        // Should its create turn out not to have happened, it isn't to be tried again.
        if (entry.skip && found.state === 'creating') await patchRow(tx, row.id, { cancel_asked: 1 });
        return;
    }
  }

  return {
    /** Brings the campaign's rows to every submission not imported yet, oldest first, page by page. */
    importSubmissions: async (
      run: RunRef,
      options: { onPage?: (rows: number) => void } = {},
    ): Promise<{ imported: number }> => {
      let imported = 0;
      for (;;) {
        const rows = await importPage(run);
        if (rows === null) break;
        imported += rows;
        options.onPage?.(imported);
        await breathe();
      }
      await cancelGated(store, run);
      return { imported };
    },
  };
}

const SKIPPED: RowPatch = { code: 'skip', message: 'the manifest says skip', run_id: null };
const UNHELD: RowPatch = { code: null, message: null, column_name: null };

function refusal({ problem }: Decision): RowPatch {
  return { code: problem?.code ?? 'refused', message: shortMessage(problem?.message), run_id: null };
}

/** A row before its create is `waiting` while its time is to come, `planned` else. */
async function schedule(tx: Tx, row: Parameters<typeof moveRow>[1], waits: boolean, now: number): Promise<void> {
  const to = waits ? 'waiting' : 'planned';
  if (row.state === to) return;
  if (row.state !== 'planned' && to === 'waiting') await moveRow(tx, row, 'planned', now);
  const between = to === 'waiting' ? { ...row, state: 'planned' as const } : row;
  await moveRow(tx, between, to, now);
}

/** Whether a trial takes the row; a row that an open run already works is not given back. */
function takes(context: PageContext, entry: Entry, found: FoundRow | null): boolean {
  if (found?.held) return true;
  const { select } = context.options;
  if (select?.keys && !select.keys.includes(entry.key)) return false;
  if (select?.limit !== undefined && context.submission.selected >= select.limit) return false;
  context.submission.selected++;
  return true;
}

function acceptedValues({ now, submission }: PageContext, entry: Entry) {
  const publishAt = entry.values.publishAt === null ? 0 : Date.parse(entry.values.publishAt);
  return {
    entry_snapshot: submission.snapshot_id,
    entry_position: entry.position,
    accepted_at: now,
    label: rowLabel(entry),
    source_hash: sourceHash(entry.values.source),
    upload: entry.values.sourceKind === 'file' ? 1 : 0,
    publish_at: publishAt,
    ready_at: publishAt,
  };
}

/** Unchanged values keep their back-off; a row that was held as late is tried again under the settings of now. */
function continued(context: PageContext, entry: Entry, found: FoundRow) {
  const publishAt = entry.values.publishAt === null ? 0 : Date.parse(entry.values.publishAt);
  return { label: rowLabel(entry), ready_at: found.readyAt === HELD_UNTIL ? publishAt : found.readyAt };
}

/** After the last entry: cancels what is to be pruned, a page at a time, then ends the import. */
async function pruneOrEnd({ tx, now, run, submission, options }: PageContext): Promise<number> {
  if (options.vanished === 'prune') {
    const gone = await tx
      .selectFrom('rows')
      .select(['id', 'state', 'key', 'line'])
      .where('campaign', '=', run.campaign)
      .where('snapshot_id', '!=', submission.snapshot_id)
      .where('state', 'in', ['planned', 'waiting', 'rejected'])
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    for (const row of gone) {
      await moveRow(tx, row, 'cancelled', now, { code: 'pruned', message: 'the manifest no longer has the row' });
    }
    if (gone.length > 0) return 0;
    await tx
      .updateTable('rows')
      .set({ cancel_asked: 1 })
      .where('campaign', '=', run.campaign)
      .where('snapshot_id', '!=', submission.snapshot_id)
      .where('state', '=', 'creating')
      .execute();
  }
  await adoptOrphans(tx, run);
  await tx.updateTable('submissions').set({ imported_at: now }).where('id', '=', submission.id).execute();
  await tx.updateTable('runs').set({ snapshot_id: submission.snapshot_id }).where('id', '=', run.id).execute();
  await tx
    .updateTable('campaigns')
    .set({ snapshot_id: submission.snapshot_id })
    .where('name', '=', run.campaign)
    .execute();
  return 0;
}

interface NewRow extends ReturnType<typeof acceptedValues>, RowPlace {
  campaign: string;
  account: string;
  profileId: string;
  platform: string;
  key: string;
  channel_id: number;
  run_id: number | null;
}

function newRow(row: NewRow): Omit<Tables['rows'], 'id'> {
  return {
    campaign: row.campaign,
    account: row.account,
    profile_id: row.profileId,
    platform: row.platform,
    key: row.key,
    channel_id: row.channel_id,
    source_hash: row.source_hash,
    snapshot_id: row.snapshot_id,
    position: row.position,
    line: row.line,
    entry_snapshot: row.entry_snapshot,
    entry_position: row.entry_position,
    accepted_at: row.accepted_at,
    label: row.label,
    upload: row.upload,
    publish_at: row.publish_at,
    ready_at: row.ready_at,
    run_id: row.run_id,
    state: 'planned',
    code: null,
    message: null,
    column_name: null,
    attempts: 0,
    sent: 0,
    cancel_asked: 0,
    publication_id: null,
    publish_id: null,
    status: null,
    video_id: null,
    video_url: null,
    privacy: null,
    published_at: null,
    candidates: null,
    created_at: null,
    deadline: null,
    ended_at: null,
  };
}
