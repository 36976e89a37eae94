import { type Kysely } from 'kysely';
import { createLedger } from './0001-ledger';
import { createDecisions } from './0002-decisions';
import { createSafety } from './0003-safety';
import { addPace } from './0004-pace';
import { createSchedules } from './0005-schedules';
import { indexOpenAttempts } from './0006-open-attempts';
import { addRunCounts } from './0007-run-counts';
import { indexRunRows } from './0008-run-rows';
import { addCorrections } from './0009-corrections';
import { addAccountEvidence } from './0010-account-evidence';
import { countRowsByState } from './0011-row-counts';
import { addAccountTrouble } from './0012-account-trouble';
import { indexCodedRows } from './0013-coded-rows';
import { usePlainNames } from './0014-plain-names';
import { addForgottenWorkers } from './0015-forgotten-workers';
import { addLeftOut } from './0016-left-out';
import { addSentSource } from './0017-sent-source';
import { addReconciledAt } from './0018-unowned';
import { isPostgres } from '../postgres-dialect';
import { dropHalfMade, tableNames } from '../half-made';

type Migration = (db: Kysely<unknown>) => Promise<void>;

/** All migrations in order. A released migration is never changed; a change is a new migration in its own file. */
const MIGRATIONS: readonly (readonly [name: string, up: Migration])[] = [
  ['0001-ledger', createLedger],
  ['0002-decisions', createDecisions],
  ['0003-safety', createSafety],
  ['0004-pace', addPace],
  ['0005-schedules', createSchedules],
  ['0006-open-attempts', indexOpenAttempts],
  ['0007-run-counts', addRunCounts],
  ['0008-run-rows', indexRunRows],
  ['0009-corrections', addCorrections],
  ['0010-account-evidence', addAccountEvidence],
  ['0011-row-counts', countRowsByState],
  ['0012-account-trouble', addAccountTrouble],
  ['0013-coded-rows', indexCodedRows],
  ['0014-plain-names', usePlainNames],
  ['0015-forgotten-workers', addForgottenWorkers],
  ['0016-left-out', addLeftOut],
  ['0017-sent-source', addSentSource],
  ['0018-unowned', addReconciledAt],
];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(([name]) => name);

interface Bookkeeping {
  kysely_migration: { name: string; timestamp: string };
}

/**
 * Brings the database to this version's tables. Each migration is one transaction with the row that records it, and the
 * transaction's lock on the file keeps other processes out: a killed process leaves only complete migrations, and if
 * several processes open a ledger together, each one sees what the others have done.
 * @throws Error if a newer version has migrated it
 */
export async function migrate<T>(db: Kysely<T>): Promise<void> {
  const files = db as unknown as Kysely<Bookkeeping>;
  if (pendingOf(await doneIn(files)).length === 0) return;
  await files.transaction().execute(async (tx) => {
    if (!isPostgres(tx) && pendingOf(await doneIn(tx)).length > 0) await dropHalfMade(tx as unknown as Kysely<unknown>);
  });
  for (const [name, up] of MIGRATIONS) {
    await files.transaction().execute(async (tx) => {
      await createBookkeeping(tx);
      if (!pendingOf(await doneIn(tx)).includes(name)) return;
      await up(tx as unknown as Kysely<unknown>);
      await tx.insertInto('kysely_migration').values({ name, timestamp: new Date().toISOString() }).execute();
    });
  }
}

async function createBookkeeping(db: Kysely<Bookkeeping>): Promise<void> {
  await db.schema
    .createTable('kysely_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
}

async function doneIn(db: Kysely<Bookkeeping>): Promise<string[]> {
  if (!(await tableNames(db)).includes('kysely_migration')) return [];
  return (await db.selectFrom('kysely_migration').select('name').orderBy('name').execute()).map((row) => row.name);
}

function pendingOf(done: readonly string[]): string[] {
  const unknown = done.filter((name) => !MIGRATION_NAMES.includes(name));
  if (unknown.length > 0) {
    throw new Error(`a newer version of reelay has changed it (${unknown.join(', ')}); use that version`);
  }
  return MIGRATION_NAMES.filter((name) => !done.includes(name));
}
