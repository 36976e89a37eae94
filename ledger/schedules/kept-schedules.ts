import { type Firings, type StoredSchedule } from '../model/firing-types';
import { type Store } from '../engine/store';
import { type Tables } from '../engine/tables';

/** The schedules that this ledger knows by name; their definitions are in Temporal. */
export function createStoredSchedules(store: Store): Pick<Firings, 'keep' | 'mark' | 'schedule' | 'schedules'> {
  const kept = () => store.db.selectFrom('schedules').selectAll().where('deleted_at', 'is', null);
  return {
    keep: async (name, by) => {
      const at = store.now();
      const made = { made_at: at, by, paused_at: null, resumed_at: null, watched_to: at, deleted_at: null };
      await store.write((tx) =>
        tx
          .insertInto('schedules')
          .values({ name, ...made })
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet(made).where('schedules.deleted_at', 'is not', null),
          )
          .execute(),
      );
    },
    mark: async (name, { pausedAt, resumedAt, watchedTo, deletedAt }) => {
      const times = {
        ...(pausedAt === undefined ? {} : { paused_at: pausedAt }),
        ...(resumedAt === undefined ? {} : { resumed_at: resumedAt }),
        ...(watchedTo === undefined ? {} : { watched_to: watchedTo }),
        ...(deletedAt === undefined ? {} : { deleted_at: deletedAt }),
      };
      await store.write((tx) => tx.updateTable('schedules').set(times).where('name', '=', name).execute());
    },
    schedule: async (name) => {
      const found = await kept().where('name', '=', name).executeTakeFirst();
      return found ? toStored(found) : null;
    },
    schedules: async () => (await kept().orderBy('name').execute()).map(toStored),
  };
}

function toStored(record: Tables['schedules']): StoredSchedule {
  return {
    name: record.name,
    by: record.by,
    madeAt: record.made_at,
    pausedAt: record.paused_at,
    resumedAt: record.resumed_at,
    watchedTo: record.watched_to,
  };
}
