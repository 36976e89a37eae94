import { type Decision, type StoredEntry } from '../model/submission-types';
import { BY_PERSON, BY_SKIP, NOT_ASKED, SKIPPED } from '../model/cancel-asked';
import { decide } from '../model/converge';
import { HELD_UNTIL } from '../channels/channels';
import { rowLabel, shortMessage } from '../model/labels';
import { noteReplaced } from './drafts';
import { insertRows, type MovedPlace, movePlaces, type NewRow, startIn } from '../rows/row-pages';
import { findElsewhere, findRows, type FoundRow, identityOf, meantEntry } from '../rows/row-lookup';
import { moveRow, patchRow, RESET_FOR_RETRY, type RowPatch } from '../rows/rows';
import { OPEN_STATES } from '../runs/open-rows';
import { type RunRecord } from '../runs/read-run';
import { sourceHash } from '../model/source';
import { type Tx } from '../engine/store';
import { askAboutUnowned } from './unowned-publications';
import { type SubmissionOptions } from './repeated-trial';
import { type Tables } from '../engine/tables';
import { type CampaignSettings, type Entry } from '../model/types';

export type Submission = Omit<Tables['submissions'], 'id'> & { id: number };

export interface PageContext {
  tx: Tx;
  now: number;
  run: RunRecord;
  submission: Submission;
  options: SubmissionOptions;
  settings: CampaignSettings;
  /** The keys of a trial. */
  keys: ReadonlySet<string> | null;
  channelOf: (tx: Tx, entry: Entry) => Promise<number>;
  /** Written at the end of the page, all at once. */
  rows: NewRow[];
  places: MovedPlace[];
  /** The entries of the rows that are to be sent, as far as they are new or their values are. */
  toSend: StoredEntry[];
}

type RowPlace = Pick<Tables['rows'], 'snapshot_id' | 'position' | 'line'>;

export async function importEntries(context: PageContext, page: readonly StoredEntry[]): Promise<void> {
  const { tx, run, settings } = context;
  const rows = await findRows(tx, run.campaign, page);
  const elsewhere = settings.repeat === 'allow' ? [] : await findElsewhere(tx, run.campaign, page);
  for (const [at, stored] of page.entries()) {
    const found = rows[at] ?? null;
    const entry = meantEntry(stored, found);
    const options = {
      acceptDifferences: true,
      recreate: context.options.recreate === true,
      leaveCancelled: context.options.leaveCancelled === true,
      leavePruned: context.options.leavePruned === true,
      repeat: settings.repeat,
      elsewhere: elsewhere[at]?.place ?? null,
    };
    const decision = decide(found, entry, options);
    if (found) await importKnown(context, entry, found, decision, stored.text === found.replaced);
    else await importNew(context, entry, decision);
    if (isSentAnew(decision, entry, found)) context.toSend.push({ ...stored, entry });
  }
  await insertRows(tx, context.rows);
  await askAboutUnowned(tx, run.campaign, context.toSend, context.now);
  await movePlaces(tx, context.places, context.submission.snapshot_id);
}

/**
 * The row gets values that it didn't have when the ledger was reconciled. An unsent row is compared by its title then:
 * another change doesn't repeat a question that a person may have answered.
 */
function isSentAnew({ action }: Decision, entry: Entry, found: FoundRow | null): boolean {
  if (action === 'update') return found?.values.title !== entry.values.title;
  return action === 'create' || action === 'attempt' || action === 'recreate';
}

async function importNew(context: PageContext, entry: Entry, decision: Decision): Promise<void> {
  const { tx, now } = context;
  const selected = decision.action === 'create' && takes(context, entry, null);
  const accepted = acceptedValues(context, entry);
  const identity = identityOf(entry);
  const first = firstState(decision, selected && accepted.ready_at > now, now);
  // Written out: spreading objects of this size for every row takes longer than inserting it.
  context.rows.push({
    campaign: context.run.campaign,
    account: identity.account,
    profile_id: identity.profileId,
    platform: identity.platform,
    key: entry.key,
    channel_id: await context.channelOf(tx, entry),
    source_hash: accepted.source_hash,
    snapshot_id: context.submission.snapshot_id,
    position: entry.position,
    line: entry.line,
    entry_snapshot: accepted.entry_snapshot,
    entry_position: accepted.entry_position,
    accepted_at: accepted.accepted_at,
    label: accepted.label,
    upload: accepted.upload,
    publish_at: accepted.publish_at,
    ready_at: accepted.ready_at,
    run_id: selected ? context.run.id : null,
    state: first.state,
    code: first.code,
    message: first.message,
    ended_at: first.ended_at,
  });
}

/** The state of a new row. */
function firstState(decision: Decision, waits: boolean, now: number) {
  if (decision.action === 'skip') return startIn('cancelled', now, SKIPPED);
  if (decision.action === 'refuse') return startIn('cancelled', now, refusal(decision));
  return startIn(waits ? 'waiting' : 'planned', now);
}

/**
 * `corrected`: the manifest has the values that a sheet has corrected since. The row still belongs to that sheet, with
 * its values.
 */
async function importKnown(
  context: PageContext,
  entry: Entry,
  found: FoundRow,
  decision: Decision,
  corrected: boolean,
): Promise<void> {
  const { tx, now } = context;
  const place: Partial<RowPlace> = corrected
    ? {}
    : { snapshot_id: context.submission.snapshot_id, position: entry.position, line: entry.line };
  const takePlace = corrected ? () => undefined : notePlace;
  if (!corrected && CHANGES.includes(decision.action)) await noteReplacedValues(context, found);
  const row = { id: found.id, state: found.state, key: entry.key, line: entry.line };
  switch (decision.action) {
    case 'skip':
      await patchRow(tx, row.id, place);
      await moveRow(tx, row, 'cancelled', now, { ...SKIPPED, run_id: null });
      return;
    case 'continue': {
      const selected = takes(context, entry, found);
      const { label, ready_at } = continued(entry, found);
      const run_id = selected ? context.run.id : null;
      await schedule(tx, row, selected && ready_at > now, now);
      if (isHeldAs(found, { run_id, ready_at })) takePlace(context, entry, found, label);
      else await patchRow(tx, row.id, { ...CLEAR_REASON, ...place, label, ready_at, run_id });
      return;
    }
    case 'update':
    case 'attempt':
    case 'recreate': {
      const selected = takes(context, entry, found);
      const { entry_snapshot, entry_position, ...accepted } = acceptedValues(context, entry);
      const values = corrected ? accepted : { ...accepted, entry_snapshot, entry_position };
      const clean = decision.action === 'update' ? CLEAR_REASON : RESET_FOR_RETRY;
      if (found.state === 'drafted') await noteReplaced(tx, row.id, context.submission.by, now);
      const run_id = selected ? context.run.id : null;
      await patchRow(tx, row.id, { ...clean, ...place, ...values, run_id });
      await schedule(tx, row, selected && values.ready_at > now, now);
      return;
    }
    case 'patch':
      // The row keeps the values that the service has until the service has accepted the change.
      takePlace(context, entry, found, rowLabel({ ...entry, values: found.values }));
      return;
    case 'create':
    case 'leave':
    case 'too-late':
    case 'differs':
    case 'refuse':
    case 'prune':
    case 'keep':
      // A row that stays cancelled because its source was published elsewhere shows that as the reason, not why it was
      // cancelled before.
      if (decision.action === 'refuse' && found.state === 'cancelled') {
        await patchRow(tx, row.id, reasonOf(decision));
      }
      // The row keeps the values it was accepted with; only its position in the manifest is new.
      takePlace(context, entry, found, rowLabel({ ...entry, values: found.values }));
      // A late answer may have revived a row of a run that has ended: this run follows it.
      if (OPEN_STATES.includes(found.state) && !found.runOpen) await patchRow(tx, row.id, { run_id: context.run.id });
      // If its create turns out not to have happened, it is tried again only if the newest manifest wants it.
      if (found.state === 'creating' || found.state === 'processing') await askManifest(context, entry, found);
      return;
  }
}

async function askManifest({ tx, options }: PageContext, entry: Entry, { id, cancelAsked }: FoundRow): Promise<void> {
  const isKept = cancelAsked === BY_PERSON && options.sendCancelled !== true;
  const asked = isKept ? BY_PERSON : entry.skip ? BY_SKIP : NOT_ASKED;
  if (cancelAsked !== asked) await patchRow(tx, id, { cancel_asked: asked });
}

/** Whether an unsent row already has the right values, apart from its position. */
function isHeldAs(found: FoundRow, wanted: { run_id: number | null; ready_at: number }): boolean {
  const unheld = found.code === null && found.message === null && found.column === null;
  return unheld && found.runId === wanted.run_id && found.readyAt === wanted.ready_at;
}

/** Actions that give a row other values, now or if its create turns out not to have happened. */
const CHANGES: readonly Decision['action'][] = ['update', 'attempt', 'recreate', 'patch', 'too-late', 'differs'];

/**
 * The values that a correcting sheet replaces are stored as long as the main manifest still has them; a new value in
 * the manifest counts again.
 */
async function noteReplacedValues({ tx, options }: PageContext, found: FoundRow): Promise<void> {
  if (options.correcting !== true && found.replaced === null) return;
  const replaced_values = options.correcting === true ? (found.replaced ?? JSON.stringify(found.values)) : null;
  await patchRow(tx, found.id, { replaced_values });
}

/** Remembers a row's new position, to be written with the others of the page; does nothing if the row already has it. */
function notePlace(context: PageContext, entry: Entry, found: FoundRow, label: string): void {
  const { position, line } = entry;
  const stays = found.position === position && found.line === line && found.label === label;
  if (stays && found.snapshotId === context.submission.snapshot_id) return;
  context.places.push({ id: found.id, position, line, label });
}

const CLEAR_REASON: RowPatch = { code: null, message: null, column_name: null };

function refusal(decision: Decision): RowPatch {
  return { ...reasonOf(decision), run_id: null };
}

function reasonOf({ problem }: Decision) {
  return { code: problem?.code ?? 'refused', message: shortMessage(problem?.message) };
}

/** Before its create, a row is `waiting` until its time comes, otherwise `planned`. */
async function schedule(tx: Tx, row: Parameters<typeof moveRow>[1], waits: boolean, now: number): Promise<void> {
  const to = waits ? 'waiting' : 'planned';
  if (row.state === to) return;
  if (row.state !== 'planned' && to === 'waiting') await moveRow(tx, row, 'planned', now);
  const between = to === 'waiting' ? { ...row, state: 'planned' as const } : row;
  await moveRow(tx, between, to, now);
}

/** Whether a trial takes the row; a row that an open run already processes is not released. */
function takes(context: PageContext, entry: Entry, found: FoundRow | null): boolean {
  if (found?.held) return true;
  const { select } = context.options;
  if (context.keys && !context.keys.has(entry.key)) return false;
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

/** Unchanged values keep their back-off; a row that was held as late is tried again under the current settings. */
function continued(entry: Entry, found: FoundRow) {
  const publishAt = entry.values.publishAt === null ? 0 : Date.parse(entry.values.publishAt);
  return { label: rowLabel(entry), ready_at: found.readyAt === HELD_UNTIL ? publishAt : found.readyAt };
}
