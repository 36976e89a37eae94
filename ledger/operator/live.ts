import { passCanary } from '../channels/canary';
import { noteChange } from '../runs/changes';
import { gateScope, putGate, toGate } from '../runs/gates';
import { RESUMED } from '../channels/failure-policy';
import { type PaceLayer } from '../pace/pace-rules';
import { readRun, type RunRecord } from '../runs/read-run';
import { iso, type Store, type Tx } from '../engine/store';
import { NOT_ASKED } from '../model/cancel-asked';
import { type GateInfo, type RunRef } from '../model/types';

export interface LiveInput {
  run: RunRef;
  /** Only this channel of the run. */
  channelId?: string;
  by: string;
}

/** A row whose create was claimed before the change: it is sent regardless of the change. */
export interface ClaimedRow {
  line: number;
  key: string;
  label: string;
}

export interface LiveResult {
  /** When the change was committed, ISO. Every claim from then on follows it. */
  at: string;
  claimed: ClaimedRow[];
}

export interface LiveSetting {
  /** The name as in `reelay set`: `min_gap`. */
  name: string;
  /** The value as it was given. */
  shown: string;
  since: string;
  by: string;
}

/** Holds a run, or one of its channels, until it is resumed. */
export async function pause(store: Store, input: LiveInput): Promise<LiveResult> {
  return store.write(async (tx) => {
    const now = store.now();
    const { run, channelId, by } = input;
    const record = await readRun(tx, run);
    const scope = channelId === undefined ? gateScope.run(run) : gateScope.runChannel(run, channelId);
    await putGate(tx, { scope, kind: 'paused', by, reason: `paused by ${by}` }, now);
    await noteChange(tx, { runId: record.id, scope, by, what: await withChannel(tx, 'pause', channelId) }, now);
    return { at: iso(now), claimed: await claimedRows(tx, record, channelId) };
  });
}

/**
 * Opens what is paused, parked or stopped for a run: everything of its channels and accounts, or one channel. Earlier
 * failures no longer count for parking, tolerance and canaries.
 */
export async function resume(store: Store, input: LiveInput): Promise<LiveResult & { opened: GateInfo[] }> {
  return store.write(async (tx) => {
    const now = store.now();
    const run = await readRun(tx, input.run);
    const channels = (await channelsOf(tx, run)).filter(
      (channel) => input.channelId === undefined || channel.text_id === input.channelId,
    );
    const scopes = new Set(
      channels.flatMap((channel) => [
        gateScope.channel(channel.text_id),
        gateScope.runChannel(input.run, channel.text_id),
      ]),
    );
    if (input.channelId === undefined) {
      scopes.add(gateScope.run(input.run));
      for (const channel of channels) scopes.add(gateScope.account(channel.account));
    }
    const all = await tx.selectFrom('gates').selectAll().where('kind', '!=', 'cancelled').execute();
    const opened = all.filter((gate) => scopes.has(gate.scope));
    for (const { scope, kind } of opened) {
      await tx.deleteFrom('gates').where('scope', '=', scope).where('kind', '=', kind).execute();
    }
    const { by } = input;
    const what = await withChannel(tx, 'resume', input.channelId);
    await noteChange(tx, { runId: run.id, scope: gateScope.run(input.run), by, what }, now);
    for (const channel of channels) {
      await tx.updateTable('channels').set({ streak: 0 }).where('id', '=', channel.id).execute();
      if (opened.some((gate) => gate.scope === gateScope.runChannel(input.run, channel.text_id))) {
        await passCanary(tx, { runId: run.id, channelId: channel.id }, now);
      }
    }
    if (opened.some((gate) => gate.kind === 'stopped')) {
      await putSetting(tx, run.id, { name: RESUMED, shown: '', layer: {} }, { by: input.by, now });
    }
    return { at: iso(now), opened: opened.map(toGate), claimed: await claimedRows(tx, run, input.channelId) };
  });
}

/** Changes a run's pace from now on. It overrides the manifest until it is set again; a null layer removes it. */
export async function setLive(
  store: Store,
  input: { run: RunRef; by: string; settings: readonly { name: string; shown: string; layer: PaceLayer | null }[] },
): Promise<LiveResult> {
  return store.write(async (tx) => {
    const now = store.now();
    const run = await readRun(tx, input.run);
    for (const setting of input.settings) {
      await tx.deleteFrom('run_settings').where('run_id', '=', run.id).where('name', '=', setting.name).execute();
      const { layer, ...named } = setting;
      if (layer !== null) await putSetting(tx, run.id, { ...named, layer }, { by: input.by, now });
    }
    const { by } = input;
    const what = `set ${input.settings.map((one) => `${one.name}=${one.shown}`).join(' ')}`;
    await noteChange(tx, { runId: run.id, scope: gateScope.run(input.run), by, what }, now);
    await tx.updateTable('runs').set({ set_live: 1 }).where('id', '=', run.id).execute();
    return { at: iso(now), claimed: await claimedRows(tx, run, undefined) };
  });
}

/** What `set` gave a run, oldest first. */
export async function liveSettings(store: Store, ref: RunRef): Promise<LiveSetting[]> {
  const run = await readRun(store.db, ref);
  const found = await store.db
    .selectFrom('run_settings')
    .select(['name', 'shown', 'since', 'by'])
    .where('run_id', '=', run.id)
    .where('name', '!=', RESUMED)
    .orderBy('since')
    .orderBy('name')
    .execute();
  return found.map((one) => ({ ...one, since: iso(one.since) }));
}

/** The rows that were cancelled after their claim: their uploads are interrupted. */
export async function cancelsAsked(store: Store, rowIds: readonly number[]): Promise<number[]> {
  if (rowIds.length === 0) return [];
  const rows = await store.db
    .selectFrom('rows')
    .select('id')
    .where('id', 'in', rowIds)
    .where('cancel_asked', '!=', NOT_ASKED)
    .execute();
  return rows.map(({ id }) => id);
}

async function withChannel(tx: Tx, verb: string, channelId: string | undefined): Promise<string> {
  if (channelId === undefined) return verb;
  const channel = await tx.selectFrom('channels').select('label').where('text_id', '=', channelId).executeTakeFirst();
  return `${verb} ${channel?.label ?? channelId}`;
}

async function putSetting(
  tx: Tx,
  runId: number,
  setting: { name: string; shown: string; layer: PaceLayer },
  at: { by: string; now: number },
): Promise<void> {
  const values = { shown: setting.shown, layer: JSON.stringify(setting.layer), since: at.now, by: at.by };
  await tx
    .insertInto('run_settings')
    .values({ run_id: runId, name: setting.name, ...values })
    .onConflict((conflict) => conflict.columns(['run_id', 'name']).doUpdateSet(values))
    .execute();
}

async function channelsOf(tx: Tx, run: RunRecord) {
  const used = tx.selectFrom('rows').select('channel_id').where('run_id', '=', run.id);
  return tx.selectFrom('channels').select(['id', 'text_id', 'account']).where('id', 'in', used).execute();
}

async function claimedRows(tx: Tx, run: RunRecord, channelId: string | undefined): Promise<ClaimedRow[]> {
  let rows = tx
    .selectFrom('rows')
    .innerJoin('channels', 'channels.id', 'rows.channel_id')
    .select(['rows.line', 'rows.key', 'rows.label'])
    .where('rows.run_id', '=', run.id)
    .where('rows.state', '=', 'creating')
    .orderBy('rows.line');
  if (channelId !== undefined) rows = rows.where('channels.text_id', '=', channelId);
  return rows.execute();
}
