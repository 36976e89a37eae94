import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { createStore } from '../../../ledger/engine/group-commit';
import { raiseSequence } from '../../../ledger/engine/raise-sequence';
import { LibsqlDialect } from '../../../ledger/engine/sqlite-dialect';
import { type Store, type Tx } from '../../../ledger/engine/store';
import { type Tables } from '../../../ledger/engine/tables';

describe('writes that wait together', () => {
  let folder: string;
  let db: Kysely<Tables>;
  let other: Kysely<Tables>;
  let store: Store;
  let raised: number[];

  beforeEach(async () => {
    // However slow the machine is, no write comes too late for the group.
    jest.spyOn(performance, 'now').mockReturnValue(0);
    folder = await mkdtemp(join(tmpdir(), 'reelay-group-'));
    const path = join(folder, 'ledger.db');
    db = new Kysely({ dialect: new LibsqlDialect({ path }) });
    other = new Kysely({ dialect: new LibsqlDialect({ path }) });
    await sql`create table one (id integer primary key)`.execute(db);
    await sql`create table child (id integer primary key, one integer not null references one(id))`.execute(db);
    await sql`create table sequence (value integer not null)`.execute(db);
    await sql`insert into sequence values (0)`.execute(db);
    store = createStore(db, Date.now);
    raised = [];
    store.onRaised((value) => raised.push(value));
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([db.destroy(), other.destroy()]);
    await rm(folder, { recursive: true });
  });

  const add = (id: number) => (tx: Tx) => sql`insert into one values (${id})`.execute(tx).then(() => id);
  const committed = async () =>
    (await sql<{ id: number }>`select id from one order by id`.execute(other)).rows.map((row) => row.id);

  it('are all there for other processes when they resolve', async () => {
    const seen: number[][] = [];
    const writes = [1, 2, 3].map((id) => store.write(add(id)).then(async () => seen.push(await committed())));
    await Promise.all(writes);
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('leave each other alone when one of them throws', async () => {
    const results = await Promise.allSettled([
      store.write(add(1)),
      store.write(async (tx) => {
        raiseSequence(tx);
        await add(2)(tx);
        throw new Error('not this one');
      }),
      store.write(async (tx) => {
        await add(3)(tx);
        await add(1)(tx);
      }),
      store.write(add(4)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await committed()).toEqual([1, 4]);
    expect(raised).toEqual([]);
    await store.write(async (tx) => raiseSequence(tx));
    expect(raised).toEqual([1]);
  });

  it('have all failed when their commit fails, and the next ones go on', async () => {
    const results = await Promise.allSettled([
      store.write(add(1)),
      store.write(async (tx) => {
        await sql`pragma defer_foreign_keys = on`.execute(tx);
        await sql`insert into child values (1, 99)`.execute(tx);
      }),
      store.write(add(2)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await committed()).toEqual([]);
    await expect(store.write(add(5))).resolves.toBe(5);
    expect(await committed()).toEqual([5]);
  });

  it('have all failed when the transaction ends under them, and nothing of them is left', async () => {
    const results = await Promise.allSettled([
      store.write(add(1)),
      store.write(async (tx) => {
        // As a full disk does: SQLite takes the whole transaction back by itself.
        await sql`insert or rollback into one values (1)`.execute(tx);
      }),
      store.write(add(2)),
    ]);
    expect(results.slice(0, 2).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const left = await committed();
    expect(left).toEqual(results[2].status === 'fulfilled' ? [2] : []);
    await expect(store.write(add(5))).resolves.toBe(5);
  });
});
