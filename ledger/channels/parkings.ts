import { gateScope, putGate } from '../runs/gates';
import { noteChange } from '../runs/changes';
import { readRun } from '../runs/read-run';
import { iso, prepared, type Store, type Tx } from '../engine/store';
import { type RunRef } from '../model/types';

/** What is parked, and what a read of the service has to show before it is opened again. */
export interface Parking {
  scope: string;
  account: string;
  /** Null: the whole account is parked. */
  channel: { profileId: string | null; platform: string; label: string } | null;
  /** ms since the epoch */
  parkedAt: number;
  /** The channel's connection as first read after it was parked; null: not read yet. */
  connected: string | null;
}

/** If a scope is parked again within this time after a probe opened it, it is probed less often than before. */
const AGAIN_MS = 60 * 60_000;

/** Parks a channel (with its id) or an account, unless it is parked already. */
export async function park(
  tx: Tx,
  input: { account: string; channel: { id: number; text_id: string } | null; reason: string },
  now: number,
): Promise<void> {
  const scope = input.channel === null ? gateScope.account(input.account) : gateScope.channel(input.channel.text_id);
  const parked = await tx
    .selectFrom('gates')
    .select('since')
    .where('scope', '=', scope)
    .where('kind', '=', 'parked')
    .executeTakeFirst();
  if (parked) return;
  await putGate(tx, { scope, kind: 'parked', by: 'reelay', reason: input.reason }, now);
  const before = await tx.selectFrom('parkings').selectAll().where('scope', '=', scope).executeTakeFirst();
  const openedAt = before?.opened_at ?? null;
  const again = openedAt !== null && now - openedAt < AGAIN_MS;
  const values = {
    account: input.account,
    channel_id: input.channel?.id ?? null,
    parked_at: now,
    connected: null,
    probes: again ? (before?.probes ?? 0) : 0,
    next_probe_at: 0,
    opened_at: null,
  };
  await tx
    .insertInto('parkings')
    .values({ scope, ...values })
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(values))
    .execute();
}

/** Parks an account for a refusal that was met outside a create. */
export async function parkAccount(store: Store, input: { account: string; reason: string }): Promise<void> {
  await store.write((tx) => park(tx, { ...input, channel: null }, store.now()));
}

/**
 * Whether an account was parked and a person resumed it at `since` (ms since the epoch) or later, which confirms that
 * its rows may be sent.
 */
export async function wasResumed(store: Store, account: string, since: number): Promise<boolean> {
  const scope = gateScope.account(account);
  const found = await store.db
    .selectFrom('parkings')
    .innerJoin('changes', (join) => join.onRef('changes.at', '>=', 'parkings.parked_at'))
    .select('changes.id')
    .where('parkings.scope', '=', scope)
    .where('parkings.opened_at', 'is', null)
    .where('changes.what', '=', 'resume')
    .where('changes.at', '>=', since)
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom('gates').select('since').where('gates.scope', '=', scope).where('kind', '=', 'parked')),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * The parked scopes of a run that are due for a probe now. A probe is taken by only one worker; the next is due after a
 * wait that doubles each time.
 */
export async function takeProbes(
  store: Store,
  input: { run: RunRef; now: number; everyMs: number; mostMs: number },
): Promise<Parking[]> {
  const { run: ref, now, everyMs, mostMs } = input;
  // Almost always nothing is parked.
  if ((await due(store.db, { now })).length === 0) return [];
  const run = await readRun(store.db, ref);
  return store.write(async (tx) => {
    const taken: Parking[] = [];
    for (const one of await due(tx, { now })) {
      const waitAfter = (probes: number) => Math.min(everyMs * 2 ** Math.min(probes, 20), mostMs);
      // A key is probed for the first time after a wait, a channel at once: later probes are compared with the
      // connection that this first one shows.
      const first = one.channel_id !== null && one.probes === 0 ? 0 : waitAfter(one.probes);
      if (one.next_probe_at === 0 && one.parked_at + first > now) continue;
      const open = await tx
        .selectFrom('rows')
        .select('id')
        .where('run_id', '=', run.id)
        .where('state', 'in', ['planned', 'waiting'])
        .where((eb) =>
          one.channel_id === null ? eb('account', '=', one.account) : eb('channel_id', '=', one.channel_id),
        )
        .limit(1)
        .executeTakeFirst();
      if (!open) continue;
      const next = { probes: one.probes + 1, next_probe_at: now + waitAfter(one.probes) };
      await tx.updateTable('parkings').set(next).where('scope', '=', one.scope).execute();
      taken.push({
        scope: one.scope,
        account: one.account,
        channel:
          one.platform === null
            ? null
            : {
                profileId: one.profile_id === '' ? null : one.profile_id,
                platform: one.platform,
                label: one.label ?? '',
              },
        parkedAt: one.parked_at,
        connected: one.connected,
      });
    }
    return taken;
  });
}

interface DueParking {
  scope: string;
  account: string;
  channel_id: number | null;
  parked_at: number;
  connected: string | null;
  probes: number;
  next_probe_at: number;
  profile_id: string | null;
  platform: string | null;
  label: string | null;
}

const due = prepared<{ now: number }, DueParking>((db, p) =>
  db
    .selectFrom('parkings')
    .innerJoin('gates', (join) => join.onRef('gates.scope', '=', 'parkings.scope').on('gates.kind', '=', 'parked'))
    .leftJoin('channels', 'channels.id', 'parkings.channel_id')
    .select([
      'parkings.scope',
      'parkings.account',
      'parkings.channel_id',
      'parkings.parked_at',
      'parkings.connected',
      'parkings.probes',
      'parkings.next_probe_at',
      'channels.profile_id',
      'channels.platform',
      'channels.label',
    ])
    .where('parkings.next_probe_at', '<=', p.now)
    .orderBy('parkings.parked_at'),
);

/** Stores a channel's connection as a probe read it, for the next one to compare with. */
export async function noteConnected(store: Store, scope: string, connected: string): Promise<void> {
  await store.write(async (tx) => {
    await tx.updateTable('parkings').set({ connected }).where('scope', '=', scope).execute();
  });
}

/** Opens what is parked; earlier failures no longer count. Returns false if it was not parked. */
export async function unpark(store: Store, input: { scope: string; by: string; why: string }): Promise<boolean> {
  const { scope, by, why } = input;
  return store.write(async (tx) => {
    const now = store.now();
    const gate = await tx
      .selectFrom('gates')
      .selectAll()
      .where('scope', '=', scope)
      .where('kind', '=', 'parked')
      .executeTakeFirst();
    if (!gate) return false;
    await tx.deleteFrom('gates').where('scope', '=', scope).where('kind', '=', 'parked').execute();
    await tx.updateTable('parkings').set({ opened_at: now }).where('scope', '=', scope).execute();
    const text = scope.startsWith('channel:') ? scope.slice('channel:'.length) : null;
    if (text !== null) await tx.updateTable('channels').set({ streak: 0 }).where('text_id', '=', text).execute();
    await noteChange(tx, { runId: null, scope, by, what: `no longer parked (since ${iso(gate.since)}): ${why}` }, now);
    return true;
  });
}
