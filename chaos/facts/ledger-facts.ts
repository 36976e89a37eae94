import Database from 'libsql';
import { Client } from 'pg';

export interface LedgerFacts {
  /** Creates whose answer did not arrive: their worker died, the connection broke, or the answer was unreadable. */
  lostAnswers: number;
  /** Of these: found again as a publication of the row, and sent again because nothing was found. */
  adopted: number;
  repeated: number;
  runOpen: boolean;
  /** Channels and accounts that a refusal parked. */
  parked: number;
  openRows: number;
}

/** Counts that no command shows, read while workers are running. */
export function ledgerFacts(path: string, campaign: string): LedgerFacts {
  const database = new Database(path, { readonly: true });
  try {
    const facts = database.prepare<[string]>(FACTS.replace('$1', '?')).get(campaign) as Facts;
    return { ...facts, runOpen: facts.runOpen === 1 };
  } finally {
    database.close();
  }
}

/** SQLite has no booleans. */
type Facts = Omit<LedgerFacts, 'runOpen'> & { runOpen: number };

/** The same for a ledger in PostgreSQL. */
export async function databaseFacts(url: string, campaign: string): Promise<LedgerFacts> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<LedgerFacts>(FACTS, [campaign]);
    if (rows[0] === undefined) throw new Error('no facts');
    return rows[0];
  } finally {
    await client.end();
  }
}

const FACTS = `with
  mine as (select cast($1 as text) as campaign),
  tried as (select attempts.* from attempts join rows on rows.id = attempts.row_id join mine on mine.campaign = rows.campaign),
  running as (select runs.* from runs join mine on mine.campaign = runs.campaign where open = 1)
  select
    cast((select count(*) from tried where outcome = 'unknown' or settled_at is not null) as integer) as "lostAnswers",
    cast((select count(*) from tried where settled_as = 'adopt') as integer) as "adopted",
    cast((select count(*) from tried where settled_as = 'repeat') as integer) as "repeated",
    exists (select 1 from running) as "runOpen",
    cast((select count(*) from gates where kind = 'parked' and exists (select 1 from running)) as integer) as "parked",
    cast((select count(*) from rows join mine on mine.campaign = rows.campaign
      where state in ('planned', 'waiting', 'creating', 'processing')) as integer) as "openRows"`;
