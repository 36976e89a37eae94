import { raiseSequence } from '../engine/raise-sequence';
import { gateScope, putGate, setGate } from '../runs/gates';
import { acceptedRows } from '../rows/accepted';
import { attentionRows } from '../queries/attention';
import { noteDecision } from '../rows/decisions';
import { shortMessage } from '../model/labels';
import { followPublication } from '../attempts/settle';
import { moveRow, moveRowBy, patchRow, readRow } from '../rows/rows';
import { sequence, type Safety } from './rollback-guard';
import { type RowState } from '../model/states';
import { yieldToEventLoop, PAGE_ROWS, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type AttentionRow } from '../model/result-types';
import { settingsOf } from '../rows/snapshots';
import { type CampaignSettings, type RowValues } from '../model/types';

/** A publication of the account that no row owns. */
export type UnownedPublication = Omit<Tables['strays'], 'reconciled_at'>;

export interface PossiblySentVerdict {
  rowId: number;
  by: string;
  verdict:
    | { kind: 'adopt'; publicationId: string; status: string }
    | { kind: 'ask'; candidates: readonly string[]; why: string };
}

/**
 * States of a row that may have progressed in the time that the ledger lost; a row that was being created is reconciled
 * as usual.
 */
const SUSPECT: readonly RowState[] = ['planned', 'waiting', 'failed', 'rejected'];

export interface PossiblySentRow extends AttentionRow {
  ambiguous: CampaignSettings['ambiguous'];
}

/** Rows of the account that may have been sent in the time that a rolled-back ledger lost. */
export async function possiblySent(store: Store, account: string): Promise<PossiblySentRow[]> {
  const suspect = () => acceptedRows(store.db).where('rows.account', '=', account).where('rows.state', 'in', SUSPECT);
  const snapshots = await suspect().select(['rows.id', 'rows.entry_snapshot as snapshot']).execute();
  const snapshotOf = new Map(snapshots.map(({ id, snapshot }) => [id, snapshot]));
  const found: PossiblySentRow[] = [];
  for (const row of await attentionRows(store, suspect())) {
    const snapshot = snapshotOf.get(row.rowId);
    const settings = snapshot === undefined ? null : await settingsOf(store, store.db, snapshot);
    found.push({ ...row, ambiguous: settings?.ambiguous ?? 'hold' });
  }
  return found;
}

/**
 * A row that the ledger has as unsent may be published: it either gets the publication that was found, or a person
 * decides.
 */
export async function markPossiblySent(store: Store, { rowId, by, verdict }: PossiblySentVerdict): Promise<RowState> {
  return store.write(async (tx) => {
    const row = await readRow(tx, rowId);
    if (!SUSPECT.includes(row.state)) return row.state;
    const now = store.now();
    const path: RowState[] =
      row.state === 'planned' || row.state === 'waiting' ? ['creating'] : ['planned', 'creating'];
    await moveRowBy(tx, row, path, now, { sent: 1 });
    const creating = { ...row, state: 'creating' as const };
    if (row.run_id === null) await patchRow(tx, row.id, { run_id: await newestRun(tx, row.campaign) });
    if (verdict.kind === 'adopt') {
      const { publicationId, status } = verdict;
      await noteDecision(tx, { rowId, kind: 'reconciled', publicationId, by, at: now });
      return followPublication(store, tx, creating, {
        publicationId,
        status,
        how: 'adopted',
        attempt: undefined,
        now,
      });
    }
    await noteDecision(tx, { rowId, kind: 'reconciled', by, at: now });
    return moveRow(tx, creating, 'unconfirmed', now, {
      code: 'ledger-rolled-back',
      message: shortMessage(`the ledger was rolled back, and this row may have been sent in between: ${verdict.why}`),
      candidates: JSON.stringify(verdict.candidates),
    });
  });
}

/** The beginning of the reason of the pause that holds an account whose list showed a later state of the ledger. */
const ROLLED_BACK = 'ledger-rolled-back';

/** Holds everything of the account until the ledger is reconciled with the service. */
export async function pauseRolledBack(
  store: Store,
  account: string,
  input: { what: string; found: readonly UnownedPublication[] },
): Promise<void> {
  // Recorded, so that a person who knows that they are someone else's and resumes the account isn't asked about them
  // again.
  await keepUnowned(store, input.found, null);
  const gate = { scope: gateScope.account(account), kind: 'paused', by: 'reelay' } as const;
  await setGate(store, { ...gate, reason: reasonOf(input.what) });
}

const EXPECTED = 'expected-sequence';

/**
 * Holds every account if Temporal has seen this ledger at a higher sequence number than it has now: an older copy was
 * restored, whatever the files beside it say. Returns the ledger's own number. The expected one is stored, so that the
 * reconciliation goes beyond it.
 */
export async function holdIfBehind(store: Store, expected: number): Promise<number> {
  const current = await sequence(store);
  if (current >= expected) return current;
  await store.write(async (tx) => {
    const known = await tx.selectFrom('meta').select('value').where('name', '=', EXPECTED).executeTakeFirst();
    const value = String(Math.max(expected, Number(known?.value ?? 0)));
    await tx
      .insertInto('meta')
      .values({ name: EXPECTED, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    const accounts = await tx
      .selectFrom('channels')
      .select('account')
      .union(tx.selectFrom('accounts').select('name as account'))
      .execute();
    for (const { account } of accounts) {
      const reason = reasonOf(`Temporal saw this ledger at number ${expected}, and it is at ${current} now`);
      await putGate(tx, { scope: gateScope.account(account), kind: 'paused', by: 'reelay', reason }, store.now());
    }
  });
  return current;
}

function reasonOf(what: string): string {
  return `${ROLLED_BACK}: ${what}; stop every worker, then reelay ledger reconcile`;
}

/** Accounts that are held for this reason. */
export async function rolledBackAccounts(store: Store): Promise<string[]> {
  const gates = await store.db.selectFrom('gates').select(['scope', 'reason']).where('kind', '=', 'paused').execute();
  const held = gates.filter(
    ({ scope, reason }) => scope.startsWith(gateScope.account('')) && reason.startsWith(ROLLED_BACK),
  );
  return held.map(({ scope }) => scope.slice(gateScope.account('').length));
}

/** The evidence whether publications at the service belong to a later state of the ledger. */
export interface RollbackFacts {
  /** The newest claim on the account, ms since the epoch; null before the first one. */
  lastClaimAt: number | null;
  /** Publications that existed when a run began, before that claim. */
  older: ReadonlySet<string>;
  /** Publications without a row that an earlier reconciliation recorded, or that existed when a run began. */
  seen: ReadonlySet<string>;
}

/** Reads the evidence whether publications at the service belong to a later state of this ledger. */
export async function rollbackFacts(store: Store, account: string): Promise<RollbackFacts> {
  const newest = await store.db
    .selectFrom('attempts')
    .select('claimed_at')
    .where('account', '=', account)
    .orderBy('claimed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const strays = await store.db.selectFrom('strays').select('publication_id').where('account', '=', account).execute();
  const lastClaimAt = newest?.claimed_at ?? null;
  const older = lastClaimAt === null ? [] : await knownBefore(store, account, lastClaimAt);
  return {
    lastClaimAt,
    older: new Set(older),
    seen: new Set([...strays.map((stray) => stray.publication_id), ...older]),
  };
}

/** Each baseline has the account's newest publications at that time; older baselines have mostly the same ones. */
const BASELINES_READ = 20;

/** What the account had when runs began, before this ledger's newest claim: none of it was sent from a later state. */
async function knownBefore(store: Store, account: string, lastClaimAt: number): Promise<string[]> {
  const baselines = await store.db
    .selectFrom('baselines')
    .select(['ids', 'taken_at'])
    .where('account', '=', account)
    .orderBy('run_id', 'desc')
    .limit(BASELINES_READ)
    .execute();
  return baselines
    .filter(({ taken_at }) => Date.parse(taken_at) <= lastClaimAt)
    .flatMap(({ ids }) => (JSON.parse(ids) as string[] | null) ?? []);
}

/** A row that was never claimed, with the facts by which it can be recognised at the service. */
export interface NeverClaimedRow extends Pick<RowValues, 'title' | 'platform' | 'profileId'> {
  /** Its run has sent other rows: the run was in progress when a copy of the ledger was made, if one was made. */
  runBegun: boolean;
}

/** Rows of the account that this ledger has as never sent, in pages. */
export async function* neverClaimed(store: Store, account: string): AsyncGenerator<NeverClaimedRow> {
  const claimed = await store.db
    .selectFrom('rows')
    .select('run_id')
    .distinct()
    .where('account', '=', account)
    .where('attempts', '>', 0)
    .execute();
  const begun = new Set(claimed.map((row) => row.run_id));
  for (let after = 0; ;) {
    const rows = await acceptedRows(store.db)
      .select(['rows.id', 'rows.run_id', 'entries.values'])
      .where('rows.id', '>', after)
      .where('rows.account', '=', account)
      .where('rows.state', 'in', ['planned', 'waiting'])
      .where('rows.attempts', '=', 0)
      .orderBy('rows.id')
      .limit(PAGE_ROWS)
      .execute();
    for (const { values, run_id: run } of rows) {
      yield { ...(JSON.parse(values) as RowValues), runBegun: run !== null && begun.has(run) };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    await yieldToEventLoop();
  }
}

async function newestRun(tx: Store['db'], campaign: string): Promise<number | null> {
  const run = await tx
    .selectFrom('runs')
    .select('id')
    .where('campaign', '=', campaign)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return run?.id ?? null;
}

/** Higher than any number that a workflow of the lost time may have seen. */
const LEAP = 1_000_000;

/**
 * Stores the publications that no row owns, so that rows which are imported later are compared with them; then the
 * ledger continues.
 */
export async function acceptRolledBack(
  store: Store,
  safety: Safety,
  strays: readonly UnownedPublication[],
): Promise<void> {
  await keepUnowned(store, strays, store.now());
  await safety.accept();
  const held = (await rolledBackAccounts(store)).map(gateScope.account);
  await store.write(async (tx) => {
    await tx.deleteFrom('gates').where('scope', 'in', held).where('kind', '=', 'paused').execute();
    const expected = await tx.selectFrom('meta').select('value').where('name', '=', EXPECTED).executeTakeFirst();
    await tx.deleteFrom('meta').where('name', '=', EXPECTED).execute();
    const { value } = await tx.selectFrom('sequence').select('value').executeTakeFirstOrThrow();
    const beyond = Math.max(value, Number(expected?.value ?? 0)) + LEAP;
    await tx.updateTable('sequence').set({ value: beyond }).execute();
    raiseSequence(tx);
  });
}

async function keepUnowned(
  store: Store,
  strays: readonly UnownedPublication[],
  reconciledAt: number | null,
): Promise<void> {
  for (let from = 0; from < strays.length; from += PAGE_ROWS) {
    await store.write(async (tx) => {
      for (const stray of strays.slice(from, from + PAGE_ROWS)) {
        await tx
          .insertInto('strays')
          .values({ ...stray, reconciled_at: reconciledAt })
          .onConflict((conflict) =>
            reconciledAt === null
              ? conflict.doNothing()
              : conflict.columns(['account', 'publication_id']).doUpdateSet({ reconciled_at: reconciledAt }),
          )
          .execute();
      }
    });
    await yieldToEventLoop();
  }
}
