import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../postgres-dialect';

/**
 * The rows of each manifest by state, maintained by triggers. Counting 100,000 rows for every view of a run, and every
 * few seconds for the metrics, would block the event loop. Rows that end need no extra statement for it.
 */
export async function countRowsByState(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('row_counts')
    .addColumn('snapshot_id', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('rows', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('row_counts_pk', ['snapshot_id', 'state'])
    .execute();
  await sql`insert into row_counts (snapshot_id, state, rows)
    select snapshot_id, state, count(*) from rows group by snapshot_id, state`.execute(db);
  if (isPostgres(db)) return createPostgresTriggers(db);
  const add = sql`insert into row_counts (snapshot_id, state, rows) values (new.snapshot_id, new.state, 1)
    on conflict (snapshot_id, state) do update set rows = rows + 1;`;
  const subtract = sql`update row_counts set rows = rows - 1 where snapshot_id = old.snapshot_id and state = old.state;`;
  await sql`create trigger rows_counted_in after insert on rows begin ${add} end`.execute(db);
  await sql`create trigger rows_counted_out after delete on rows begin ${subtract} end`.execute(db);
  await sql`create trigger rows_counted_on after update of state, snapshot_id on rows
    when old.state <> new.state or old.snapshot_id <> new.snapshot_id begin ${subtract} ${add} end`.execute(db);
}

/** The same in PostgreSQL's dialect. */
async function createPostgresTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`create function count_row() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update row_counts set rows = rows - 1 where snapshot_id = old.snapshot_id and state = old.state;
      end if;
      if tg_op <> 'DELETE' then
        insert into row_counts (snapshot_id, state, rows) values (new.snapshot_id, new.state, 1)
          on conflict (snapshot_id, state) do update set rows = row_counts.rows + 1;
      end if;
      return null;
    end $$`.execute(db);
  await sql`create trigger rows_counted_in after insert on rows for each row execute function count_row()`.execute(db);
  await sql`create trigger rows_counted_out after delete on rows for each row execute function count_row()`.execute(db);
  await sql`create trigger rows_counted_on after update of state, snapshot_id on rows for each row
    when (old.state <> new.state or old.snapshot_id <> new.snapshot_id) execute function count_row()`.execute(db);
}
