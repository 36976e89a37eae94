import { sql } from 'kysely';
import { acceptedRows } from '../rows/accepted';
import { HELD_UNTIL } from '../channels/channels';
import { DEADLINE_PASSED } from '../model/converge';
import { LedgerFaultError } from '../model/errors';
import { unprovenRefusal } from './lost-attempts';
import { canaryOf, passCanary } from '../channels/canary';
import { gateScope, putGate, scopesOf, strongest } from '../gates/gates';
import { claimSlot, layersOf, paceFrom, shortCaps } from '../channels/pacing';
import { moveRow, patchRow } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { type RowState } from '../model/states';
import { raiseSequence } from '../engine/raise-sequence';
import { iso, prepared, preparedChange, preparedFirst, type Store, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type CampaignSettings, type ClaimRequest, type ClaimResult, type RowValues } from '../model/types';

/** A `publish_at` missed by more than this (ms) is late. */
export const LATE_AFTER_MS = 3600 * 1000;

interface ClaimRow {
  id: number;
  account: string;
  key: string;
  line: number;
  channel_id: number;
  text_id: string;
  state: RowState;
  publish_at: number;
  ready_at: number;
  accepted_at: number;
  attempts: number;
  run_id: number | null;
  campaign: string;
  number: number | null;
  open: number | null;
  run_snapshot: number | null;
  entry_snapshot: number;
  entry_position: number;
  values: string;
  profile_id: string;
  platform: string;
  channel_label: string;
  set_live: number | null;
}

type Refusal = Extract<ClaimResult, { claimed: false }>['reason'];

/** Claims: one transaction that checks every gate and writes the intent to send. */
export function createClaim(store: Store): (request: ClaimRequest) => Promise<ClaimResult> {
  const q = claimQueries();
  const workers = new Set<string>();

  return async (request) => {
    if (!workers.has(request.worker)) {
      const known = await store.db
        .selectFrom('workers')
        .select('id')
        .where('id', '=', request.worker)
        .executeTakeFirst();
      if (!known) throw new LedgerFaultError(`worker ${request.worker} claims without being registered`);
      workers.add(request.worker);
    }
    return store.write(async (tx) => {
      const row = await q.row(tx, { id: request.rowId });
      if (!row) throw new LedgerFaultError(`the ledger has no row with the id ${request.rowId}`);
      const refused = (reason: Refusal, state: RowState = row.state): ClaimResult => ({
        claimed: false,
        reason,
        state,
      });

      if (row.open !== 1 || row.campaign !== request.run.campaign || row.number !== request.run.number) {
        return refused(row.state === 'cancelled' ? 'cancelled' : 'not-held');
      }
      if (row.state !== 'planned' && row.state !== 'waiting') {
        return refused(row.state === 'cancelled' ? 'cancelled' : 'taken');
      }
      const [s1, s2, s3, s4] = scopesOf(request.run, row.text_id, row.account);
      const { channel_id: channelId, account } = row;
      const gatesAndOpen = await q.gatesAndOpen(tx, { channelId, account, s1, s2, s3, s4 } as GatesAndOpenParams);
      const closed = strongest(gatesAndOpen.flatMap((one) => one.kind ?? []));
      if (closed === 'cancelled') {
        // A cancel that was killed after its commit hadn't come to this row.
        const reason = { code: 'cancelled', message: 'cancelled with its run or channel' };
        return refused(closed, await moveRow(tx, row, 'cancelled', request.now, reason));
      }
      if (closed) return refused(closed);
      if (row.ready_at >= HELD_UNTIL) return refused('late');
      if (row.ready_at > request.now) return { ...refused('not-ready'), readyAt: iso(row.ready_at) } as ClaimResult;

      if (row.attempts > 0 && (await lookAgain(tx, row, request.now))) return refused('unproven', 'creating');

      const snapshotId = row.run_snapshot ?? row.entry_snapshot;
      const settings = await settingsOf(store, tx, snapshotId);
      if (settings.late !== 'publish' && isLate(row, request.now)) {
        const message = `its time ${iso(row.publish_at)} was missed by more than 1 h`;
        const how = 'set a new time, or submit again with late: publish';
        return refused(
          'late',
          await setAside(tx, row, { policy: settings.late, code: 'late', message, how }, request.now),
        );
      }
      const values = JSON.parse(row.values) as RowValues;
      if (values.adopted === true) {
        const reason = {
          policy: 'hold',
          code: 'adopted',
          message: 'no manifest has the row yet',
          how: 'submit one',
        } as const;
        return refused('late', await setAside(tx, row, reason, request.now));
      }
      if (values.deadline !== undefined && Date.parse(values.deadline) < request.now) {
        const message = `its deadline ${values.deadline} has passed`;
        const reason = { policy: settings.late, code: DEADLINE_PASSED, message, how: 'give it a later one' };
        return refused('late', await setAside(tx, row, reason, request.now));
      }
      const channel = { ...row, id: row.channel_id, label: row.channel_label };
      const runId = row.set_live === 1 ? row.run_id : null;
      const pace = await paceFrom(tx, settings, await layersOf(tx, settings, runId), channel, request.worker);
      const at = { runId: row.run_id ?? 0, channelId: row.channel_id };
      const canary = await canaryOf(tx, at, pace.rules.canary);
      if (canary.kind === 'waits') return refused('canary');
      if (canary.kind === 'failed') {
        const scope = gateScope.runChannel(request.run, row.text_id);
        const reason = `${row.channel_label}: ${canary.failed} of the first rows did not succeed; resume it to continue`;
        await putGate(tx, { scope, kind: 'paused', by: 'reelay', reason }, request.now);
        return refused('paused');
      }
      if (canary.kind === 'passed' && pace.rules.canary !== undefined) await passCanary(tx, at, request.now);
      const slot = claimSlot(pace, row.ready_at, request.now);
      if (slot.claimableAt > request.now) {
        const readyAt = iso(Math.min(slot.claimableAt, HELD_UNTIL));
        return { claimed: false, reason: 'paced', state: row.state, readyAt, ...(slot.why && { why: slot.why }) };
      }
      const [open] = gatesAndOpen;
      if (Number(open?.channel) >= pace.concurrency || Number(open?.account) >= settings.accountConcurrency) {
        return refused('busy');
      }
      const attempt = row.attempts + 1;
      const caps = shortCaps(pace);
      await q.intend(tx, {
        row_id: row.id,
        number: attempt,
        run_id: row.run_id ?? 0,
        channel_id: row.channel_id,
        account: row.account,
        worker_id: request.worker,
        claimed_at: slot.at,
        entry_snapshot: row.entry_snapshot,
        entry_position: row.entry_position,
      });
      raiseSequence(tx);
      await moveRow(tx, row, 'creating', request.now, { attempts: attempt, sent: 1, code: null, message: null });
      return {
        claimed: true,
        attempt,
        account: row.account,
        key: row.key,
        line: row.line,
        values,
        ...(caps.length > 0 && { caps }),
      };
    });
  };
}

/**
 * Whatever a create was answered, its row is sent a second time only once the account is free of what could be the first: an
 * attempt that the service refused is looked for like a lost one. Nothing to look for is left of a direct publish.
 */
async function lookAgain(tx: Tx, row: ClaimRow, now: number): Promise<boolean> {
  const { via } = JSON.parse(row.values) as RowValues;
  if (via === 'direct') return false;
  const reopened = await reopenRefused(tx, { rowId: row.id, number: row.attempts });
  if (reopened === 0) return false;
  await moveRow(tx, row, 'creating', now, { sent: 1 });
  return true;
}

const reopenRefused = preparedChange<{ rowId: number; number: number }>((db, p) =>
  db
    .updateTable('attempts')
    .set({ outcome: 'perhaps', refused: 1, settled_as: null, settled_at: null })
    .where('row_id', '=', p.rowId)
    .where('number', '=', p.number)
    .where(unprovenRefusal()),
);

/** Values that were accepted after their time are late from then on: whoever accepted them wanted them sent. */
function isLate(row: ClaimRow, now: number): boolean {
  return row.publish_at > 0 && now - Math.max(row.publish_at, row.accepted_at) > LATE_AFTER_MS;
}

/** A row whose time is over is left out where that was asked for, and waits for a person else. */
async function setAside(
  tx: Tx,
  row: ClaimRow,
  reason: { policy: CampaignSettings['late']; code: string; message: string; how: string },
  now: number,
): Promise<RowState> {
  const { policy, code, message, how } = reason;
  if (policy === 'skip') return moveRow(tx, row, 'cancelled', now, { code, message });
  const held = { code, message: `${message}; ${how}`, ready_at: HELD_UNTIL };
  if (row.state === 'waiting') {
    await patchRow(tx, row.id, held);
    return 'waiting';
  }
  return moveRow(tx, row, 'waiting', now, held);
}

interface GatesAndOpenParams {
  channelId: number;
  account: string;
  s1: string;
  s2: string;
  s3: string;
  s4: string;
}

type Intent = Pick<
  Tables['attempts'],
  | 'row_id'
  | 'number'
  | 'run_id'
  | 'channel_id'
  | 'account'
  | 'worker_id'
  | 'claimed_at'
  | 'entry_snapshot'
  | 'entry_position'
>;

function claimQueries() {
  return {
    row: preparedFirst<{ id: number }, ClaimRow>((on, p) =>
      acceptedRows(on)
        .innerJoin('channels', 'channels.id', 'rows.channel_id')
        .leftJoin('runs', 'runs.id', 'rows.run_id')
        .select([
          'rows.id',
          'rows.account',
          'rows.key',
          'rows.line',
          'rows.channel_id',
          'channels.text_id',
          'rows.state',
          'rows.publish_at',
          'rows.ready_at',
          'rows.accepted_at',
          'rows.attempts',
          'rows.run_id',
          'rows.campaign',
          'runs.number',
          'runs.open',
          'runs.snapshot_id as run_snapshot',
          'rows.entry_snapshot',
          'rows.entry_position',
          'entries.values',
          'channels.profile_id',
          'channels.platform',
          'channels.label as channel_label',
          'runs.set_live',
        ])
        .where('rows.id', '=', p.id),
    ),
    gatesAndOpen: prepared<
      GatesAndOpenParams,
      { kind: string | null; channel: number | string; account: number | string }
    >((on, p) =>
      on
        .selectFrom(sql`(select 1 as one)`.as('one'))
        .leftJoin('gates', (join) => join.on('scope', 'in', [p.s1, p.s2, p.s3, p.s4]))
        .select((eb) => [
          'gates.kind',
          eb
            .selectFrom('attempts')
            .select((e) => e.fn.countAll<number | string>().as('n'))
            .where('channel_id', '=', p.channelId)
            .where('ended_at', 'is', null)
            .$asScalar()
            .$notNull()
            .as('channel'),
          eb
            .selectFrom('attempts')
            .select((e) => e.fn.countAll<number | string>().as('n'))
            .where('account', '=', p.account)
            .where('ended_at', 'is', null)
            .$asScalar()
            .$notNull()
            .as('account'),
        ]),
    ),
    intend: prepared<Intent, unknown>((on, p) =>
      on.insertInto('attempts').values({
        row_id: p.row_id,
        number: p.number,
        run_id: p.run_id,
        channel_id: p.channel_id,
        account: p.account,
        worker_id: p.worker_id,
        claimed_at: p.claimed_at,
        entry_snapshot: p.entry_snapshot,
        entry_position: p.entry_position,
        sequence: on.selectFrom('sequence').select('value'),
      }),
    ),
  };
}
