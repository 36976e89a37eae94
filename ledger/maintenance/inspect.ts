import { type Dialect, Kysely, sql } from 'kysely';
import { profilesName, profilesOf } from './account-binding';
import { isDamage } from '../model/damage';
import { MIGRATION_NAMES } from '../engine/migrations/migrations';
import { type ListHabits, readHabits } from '../publications/list-habits';
import { mirrorPath, readMirror } from '../engine/sequence-file';
import { type LedgerLocation, placeOf } from '../model/location';
import { tableNames } from '../engine/half-made';
import { PostgresDialect } from '../engine/postgres-dialect';
import { LibsqlDialect } from '../engine/sqlite-dialect';
import { type Tables } from '../engine/tables';

/** What a ledger's file shows about itself. */
export interface LedgerInspection {
  id: string;
  /** Migrations that this version has and the file lacks; they run at its next use. */
  pending: string[];
  /** Migrations of a newer version. */
  unknown: string[];
  /** The machine it belongs to, and that machine's boot; null before its first use. */
  host: string | null;
  boot: string | null;
  /** It was rolled back: an older copy was restored, or it was created again. */
  rolledBack: boolean;
  /** The file beside it is missing or can't be written: it is behind the ledger's sequence number. */
  fileBehind: boolean;
  sequenceFile: string;
  /**
   * With the ids of their profiles (`profilesOf`), and how their lists treat what was sent; null for a ledger of an
   * earlier version.
   */
  accounts: readonly {
    name: string;
    baseUrl: string;
    hasRows: boolean;
    profiles: readonly string[];
    habits: ListHabits | null;
  }[];
  openRuns: number;
}

type Channel = Pick<Tables['channels'], 'account' | 'profile_id'>;

/** The column is missing if its migration hasn't run. */
function accountOf(
  account: Omit<Tables['accounts'], 'habits'> & { habits?: string | null },
  { channels, valueOf }: { channels: readonly Channel[]; valueOf: (name: string) => string | null },
) {
  const { name, base_url: baseUrl, seen, slowest_ms: slowestMs, habits } = account;
  const own = channels.filter((channel) => channel.account === name);
  const profiles = profilesOf(valueOf(profilesName(name)), own);
  return {
    name,
    baseUrl,
    hasRows: own.length > 0,
    profiles,
    habits: habits === undefined ? null : { seen, slowestMs, ...readHabits(habits) },
  };
}

const NEEDED_TABLES = ['meta', 'accounts', 'channels', 'runs'] as const;

/**
 * Inspects a ledger without changing it: no migration, no lock, no record of this machine.
 * @returns null for a database without tables: its first use creates the ledger
 * @throws Error if it can't be read, or isn't a ledger
 */
export async function inspectLedger(location: LedgerLocation): Promise<LedgerInspection | null> {
  const sequenceFile = 'url' in location ? location.sequenceFile : mirrorPath(location.path);
  const mirrored = readMirror(sequenceFile);
  const db = new Kysely<Tables>({ dialect: readingDialect(location) });
  try {
    const there = new Set(await tableNames(db));
    if (NEEDED_TABLES.some((name) => !there.has(name))) {
      if ('url' in location && there.size === 0) return null;
      throw new Error('it is not a ledger');
    }
    if ('path' in location) await demandIntact(db);
    const done = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const names = done.rows.map((row) => row.name);
    const meta = await db.selectFrom('meta').select(['name', 'value']).execute();
    const valueOf = (name: string): string | null => meta.find((one) => one.name === name)?.value ?? null;
    const id = valueOf('id') ?? '';
    const sequence = there.has('sequence')
      ? (await db.selectFrom('sequence').select('value').executeTakeFirst())?.value
      : undefined;
    const mirroredNow = readMirror(sequenceFile);
    const channels = await db.selectFrom('channels').select(['account', 'profile_id']).distinct().execute();
    const bound = await db.selectFrom('accounts').selectAll().orderBy('name').execute();
    const open = await db.selectFrom('runs').select('id').where('open', '=', 1).execute();
    return {
      id,
      pending: MIGRATION_NAMES.filter((name) => !names.includes(name)),
      unknown: names.filter((name) => !MIGRATION_NAMES.includes(name)),
      host: valueOf('host'),
      boot: valueOf('boot'),
      rolledBack:
        mirrored !== null &&
        (mirrored.ledger === id ? sequence !== undefined && mirrored.sequence > sequence : mirrored.sequence > 0),
      sequenceFile,
      fileBehind:
        (sequence ?? 0) > 0 &&
        (mirroredNow === null || (mirroredNow.ledger === id && mirroredNow.sequence < (sequence ?? 0))),
      accounts: bound.map((account) => accountOf(account, { channels, valueOf })),
      openRuns: open.length,
    };
  } finally {
    await db.destroy();
  }
}

/** How long (ms) the inspection waits for a database that doesn't answer or is locked. */
const INSPECTION_MS = 2_000;

function readingDialect(location: LedgerLocation): Dialect {
  if ('path' in location) return new LibsqlDialect({ path: location.path, readOnly: true, busyBoundMs: INSPECTION_MS });
  const { url } = location;
  return new PostgresDialect({ url, location: placeOf(location), boundMs: INSPECTION_MS, connections: 1 });
}

/**
 * Checks the pages of a SQLite database without changing it.
 * @returns what is wrong with it; null when it is intact
 */
export async function databaseFault(path: string): Promise<string | null> {
  const db = new Kysely<unknown>({ dialect: new LibsqlDialect({ path, readOnly: true, busyBoundMs: 2_000 }) });
  try {
    await demandIntact(db);
    return null;
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  } finally {
    await db.destroy();
  }
}

/** @throws Error with the code SQLITE_CORRUPT or SQLITE_NOTADB for a damaged file */
async function demandIntact(db: Kysely<Tables> | Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  const found = rows[0]?.quick_check ?? 'ok';
  if (found !== 'ok') throw Object.assign(new Error(found), { code: 'SQLITE_CORRUPT' });
}
