import { sql } from 'kysely';
import { type Db } from './store';

/** Which server a PostgreSQL database is on, as the newest claims found it. */
interface Server {
  /** The cluster, and the timeline of its log: a standby that takes over and a restored backup start a new timeline. */
  identity: string;
  /** Each commit waits for a standby, so a standby that takes over lacks none. */
  synchronous: boolean;
}

const NAME = 'server';
/**
 * The name of the log file begins with its timeline; what the last checkpoint says about it is out of date for a while
 * after a promotion.
 */
const IDENTITY = sql<string>`(select system_identifier::text from pg_control_system()) || '/' ||
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`;

interface Seen extends Server {
  known: string | null;
}

/** False: the server doesn't show this, as is the case for some hosted servers. */
export async function isServerShown(db: Db): Promise<boolean> {
  try {
    await sql`select ${IDENTITY}`.execute(db);
    return true;
  } catch (error) {
    if (NOT_SHOWN.has(String((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

/** No permission, no such function, not supported. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['42501', '42883', '0A000']);

/**
 * Whether the database is on the server that the newest claims were made on, or on a standby that lacks none of them.
 * In a write, it is recorded for the next check.
 */
export async function isSameServer(db: Db, { note }: { note: boolean }): Promise<boolean> {
  const { identity, synchronous, known } = await see(db);
  const before = known === null ? null : (JSON.parse(known) as Server);
  if (before !== null && before.identity !== identity && !before.synchronous) return false;
  if (note && (before?.identity !== identity || before.synchronous !== synchronous))
    await put(db, { identity, synchronous });
  return true;
}

/** Whatever was recorded before: the ledger has been reconciled with the service. */
export async function acceptServer(db: Db): Promise<void> {
  const { identity, synchronous } = await see(db);
  await put(db, { identity, synchronous });
}

async function see(db: Db): Promise<Seen> {
  const { rows } = await sql<{ identity: string; standbys: string; known: string | null }>`select
    ${IDENTITY} as identity, current_setting('synchronous_standby_names') as standbys,
    (select value from meta where name = ${NAME}) as known`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('the server gave no row');
  return { identity: found.identity, synchronous: found.standbys !== '', known: found.known };
}

async function put(db: Db, server: Server): Promise<void> {
  const value = JSON.stringify(server);
  await db
    .insertInto('meta')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
