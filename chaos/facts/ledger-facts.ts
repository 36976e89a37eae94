import Database from 'libsql';

export interface LedgerFacts {
  /** Creates whose answer did not arrive: their worker died, the connection broke, or nothing readable came. */
  lostAnswers: number;
  /** Of these: found again as a publication of the row, and sent again since nothing was there. */
  adopted: number;
  repeated: number;
  runOpen: boolean;
  /** Channels and accounts that a refusal parked. */
  parked: number;
  openRows: number;
}

/** Counts that no command shows, read beside the running workers. */
export function ledgerFacts(path: string, campaign: string): LedgerFacts {
  const database = new Database(path, { readonly: true });
  try {
    const one = (sql: string): number => {
      const row = database.prepare<[string]>(sql).get(campaign) as { n: number };
      return row.n;
    };
    return {
      lostAnswers: one(
        `select count(*) as n from attempts join rows on rows.id = attempts.row_id
         where rows.campaign = ? and (outcome = 'unknown' or settled_at is not null)`,
      ),
      adopted: one(settledAs('adopt')),
      repeated: one(settledAs('repeat')),
      runOpen: one('select count(*) as n from runs where campaign = ? and open = 1') > 0,
      parked: one(
        `select count(*) as n from gates where kind = 'parked' and exists (select 1 from runs where campaign = ? and open = 1)`,
      ),
      openRows: one(
        `select count(*) as n from rows where campaign = ? and state in ('planned', 'waiting', 'creating', 'processing')`,
      ),
    };
  } finally {
    database.close();
  }
}

function settledAs(kind: 'adopt' | 'repeat'): string {
  return `select count(*) as n from attempts join rows on rows.id = attempts.row_id
    where rows.campaign = ? and settled_as = '${kind}'`;
}
