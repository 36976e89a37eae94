import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { isPostgres } from '../engine/postgres-dialect';
import { acceptedRows } from '../rows/accepted';
import { LedgerStateError } from '../model/errors';
import { maskUrl } from '../model/source';
import { yieldToEventLoop, iso, PAGE_ROWS, type Store } from '../engine/store';
import { type RowValues } from '../model/types';

export interface LedgerStatus {
  sequence: number;
  campaigns: number;
  openRuns: number;
  rows: number;
  attempts: number;
  accounts: readonly { name: string; baseUrl: string }[];
  /** Workers that reported in the last two minutes. */
  workers: number;
  host: string | null;
}

/** A worker that was seen within this time may still be running. */
export const RECENT_MS = 120_000;

export async function status(store: Store): Promise<LedgerStatus> {
  const { db } = store;
  const count = async (table: 'campaigns' | 'rows' | 'attempts'): Promise<number> => {
    const found = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number | string>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(found.n);
  };
  const { value } = await db.selectFrom('sequence').select('value').executeTakeFirstOrThrow();
  const open = await db.selectFrom('runs').select('id').where('open', '=', 1).execute();
  const accounts = await db.selectFrom('accounts').select(['name', 'base_url as baseUrl']).orderBy('name').execute();
  const seen = await db
    .selectFrom('workers')
    .select('id')
    .where('seen_at', '>', store.now() - RECENT_MS)
    .execute();
  const host = await db.selectFrom('meta').select('value').where('name', '=', 'host').executeTakeFirst();
  return {
    sequence: value,
    campaigns: await count('campaigns'),
    openRuns: open.length,
    rows: await count('rows'),
    attempts: await count('attempts'),
    accounts,
    workers: seen.length,
    host: host?.value ?? null,
  };
}

/** A copy in a new file as of one moment, even while workers write. @throws LedgerStateError if the file exists */
export async function backup(store: Store, path: string): Promise<void> {
  if (isPostgres(store.db)) {
    throw new LedgerStateError('a ledger in PostgreSQL is backed up with PostgreSQL’s own tools, such as pg_dump');
  }
  if (existsSync(path)) throw new LedgerStateError(`${path} exists already; a backup never overwrites one`);
  await sql`vacuum into ${sql.lit(path)}`.execute(store.db);
}

/** One object per row, in the order in which the ledger first saw them. Signed queries are masked. */
export async function* exportRows(store: Store): AsyncGenerator<object> {
  for (let after = 0; ;) {
    const rows = await acceptedRows(store.db)
      .selectAll('rows')
      .select('entries.values')
      .where('rows.id', '>', after)
      .orderBy('rows.id')
      .limit(PAGE_ROWS)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    const ids = rows.map((row) => row.id);
    const attempts = await store.db.selectFrom('attempts').selectAll().where('row_id', 'in', ids).execute();
    const decisions = await store.db.selectFrom('decisions').selectAll().where('row_id', 'in', ids).execute();
    for (const row of rows) {
      const values = JSON.parse(row.values) as RowValues;
      yield {
        campaign: row.campaign,
        key: row.key,
        account: row.account,
        platform: row.platform,
        profile_id: row.profile_id === '' ? null : row.profile_id,
        title: values.title,
        source: values.source === null ? null : maskUrl(values.source),
        state: row.state,
        code: row.code,
        message: row.message,
        publication_id: row.publication_id,
        publish_id: row.publish_id,
        video_id: row.video_id,
        video_url: row.video_url,
        created_at: iso(row.created_at),
        ended_at: iso(row.ended_at),
        attempts: attempts
          .filter((attempt) => attempt.row_id === row.id)
          .map((attempt) => ({
            number: attempt.number,
            claimed_at: iso(attempt.claimed_at),
            ended_at: iso(attempt.ended_at),
            outcome: attempt.outcome,
            code: attempt.code,
            publication_id: attempt.publication_id,
            settled_as: attempt.settled_as,
          })),
        decisions: decisions
          .filter((decision) => decision.row_id === row.id)
          .map(({ kind, publication_id, by, at }) => ({ kind, publication_id, by, at: iso(at) })),
      };
    }
    after = last.id;
    await yieldToEventLoop();
  }
}
