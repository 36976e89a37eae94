import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { LibsqlDialect } from '../../../ledger/engine/sqlite-dialect';
import { prepared, preparedFirst } from '../../../ledger/engine/store';
import { type Tables } from '../../../ledger/engine/tables';

describe('queries on SQLite', () => {
  let folder: string;
  let db: Kysely<Tables>;
  let other: Kysely<Tables>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelay-dialect-'));
    const path = join(folder, 'ledger.db');
    db = new Kysely({ dialect: new LibsqlDialect({ path }) });
    other = new Kysely({ dialect: new LibsqlDialect({ path }) });
    await sql`create table one (id integer primary key, name text)`.execute(db);
    await sql`insert into one values (1, 'a'), (2, null), (3, 'c')`.execute(db);
  });

  afterEach(async () => {
    await Promise.all([db.destroy(), other.destroy()]);
    await rm(folder, { recursive: true });
  });

  const anyOne = (from: number) => sql<{ id: number; name: string | null }>`select * from one where id >= ${from}`;

  it('give their rows by the names of their columns, and the first alone where no more is wanted', async () => {
    const all = prepared<{ from: number }, { id: number }>((on, p) => ({ compile: () => anyOne(p.from).compile(on) }));
    const first = preparedFirst<{ from: number }, { id: number }>((on, p) => ({
      compile: () => anyOne(p.from).compile(on),
    }));

    expect(await all(db, { from: 2 })).toEqual([
      { id: 2, name: null },
      { id: 3, name: 'c' },
    ]);
    expect(await first(db, { from: 2 })).toEqual({ id: 2, name: null });
    expect(await first(db, { from: 4 })).toBeUndefined();
  });

  it('are asked with their own parameters, whatever the same text was asked for before, and how that ended', async () => {
    const byId = (text: string) => sql<{ id: number }>`select id from one where id = json_extract(${text}, '$')`;
    const all = prepared<{ text: string }, { id: number }>((on, p) => ({ compile: () => byId(p.text).compile(on) }));
    const first = preparedFirst<{ text: string }, { id: number }>((on, p) => ({
      compile: () => byId(p.text).compile(on),
    }));
    expect(await all(db, { text: '3' })).toEqual([{ id: 3 }]);
    expect(await first(db, { text: '1' })).toEqual({ id: 1 });
    await expect(first(db, { text: 'no JSON' })).rejects.toThrow();
    expect(await first(db, { text: '2' })).toEqual({ id: 2 });
    await expect(all(db, { text: 'no JSON' })).rejects.toThrow();
    expect(await all(db, { text: '1' })).toEqual([{ id: 1 }]);
  });

  it('see a column that another process added after they were prepared', async () => {
    expect((await anyOne(3).execute(db)).rows).toEqual([{ id: 3, name: 'c' }]);
    await sql`alter table one add column added text default 'new'`.execute(other);
    expect((await anyOne(3).execute(db)).rows).toEqual([{ id: 3, name: 'c', added: 'new' }]);
  });
});
