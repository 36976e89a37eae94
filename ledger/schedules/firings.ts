import { type Firing, type FiringOutcome, type Firings, type NotedFiring } from '../model/firing-types';
import { LedgerStateError } from '../model/errors';
import { createStoredSchedules } from './kept-schedules';
import { shortMessage } from '../model/labels';
import { type Db, iso, type Store } from '../engine/store';
import { type Tables } from '../engine/tables';

type FiringRecord = Omit<Tables['firings'], 'id'> & { id: number };

/** Outcomes after which nothing can have been sent: such a key may fire again if a person asks for it. */
const REPEATABLE: readonly FiringOutcome[] = ['nothing', 'refused', 'failed', 'skipped', 'missed'];

/** Firings that ran, were missed or were skipped. */
export function createFirings(store: Store): Firings {
  const all = (db: Db, schedule: string) => db.selectFrom('firings').selectAll().where('schedule', '=', schedule);

  async function read(db: Db, id: number): Promise<FiringRecord> {
    const found = await db.selectFrom('firings').selectAll().where('id', '=', id).executeTakeFirst();
    if (!found) throw new LedgerStateError(`the ledger has no firing ${id}`);
    return found;
  }

  /** The firing at that time under a key of another kind, from before the schedule was changed. */
  async function sameTime(db: Db, { schedule, key, nominalAt }: { schedule: string; key: string; nominalAt: number }) {
    if (key.startsWith(MANUAL)) return undefined;
    return all(db, schedule)
      .where('nominal_at', '=', nominalAt)
      .where('workflow_id', 'is not', null)
      .where('key', 'not like', `${MANUAL}%`)
      .executeTakeFirst();
  }

  return {
    open: ({ schedule, key, nominalAt, workflowId, again }) =>
      store.write(async (tx) => {
        // A frozen attempt may still ask for an older time after a later one has got the newest.
        const own = await all(tx, schedule).where('workflow_id', '=', workflowId).executeTakeFirst();
        if (own !== undefined) return { firing: toFiring(own), mine: true };
        const found =
          (await all(tx, schedule).where('key', '=', key).executeTakeFirst()) ??
          (await sameTime(tx, { schedule, key, nominalAt }));
        if (found === undefined) {
          const { id } = await tx
            .insertInto('firings')
            .values({
              ...EMPTY,
              schedule,
              key,
              nominal_at: nominalAt,
              workflow_id: workflowId,
              started_at: store.now(),
            })
            .returning('id')
            .executeTakeFirstOrThrow();
          return { firing: toFiring(await read(tx, id)), mine: true };
        }
        const same = found.nominal_at === nominalAt || found.outcome === 'missed' || found.outcome === 'skipped';
        const repeatable = same && REPEATABLE.includes(found.outcome) && found.submission_id === null;
        if (!again || !repeatable) return { firing: toFiring(found), mine: false };
        await tx
          .updateTable('firings')
          .set({ ...EMPTY, nominal_at: nominalAt, workflow_id: workflowId, started_at: store.now() })
          .where('id', '=', found.id)
          .execute();
        return { firing: toFiring(await read(tx, found.id)), mine: true };
      }),

    ofWorkflow: async (schedule, workflowId) => {
      const found = await all(store.db, schedule)
        .where('workflow_id', '=', workflowId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return found ? toFiring(found) : null;
    },
    get: async (id) => toFiring(await read(store.db, id)),

    end: (id, { outcome, code, reason, manifestHash, manifestText }) =>
      store.write(async (tx) => {
        const { reason: noted } = await read(tx, id);
        const reasons = [reason, noted].filter((one) => one !== undefined && one !== null);
        await tx
          .updateTable('firings')
          .set({
            outcome,
            code: code ?? null,
            reason: reasons.length === 0 ? null : shortMessage(reasons.join('; ')),
            ended_at: store.now(),
            ...(manifestHash === undefined ? {} : { manifest_hash: manifestHash }),
            ...(manifestText === undefined ? {} : { manifest_text: manifestText }),
          })
          .where('id', '=', id)
          .where('outcome', '=', 'open')
          .execute();
        return toFiring(await read(tx, id));
      }),

    note: (schedule, noted) =>
      store.write(async (tx) => {
        const fresh: NotedFiring[] = [];
        for (const { key, nominalAt, outcome, code, reason } of noted) {
          const { numInsertedOrUpdatedRows: made } = await tx
            .insertInto('firings')
            .values({
              ...EMPTY,
              schedule,
              key,
              nominal_at: nominalAt,
              outcome,
              code,
              reason: shortMessage(reason),
              started_at: store.now(),
              ended_at: store.now(),
            })
            .onConflict((conflict) => conflict.columns(['schedule', 'key']).doNothing())
            .executeTakeFirstOrThrow();
          if ((made ?? 0n) > 0n) fresh.push({ key, nominalAt, outcome, code, reason });
        }
        return fresh;
      }),

    list: async (schedule, limit = 50) =>
      (await all(store.db, schedule).orderBy('nominal_at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(
        toFiring,
      ),
    between: async (schedule, from, to) =>
      (
        await all(store.db, schedule)
          .where('nominal_at', '>', from)
          .where('nominal_at', '<=', to)
          .orderBy('nominal_at')
          .execute()
      ).map(toFiring),
    missed: async (schedule) => {
      const { n } = await store.db
        .selectFrom('firings')
        .select((eb) => eb.fn.countAll<number | string>().as('n'))
        .where('schedule', '=', schedule)
        .where('outcome', '=', 'missed')
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    ended: async (schedule, limit, since = 0) =>
      (
        await all(store.db, schedule)
          .where('started_at', '>=', since)
          .where('outcome', 'in', ['done', 'incomplete', 'nothing', 'refused', 'stopped', 'failed'])
          .orderBy('ended_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute()
      ).map(toFiring),

    addBackfill: async ({ schedule, from, to, by }) => {
      await store.write((tx) =>
        tx.insertInto('backfills').values({ schedule, from_at: from, to_at: to, by, at: store.now() }).execute(),
      );
    },
    inBackfill: async (schedule, at) => {
      const found = await store.db
        .selectFrom('backfills')
        .select('id')
        .where('schedule', '=', schedule)
        .where('from_at', '<=', at)
        .where('to_at', '>=', at)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    ...createStoredSchedules(store),
  };
}

/** Keys of firings that a person triggered. */
const MANUAL = 'manual ';

const EMPTY = {
  workflow_id: null,
  outcome: 'open',
  code: null,
  reason: null,
  submission_id: null,
  campaign: null,
  run_number: null,
  manifest_hash: null,
  manifest_text: null,
  ended_at: null,
} as const;

function toFiring(record: FiringRecord): Firing {
  const { campaign, run_number: number } = record;
  return {
    id: record.id,
    schedule: record.schedule,
    key: record.key,
    nominalAt: iso(record.nominal_at),
    workflowId: record.workflow_id,
    outcome: record.outcome,
    code: record.code,
    reason: record.reason,
    run: campaign === null || number === null ? null : { campaign, number },
    manifestHash: record.manifest_hash,
    startedAt: iso(record.started_at),
    endedAt: iso(record.ended_at),
  };
}
