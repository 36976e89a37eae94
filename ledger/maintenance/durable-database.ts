import { sql } from 'kysely';
import { type Db } from '../engine/store';
import { LedgerOpenError } from '../model/errors';

interface Durability {
  fsync: string;
  pages: string;
  standby: number;
}

/**
 * A claim must survive a power failure of the database server, and can be made only on the primary.
 * @throws LedgerOpenError for a server that doesn't sync its log, or is a standby
 */
export async function demandDurableDatabase(db: Db): Promise<void> {
  const { rows } = await sql<Durability>`select current_setting('fsync') as fsync,
    current_setting('full_page_writes') as pages, pg_is_in_recovery() as standby`.execute(db);
  const [found] = rows;
  if (found?.standby === 1)
    throw new LedgerOpenError('it is a standby, which nothing can be written to; name the primary');
  for (const [name, value] of [
    ['fsync', found?.fsync],
    ['full_page_writes', found?.pages],
  ]) {
    if (value === 'on') continue;
    throw new LedgerOpenError(
      `its server runs with ${name} = ${value ?? ''}: what is noted of a create could be lost at a power cut, and the row sent again; set it to on`,
    );
  }
}
