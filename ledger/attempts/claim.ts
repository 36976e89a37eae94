import { sql } from 'kysely';
import { CLAIM_GATES, type Candidate, type ClaimRow } from './claim-gates';
import { acceptedRows } from '../rows/accepted';
import { LedgerFaultError, WorkerForgottenError, WorkerUnknownError } from '../model/errors';
import { canaryOf, passCanary } from '../channels/canary';
import { scopesOf } from '../runs/gates';
import { claimSlot, layersOf, paceFrom, shortCaps } from '../channels/pacing';
import { moveRow } from '../rows/rows';
import { settingsOf } from '../rows/snapshots';
import { raiseSequence } from '../engine/raise-sequence';
import { prepared, preparedFirst, type Store, type Tx } from '../engine/store';
import { type Tables } from '../engine/tables';
import { type ClaimRequest, type ClaimResult } from '../model/attempt-types';
import { type RowValues } from '../model/types';

/**
 * The permission to send: a compare-and-set on (row, attempt number), in one transaction that checks every gate and
 * writes the intent to send. At most one attempt of a row is ever open or unsettled.
 */
export function createClaim(store: Store): (request: ClaimRequest) => Promise<ClaimResult> {
  const q = claimQueries();

  return async (request) =>
    store.write(async (tx) => {
      const row = await q.row(tx, { id: request.rowId, worker: request.worker });
      if (!row) throw new LedgerFaultError(`the ledger has no row with the id ${request.rowId}`);
      if (row.registered_at === null) throw new WorkerUnknownError(request.worker);
      if (row.forgotten_at !== null) throw new WorkerForgottenError(request.worker);
      const candidate = candidateOf(row, request, tx);
      for (const gate of CLAIM_GATES) {
        const refusal = await gate(candidate);
        if (refusal === null) continue;
        const { effect, ...refused } = refusal;
        return { claimed: false, state: (await effect?.()) ?? row.state, ...refused };
      }
      return send(candidate);
    });

  function candidateOf(row: ClaimRow, request: ClaimRequest, tx: Tx): Candidate {
    const settingsAt = (snapshotId: number) => settingsOf(store, tx, snapshotId);
    const settings = once(() => settingsAt(row.run_snapshot ?? row.entry_snapshot));
    const channel = { ...row, id: row.channel_id, label: row.channel_label };
    const runId = row.set_live === 1 ? row.run_id : null;
    return {
      row,
      request,
      tx,
      values: JSON.parse(row.values) as RowValues,
      settings,
      settingsAt,
      gatesAndOpen: once(() => {
        const [s1, s2, s3, s4] = scopesOf(request.run, row.text_id, row.account);
        const { channel_id: channelId, account } = row;
        return q.gatesAndOpen(tx, { channelId, account, s1, s2, s3, s4 } as GatesAndOpenParams);
      }),
      pace: once(async () => {
        const live = await layersOf(tx, await settings(), runId);
        return paceFrom(tx, await settings(), live, channel, request.worker);
      }),
    };
  }

  async function send({ row, request, tx, values, pace }: Candidate): Promise<ClaimResult> {
    const rules = await pace();
    const at = { runId: row.run_id ?? 0, channelId: row.channel_id };
    const { canary } = rules.rules;
    if (canary !== undefined && (await canaryOf(tx, at, canary)).kind === 'passed')
      await passCanary(tx, at, request.now);
    const attempt = row.attempts + 1;
    const caps = shortCaps(rules);
    await q.intend(tx, {
      row_id: row.id,
      number: attempt,
      run_id: at.runId,
      channel_id: row.channel_id,
      account: row.account,
      worker_id: request.worker,
      claimed_at: claimSlot(rules, row.ready_at, request.now).at,
      entry_snapshot: row.entry_snapshot,
      entry_position: row.entry_position,
      source_hash: row.source_hash,
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
  }
}

/** Reads once, the first time the value is needed. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => (value ??= read());
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
  | 'source_hash'
>;

function claimQueries() {
  return {
    row: preparedFirst<{ id: number; worker: string }, ClaimRow>((on, p) =>
      acceptedRows(on)
        .innerJoin('channels', 'channels.id', 'rows.channel_id')
        .leftJoin('runs', 'runs.id', 'rows.run_id')
        .leftJoin('workers', (join) => join.on('workers.id', '=', p.worker))
        .select((eb) => [
          'rows.id',
          'rows.account',
          'rows.key',
          'rows.line',
          'rows.channel_id',
          'rows.source_hash',
          'rows.snapshot_id',
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
          'workers.registered_at',
          'workers.forgotten_at',
          eb
            .selectFrom('strays')
            .select('reconciled_at')
            .whereRef('strays.account', '=', 'rows.account')
            .where('reconciled_at', 'is not', null)
            .limit(1)
            .as('unowned'),
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
        source_hash: p.source_hash,
        sequence: on.selectFrom('sequence').select('value'),
      }),
    ),
  };
}
