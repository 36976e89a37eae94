import { concerns, gateScope } from '../runs/gates';
import { iso, type Store } from '../engine/store';
import { type RunRef } from '../model/types';

/**
 * `unreachable`: no answer, or 5xx · `throttled`: the service asked to wait · `unusable`: a worker has no account of this
 * name, or no key for it.
 */
export type TroubleKind = 'unreachable' | 'throttled' | 'unusable';

/** Why an account can't be reached, as the worker that met it reports it. Times are ms since the epoch. */
export interface Trouble {
  kind: TroubleKind;
  reason: string;
  since: number;
  /** The time the service asked to wait for; null: it named none. */
  nextAt: number | null;
  /** When an `unusable` one was noticed last. */
  seenAt?: number;
}

export interface AccountTrouble {
  account: string;
  kind: TroubleKind;
  reason: string;
  /** ISO */
  since: string;
  /** ISO */
  nextAt: string | null;
}

/** Stores the newest trouble of an account, or clears it. Trouble that persists keeps the time at which it began. */
export async function noteTrouble(store: Store, account: string, trouble: Trouble | null): Promise<void> {
  const before = await store.db.selectFrom('accounts').select('trouble').where('name', '=', account).executeTakeFirst();
  const known = readTrouble(before?.trouble ?? null);
  if (trouble === null && known === null) return;
  const since =
    trouble !== null && known?.kind === trouble.kind ? Math.min(known.since, trouble.since) : trouble?.since;
  const text = trouble === null ? null : JSON.stringify({ ...trouble, since });
  await store.write((tx) => tx.updateTable('accounts').set({ trouble: text }).where('name', '=', account).execute());
}

/** The troubles of the accounts that a run has rows for. */
export async function accountTroubles(store: Store, run: RunRef): Promise<AccountTrouble[]> {
  const troubled = await store.db
    .selectFrom('accounts')
    .select(['name', 'trouble'])
    .where('trouble', 'is not', null)
    .orderBy('name')
    .execute();
  const found: AccountTrouble[] = [];
  for (const { name, trouble } of troubled) {
    const known = readTrouble(trouble);
    if (known === null || !(await concerns(store.db, run, gateScope.account(name)))) continue;
    if (known.seenAt !== undefined && (await hasSentSince(store, name, known.seenAt - SEEN_EVERY_MS))) continue;
    const { kind, reason, since, nextAt } = known;
    found.push({ account: name, kind, reason, since: iso(since), nextAt: nextAt === null ? null : iso(nextAt) });
  }
  return found;
}

/** How often a worker notes again that it can't use an account, ms. */
export const SEEN_EVERY_MS = 60_000;

/** Whether a worker that can use the account has claimed a row of it since. */
async function hasSentSince(store: Store, account: string, since: number): Promise<boolean> {
  const found = await store.db
    .selectFrom('attempts')
    .select('number')
    .where('account', '=', account)
    .where('claimed_at', '>', since)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function readTrouble(text: string | null): Trouble | null {
  return text === null ? null : (JSON.parse(text) as Trouble);
}
