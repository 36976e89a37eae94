import { uncancel } from '../operator/cancel';
import { type Plan, type StoredEntry, type SubmissionInput, type SubmissionResult } from '../model/submission-types';
import { LedgerStateError, SubmissionRefusedError } from '../model/errors';
import { type Correction, correctionOf, isEarlierVersion, leavesPruned } from './correction';
import { noteSubmission, submissionOfFiring } from './firing-submission';
import { importPending, notImported, pendingRun } from './pending-import';
import { newestSubmission, submittedElsewhere } from './pending-sources';
import { mergeEdits } from './merged-edits';
import { noteLeftOut } from './left-out-rows';
import { type ReplacedRows, setReplacedAside } from './replaced-rows';
import { Planner } from './planning';
import { withKeysOfRows } from './same-source';
import { numberRun } from '../runs/begin-run';
import {
  dropAbandoned,
  dropSnapshot,
  findSnapshot,
  openSnapshot,
  pagesOf,
  readEntries,
  writeEntries,
} from '../rows/snapshots';
import { type Db, type Store, type Tx, yieldToEventLoop } from '../engine/store';
import { type SubmissionOptions } from './repeated-trial';

export interface Submissions {
  /**
   * What a submit would do, row by row; writes nothing. Rows of earlier submissions that are not imported yet are
   * missing from it; a warning says so.
   */
  plan: (input: SubmissionInput) => Promise<Plan>;
  /**
   * Accepts a manifest: stores its snapshot (pages of at most 500 entries a transaction), joins the campaign's open run or
   * numbers a new one. Rows themselves change in `importSubmissions`: the submit does that only for earlier submissions,
   * since it compares the manifest with the campaign's rows.
   * @throws SubmissionRefusedError with every problem the plan has
   */
  submit: (input: SubmissionInput) => Promise<SubmissionResult>;
}

export function createSubmissions(store: Store): Submissions {
  /** Plans from what is stored. */
  async function planFrom(input: SubmissionInput, snapshotId: number): Promise<Planned> {
    const planner = new Planner(store.db, input, 'problems');
    for (let from = 0; ;) {
      const page = await readEntries(store.db, snapshotId, from);
      const last = page.at(-1);
      if (!last) break;
      await planner.feed(page);
      from = last.entry.position + 1;
      await yieldToEventLoop();
    }
    return finished(planner, input);
  }

  /** Stores the entries, and plans with each page while it is in memory. */
  async function storeAndPlan(input: SubmissionInput): Promise<Planned & { snapshotId: number }> {
    const snapshotId = await openSnapshot(store, input);
    const planner = new Planner(store.db, input, 'problems');
    try {
      for await (const page of entriesOf(store.db, input)) {
        await writeEntries(store, snapshotId, page);
        await yieldToEventLoop();
        await planner.feed(page);
      }
      return { snapshotId, ...(await finished(planner, input)) };
    } catch (error) {
      await dropSnapshot(store, snapshotId);
      throw error;
    }
  }

  async function finished(planner: Planner, input: SubmissionInput): Promise<Planned> {
    const plan = await planner.finish(await isEarlierVersion(store.db, input));
    const correcting = await correctionOf(store.db, input, planner.extent);
    return { plan, correcting, replaced: planner.replaced };
  }

  return {
    plan: async (input) => {
      checkName(input.campaign);
      const planner = new Planner(store.db, input);
      for await (const page of entriesOf(store.db, input)) await planner.feed(page);
      const plan = await planner.finish(await isEarlierVersion(store.db, input), store.now());
      const pending = await pendingRun(store.db, input.campaign);
      return pending ? { ...plan, problems: [...plan.problems, notImported()] } : plan;
    },

    submit: async (input) => {
      checkName(input.campaign);
      await dropAbandoned(store);
      let seen = await seenSoFar(store.db, input.campaign);
      await importPending(store, input.campaign);
      const known = await findSnapshot(store.db, input);
      const first =
        known === null ? await storeAndPlan(input) : { snapshotId: known, ...(await planFrom(input, known)) };
      const { snapshotId } = first;
      let { plan, correcting, replaced } = first;
      // If another submission is accepted between this plan and its acceptance, the plan is stale: plan again.
      for (;;) {
        if (plan.problems.some((problem) => problem.severity === 'error')) {
          if (known === null) await dropSnapshot(store, snapshotId);
          throw new SubmissionRefusedError(input.campaign, plan.problems);
        }
        const accepted = await store.write((tx) =>
          accept(tx, input, { snapshotId, seen, correcting, replaced, now: store.now() }),
        );
        if (accepted) return { ...accepted, warnings: plan.problems };
        seen = await seenSoFar(store.db, input.campaign);
        await importPending(store, input.campaign);
        ({ plan, correcting, replaced } = await planFrom(input, snapshotId));
      }
    },
  };
}

/** Pages of the manifest's entries, each with the key of its row, and with what was edited in it. */
async function* entriesOf(
  db: Db,
  { campaign, entries, rekey }: SubmissionInput,
): AsyncGenerator<readonly StoredEntry[]> {
  for await (const page of pagesOf(entries))
    yield await mergeEdits(db, campaign, rekey === true ? page : await withKeysOfRows(db, campaign, page));
}

interface Planned {
  plan: Plan;
  correcting: Correction;
  replaced: ReplacedRows;
}

/** The data of a submission within its transaction. */
type Accepted = Omit<SubmissionResult, 'warnings'>;

async function accept(
  tx: Tx,
  input: SubmissionInput,
  {
    snapshotId,
    seen,
    correcting,
    replaced,
    now,
  }: Omit<Planned, 'plan'> & { snapshotId: number; seen: Seen; now: number },
): Promise<Accepted | null> {
  const fired = input.firing === undefined ? null : await submissionOfFiring(tx, input.firing);
  if (fired) return fired;
  const once = input.snapshot.settings.repeat !== 'allow';
  if (once && (await submittedElsewhere(tx, input.campaign, seen.newest))) return null;
  if (!(await setReplacedAside(tx, replaced, now))) return null;
  await tx
    .insertInto('campaigns')
    .values({ name: input.campaign, version: 0, last_run: 0, snapshot_id: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const bumped = await tx
    .updateTable('campaigns')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('name', '=', input.campaign)
    .where('version', '=', seen.version)
    .executeTakeFirstOrThrow();
  if (bumped.numUpdatedRows !== 1n) return null;
  const repeated = await wasSubmitted(tx, input.campaign, input.snapshot.hash);
  const { entries } = await tx
    .selectFrom('entries')
    .select((eb) => eb.fn.countAll<number | string>().as('entries'))
    .where('snapshot_id', '=', snapshotId)
    .executeTakeFirstOrThrow();
  // Written once: the snapshot's row holds the whole file, and every update would rewrite it.
  await tx
    .updateTable('snapshots')
    .set({ complete: 1, entries: Number(entries) })
    .where('id', '=', snapshotId)
    .where('complete', '=', 0)
    .execute();
  const open = await tx
    .selectFrom('runs')
    .selectAll()
    .where('campaign', '=', input.campaign)
    .where('open', '=', 1)
    .executeTakeFirst();
  const run = open ?? (await numberRun(tx, input.campaign, { by: input.by, now }));
  const ref = { campaign: input.campaign, number: run.number };
  // Submitting again after a cancel means that the campaign should continue.
  await uncancel(tx, ref);
  const options: SubmissionOptions = {
    select: input.select ?? null,
    ...(input.take === true ? { take: true } : {}),
    vanished: input.vanished ?? 'refuse',
    ...(input.recreate === true ? { recreate: true } : {}),
    ...(input.cancelled === 'leave' ? { leaveCancelled: true } : {}),
    ...(leavesPruned(input) ? { leavePruned: true } : {}),
    ...(input.cancelled === 'send' ? { sendCancelled: true } : {}),
    ...(correcting === null ? {} : { correcting: true }),
    ...(correcting === 'rejected' ? { rejectedSheet: true } : {}),
    ...(input.given === undefined ? {} : { given: input.given }),
    ...(input.config === undefined ? {} : { config: input.config }),
    ...(input.configured === undefined ? {} : { configured: input.configured }),
    ...(input.filesHost === undefined ? {} : { filesHost: input.filesHost }),
  };
  const made = await tx
    .insertInto('submissions')
    .values({
      campaign: input.campaign,
      snapshot_id: snapshotId,
      run_id: run.id,
      options: JSON.stringify(options),
      by: input.by,
      at: now,
      progress: 0,
      selected: 0,
      imported_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await noteLeftOut(tx, made.id, input.leftOut ?? []);
  if (input.firing !== undefined) {
    const { fileHash } = input.snapshot;
    const note = input.firingNote ?? null;
    await noteSubmission(tx, input.firing, { submission: made.id, run: ref, manifestHash: fileHash, note });
  }
  return { submission: made.id, run: ref, attached: open !== undefined, startedBy: run.started_by, repeated };
}

/** The versions that a plan is based on: the campaign's version, and the newest submission of the ledger (its id). */
interface Seen {
  version: number;
  newest: number;
}

async function seenSoFar(db: Db, campaign: string): Promise<Seen> {
  const found = await db.selectFrom('campaigns').select('version').where('name', '=', campaign).executeTakeFirst();
  return { version: found?.version ?? 0, newest: await newestSubmission(db) };
}

async function wasSubmitted(db: Db, campaign: string, hash: string): Promise<boolean> {
  const found = await db
    .selectFrom('submissions')
    .innerJoin('snapshots', 'snapshots.id', 'submissions.snapshot_id')
    .select('submissions.id')
    .where('submissions.campaign', '=', campaign)
    .where('snapshots.hash', '=', hash)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function checkName(campaign: string): void {
  if (/^[a-z0-9._-]{1,100}$/.test(campaign)) return;
  throw new LedgerStateError(
    `a campaign’s name has 1 to 100 of the characters a-z, 0-9, dot, underscore and hyphen; this one doesn’t: ${campaign.slice(0, 100)}`,
  );
}
