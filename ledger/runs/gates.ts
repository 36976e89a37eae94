import { ROW_STATES } from '../model/states';
import { iso, type Db, prepared, preparedFirst, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type GateInfo, type RunRef } from '../model/types';

/** The texts of scopes that gates can have. */
export const gateScope = {
  run: (run: RunRef): string => `run:${run.campaign}.${run.number}`,
  /** A channel within one run only. */
  runChannel: (run: RunRef, channelId: string): string => `run:${run.campaign}.${run.number}/channel:${channelId}`,
  channel: (channelId: string): string => `channel:${channelId}`,
  account: (account: string): string => `account:${account}`,
} as const;

type GateRecord = Tables['gates'];

const allGates = prepared<object, GateRecord>((db) =>
  db.selectFrom('gates').selectAll().orderBy('since').orderBy('scope'),
);

/** All gates of one kind, in any scope. */
export const gatesOfKind = prepared<{ kind: GateInfo['kind'] }, GateRecord>((db, p) =>
  db.selectFrom('gates').selectAll().where('kind', '=', p.kind),
);

const gatesThatHold = prepared<object, GateRecord>((db) =>
  db.selectFrom('gates').selectAll().where('kind', '!=', 'cancelled'),
);

export const findGate = preparedFirst<{ scope: string; kind: GateInfo['kind'] }, GateRecord>((db, p) =>
  db.selectFrom('gates').selectAll().where('scope', '=', p.scope).where('kind', '=', p.kind),
);

/** If several gates are closed, the one that is shown: the most final first. */
const PRECEDENCE = ['cancelled', 'stopped', 'parked', 'paused'] as const satisfies readonly GateInfo['kind'][];

export function strongest(kinds: readonly string[]): GateInfo['kind'] | null {
  return PRECEDENCE.find((kind) => kinds.includes(kind)) ?? null;
}

/** Every scope that a claim of a row has to pass. */
export function scopesOf(run: RunRef, channelId: string, account: string): string[] {
  return [
    gateScope.run(run),
    gateScope.runChannel(run, channelId),
    gateScope.channel(channelId),
    gateScope.account(account),
  ];
}

/** Closes a gate. A gate that is already closed stays as it is, because people want to know who closed it first. */
export async function setGate(store: Store, gate: Omit<GateInfo, 'since'>): Promise<GateInfo> {
  return store.write(async (tx) => {
    await putGate(tx, gate, store.now());
    const kept = await tx
      .selectFrom('gates')
      .selectAll()
      .where('scope', '=', gate.scope)
      .where('kind', '=', gate.kind)
      .executeTakeFirstOrThrow();
    return toGate(kept);
  });
}

export async function putGate(tx: Db, gate: Omit<GateInfo, 'since'>, at: number): Promise<void> {
  await tx
    .insertInto('gates')
    .values({ scope: gate.scope, kind: gate.kind, since: at, by: gate.by, reason: gate.reason })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function clearGate(store: Store, scope: string, kind: GateInfo['kind']): Promise<void> {
  await store.write(async (tx) => {
    await tx.deleteFrom('gates').where('scope', '=', scope).where('kind', '=', kind).execute();
  });
}

/**
 * Every gate that holds rows of the run: its own, and those of its channels and accounts, oldest first. Gates are few
 * and rows may be many, so for each gate we ask whether the run has a row that it affects, instead of looking up the
 * gates of each row.
 */
export async function gates(store: Store, run: RunRef): Promise<GateInfo[]> {
  const all = await allGates(store.db, {});
  const own = gateScope.run(run);
  const found: GateInfo[] = [];
  for (const gate of all) {
    const isOwn = gate.scope === own || gate.scope.startsWith(`${own}/`);
    if (isOwn || (await concerns(store.db, run, gate.scope))) found.push(toGate(gate));
  }
  return found;
}

/** Whether a run has a row in the channel or account of a gate. */
export async function concerns(db: Db, run: RunRef, scope: string): Promise<boolean> {
  const [channelPrefix, accountPrefix] = [gateScope.channel(''), gateScope.account('')];
  const channels = db.selectFrom('channels').select('id');
  const inScope = scope.startsWith(channelPrefix)
    ? channels.where('text_id', '=', scope.slice(channelPrefix.length))
    : scope.startsWith(accountPrefix)
      ? channels.where('account', '=', scope.slice(accountPrefix.length))
      : null;
  if (inScope === null) return false;
  const runs = db.selectFrom('runs').select('id').where('campaign', '=', run.campaign);
  const runId = runs.where('number', '=', run.number);
  // One channel after another: each is an index search that ends at the first row.
  for (const { id } of await inScope.execute()) {
    const row = await db
      .selectFrom('rows')
      .select('rows.id')
      .where('run_id', '=', runId)
      .where('state', 'in', ROW_STATES)
      .where('channel_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (row) return true;
  }
  return false;
}

/** What holds each channel of a run; gates are few, so all are read at once. */
export async function readHolds(db: Db, run: RunRef): Promise<(channelId: string, account: string) => GateInfo | null> {
  const all = await gatesThatHold(db, {});
  return (channelId, account) => {
    if (all.length === 0) return null;
    const scopes = scopesOf(run, channelId, account);
    const own = all.filter((gate) => scopes.includes(gate.scope));
    const kind = strongest(own.map((gate) => gate.kind));
    const found = own.find((gate) => gate.kind === kind);
    return found === undefined ? null : toGate(found);
  };
}

const accountOfChannel = preparedFirst<{ channelId: string }, { account: string }>((db, p) =>
  db.selectFrom('channels').select('account').where('text_id', '=', p.channelId),
);

/** What holds a channel in a run: the strongest of its gates other than a cancel, whose rows have ended. */
export async function holdOf(store: Store, run: RunRef, channelId: string): Promise<GateInfo | null> {
  const holds = await readHolds(store.db, run);
  const channel = await accountOfChannel(store.db, { channelId });
  return holds(channelId, channel?.account ?? '');
}

export function toGate(gate: { scope: string; kind: string; since: number; by: string; reason: string }): GateInfo {
  return {
    scope: gate.scope,
    kind: gate.kind as GateInfo['kind'],
    since: iso(gate.since),
    by: gate.by,
    reason: gate.reason,
  };
}
