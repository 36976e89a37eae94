import {
  copyFile,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { createStore } from '../../../ledger/engine/group-commit';
import { LibsqlDialect } from '../../../ledger/engine/sqlite-dialect';
import { type Store, type Tx } from '../../../ledger/engine/store';
import { type Tables } from '../../../ledger/engine/tables';

describe('commits', () => {
  let folder: string;
  let db: Kysely<Tables>;
  let other: Kysely<Tables>;
  let store: Store;
  let datasync: jest.SpiedFunction<FileHandle['datasync']>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelay-sync-'));
    const path = join(folder, 'ledger.db');
    const handle = await open(join(folder, 'any'), 'w');
    datasync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
    await handle.close();
    db = new Kysely({ dialect: new LibsqlDialect({ path }) });
    other = new Kysely({ dialect: new LibsqlDialect({ path }) });
    await sql`create table one (id integer primary key)`.execute(db);
    store = createStore(db, Date.now);
    datasync.mockClear();
    // However slow the machine is, no write comes too late for the group.
    jest.spyOn(performance, 'now').mockReturnValue(0);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([db.destroy(), other.destroy()]);
    await rm(folder, { recursive: true });
  });

  const add = (id: number) => (tx: Tx) => sql`insert into one values (${id})`.execute(tx);
  const ids = async (on: Kysely<Tables>) =>
    (await sql<{ id: number }>`select id from one order by id`.execute(on)).rows.map((row) => row.id);

  it('are reported only after the disk has them, and the next one begins after that', async () => {
    let onDisk: (() => void) | undefined;
    datasync.mockImplementationOnce(() => new Promise((resolve) => (onDisk = resolve)));
    const told: number[] = [];
    const writes = [1, 2].map((id) => store.write(add(id)).then(() => told.push(id)));
    while (onDisk === undefined) await new Promise((resolve) => setImmediate(resolve));
    const later = store.write(add(3)).then(() => told.push(3));

    // Committed, as another process sees, but not reported yet.
    expect(await ids(other)).toEqual([1, 2]);
    expect(told).toEqual([]);
    onDisk();
    await Promise.all([...writes, later]);
    expect(told).toEqual([1, 2, 3]);
    expect(datasync).toHaveBeenCalledTimes(2);
  });

  it('leave the connection to others while the disk works, and take back nothing of theirs when it refuses', async () => {
    let refuse: ((error: Error) => void) | undefined;
    datasync.mockImplementationOnce(() => new Promise((_, reject) => (refuse = reject)));
    const refused = store.write(add(1)).catch((error: unknown) => String(error));
    while (refuse === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(await ids(db)).toEqual([1]);

    const theirs = await db.startTransaction().execute();
    await sql`insert into one values (2)`.execute(theirs);
    refuse(new Error('EIO: i/o error'));
    expect(await refused).toMatch(/could not be synced/u);
    // Their transaction is still open, and theirs to end.
    expect((await sql<{ id: number }>`select id from one`.execute(theirs)).rows).toHaveLength(2);
    await theirs.rollback().execute();
    expect(await ids(other)).toEqual([1]);
  });

  it('share a sync when they wait together', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, id) => store.write(add(id))));
    expect(datasync).toHaveBeenCalledTimes(1);
  });

  it('of a single statement are synced too, and reads are not', async () => {
    await sql`insert into one values (7)`.execute(db);
    expect(datasync).toHaveBeenCalledTimes(1);
    expect(await ids(db)).toEqual([7]);
    expect(datasync).toHaveBeenCalledTimes(1);
  });

  it('open the log once, however many of them are the first', async () => {
    const handles = new Set<number>();
    datasync.mockImplementation(function (this: FileHandle) {
      handles.add(this.fd);
      return Promise.resolve();
    });
    const fresh = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: join(folder, 'ledger.db') }) });
    await Promise.all([1, 2, 3].map((id) => sql`insert into one values (${id})`.execute(fresh)));
    await fresh.destroy();
    expect(handles.size).toBe(1);
  });

  it('are synced beside the file that a link leads to', async () => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    await writeFile(join(disk, 'ledger.db'), '');
    await symlink(join(disk, 'ledger.db'), join(folder, 'link.db'));
    // What an earlier file of the link's name left behind.
    await writeFile(join(folder, 'link.db-wal'), '');
    const linked = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: join(folder, 'link.db') }) });
    const synced: string[] = [];
    const real = datasync.getMockImplementation();
    datasync.mockImplementation(async function (this: FileHandle) {
      synced.push(await readlink(`/proc/self/fd/${this.fd}`));
      return real?.call(this);
    });
    await sql`create table two (id integer)`.execute(linked);
    await linked.destroy();
    expect(synced).toEqual([join(await realpath(disk), 'ledger.db-wal')]);
  });

  it('fail when another program has deleted the log, which SQLite keeps writing to', async () => {
    await store.write(add(1));
    await rm(join(folder, 'ledger.db-wal'));
    await expect(store.write(add(2))).rejects.toThrow(/log was deleted by another program/u);
    await expect(store.write(add(3))).rejects.toThrow(/nothing more is written/u);
  });

  describe('in a file that is replaced', () => {
    let ledger: string;
    let copy: string;
    beforeEach(async () => {
      ledger = join(folder, 'ledger.db');
      copy = join(folder, 'copy.db');
      await store.write(add(1));
      await sql`vacuum into ${sql.lit(copy)}`.execute(db);
      await store.write(add(2));
    });

    it.each<[string, () => Promise<void>, string]>([
      ['is moved over it', () => rename(copy, ledger), 'put in its place'],
      ['takes its name', () => rm(ledger).then(() => copyFile(copy, ledger)), 'put in its place'],
      ['never comes', () => rm(ledger), 'was deleted'],
    ])('fail, and nothing more is written, when another %s', async (_, replace, said) => {
      await replace();
      await expect(store.write(add(3))).rejects.toMatchObject({
        code: 'ledger-replaced',
        message: expect.stringContaining(said),
      });
      await expect(store.write(add(4))).rejects.toMatchObject({ code: 'ledger-replaced' });
      expect(await ids(db)).not.toContain(4);
    });

    it('fail when it gets shorter, which no ledger does', async () => {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
      await sql`create table many (text text)`.execute(db);
      await sql`insert into many select hex(randomblob(5000)) from generate_series(1, 20)`.execute(db);
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
      await store.write(add(3));
      await copyFile(copy, ledger);
      await expect(store.write(add(4))).rejects.toMatchObject({ code: 'ledger-replaced' });
    });

    it('leave no log behind that would be read as that of the file in its place', async () => {
      await rename(copy, ledger);
      await expect(store.write(add(3))).rejects.toMatchObject({ code: 'ledger-replaced' });
      await Promise.all([db.destroy(), other.destroy()]);
      expect((await stat(`${ledger}-wal`)).size).toBe(0);
      const restored = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: ledger }) });
      expect(await ids(restored)).toEqual([1]);
      await restored.destroy();
    });
  });

  it('fail once damage was found, as nothing in the file can be relied on', async () => {
    await store.write(add(1));
    const ledger = join(folder, 'damaged.db');
    await sql`vacuum into ${sql.lit(ledger)}`.execute(db);
    const damaged = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: ledger }) });
    await sql`create table two (id integer)`.execute(damaged);
    await sql`pragma wal_checkpoint(truncate)`.execute(damaged);
    await damaged.destroy();
    const file = await open(ledger, 'r+');
    await file.write(Buffer.alloc(4096, 0xff), 0, 4096, 4096);
    await file.close();
    const again = new Kysely<Tables>({ dialect: new LibsqlDialect({ path: ledger }) });
    await expect(ids(again)).rejects.toMatchObject({ code: 'SQLITE_CORRUPT' });
    await expect(createStore(again, Date.now).write(async () => undefined)).rejects.toMatchObject({
      code: 'SQLITE_CORRUPT',
    });
    await again.destroy();
  });

  it('fail when the disk refuses, and so does every later write of the process; another process continues', async () => {
    datasync.mockRejectedValueOnce(new Error('EIO: i/o error'));
    await expect(store.write(add(1))).rejects.toThrow(/could not be synced .*EIO.*nothing more is written/su);
    await expect(store.write(add(2))).rejects.toThrow(/could not be synced/u);
    await expect(sql`insert into one values (3)`.execute(db)).rejects.toThrow(/could not be synced/u);
    const again = createStore(other, Date.now);
    await again.write(add(4));
    const kept = await ids(other);
    expect(kept).toContain(4);
    expect(kept).not.toContain(2);
    expect(kept).not.toContain(3);
  });
});
