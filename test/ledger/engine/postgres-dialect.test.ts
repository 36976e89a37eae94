import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Kysely } from 'kysely';
import { createStore } from '../../../ledger/engine/group-commit';
import { migrate } from '../../../ledger/engine/migrations/migrations';
import { PostgresDialect } from '../../../ledger/engine/postgres-dialect';
import { type Store } from '../../../ledger/engine/store';
import { type Tables } from '../../../ledger/engine/tables';
import { LedgerUnreachableError } from '../../../ledger/model/errors';
import { CuttingProxy } from '../../support/cutting-proxy';
import { PostgresServer } from '../../support/postgres/postgres';
import { postgresPrograms } from '../../support/postgres/postgres-programs.js';

(postgresPrograms() === null ? describe.skip : describe)('a ledger in PostgreSQL', () => {
  const server = new PostgresServer();
  const opened: Kysely<Tables>[] = [];
  let url: string;
  beforeAll(() => server.start());
  beforeEach(async () => {
    url = await server.database();
    await migrate(dbAt(url));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.destroy()));
  });
  afterAll(() => server.end());

  function dbAt(address: string, options: { boundMs?: number; frozenMs?: number } = {}): Kysely<Tables> {
    const dialect = new PostgresDialect({
      url: address,
      location: 'postgres://test',
      connections: 4,
      boundMs: options.boundMs ?? 30_000,
      ...(options.frozenMs !== undefined && { frozenMs: options.frozenMs }),
    });
    const db = new Kysely<Tables>({ dialect });
    opened.push(db);
    return db;
  }

  const note = (store: Store, name: string) =>
    store.write((tx) => tx.insertInto('meta').values({ name, value: 'noted' }).execute());

  async function noted(db = dbAt(url)): Promise<string[]> {
    const rows = await db.selectFrom('meta').select('name').where('value', '=', 'noted').orderBy('name').execute();
    return rows.map(({ name }) => name);
  }

  it('keeps texts that PostgreSQL has no place for, and compares them by their bytes', async () => {
    const store = createStore(dbAt(url), Date.now);
    const texts = ['a\0b', 'a\uFDD00b', '\uFDD0', 'Z', 'a', 'ä', '\u{1F600}'];
    for (const text of texts) await note(store, text);
    expect(await noted(store.db)).toEqual(['Z', 'a', 'a\0b', 'a\uFDD00b', 'ä', '\uFDD0', '\u{1F600}']);
    const found = await store.db.selectFrom('meta').select('name').where('name', '=', 'a\0b').execute();
    expect(found).toEqual([{ name: 'a\0b' }]);
  });

  it('has a write whose commit was carried out, though its answer was lost', async () => {
    const proxy = new CuttingProxy(server.port);
    const port = await proxy.start();
    try {
      const store = createStore(dbAt(url.replace(`:${server.port}`, `:${port}`)), Date.now);
      await note(store, 'before');
      proxy.arm('commit\0', 'after');
      await note(store, 'lost-answer');
      expect(proxy.cuts).toBe(1);
      expect(await noted()).toEqual(['before', 'lost-answer']);
    } finally {
      await proxy.close();
    }
  });

  it('says of a write whose commit never arrived that it is not there', async () => {
    const proxy = new CuttingProxy(server.port);
    const port = await proxy.start();
    try {
      const store = createStore(dbAt(url.replace(`:${server.port}`, `:${port}`)), Date.now);
      proxy.arm('commit\0', 'before');
      await expect(note(store, 'never')).rejects.toThrow();
      expect(proxy.cuts).toBe(1);
      await note(store, 'after');
      expect(await noted()).toEqual(['after']);
    } finally {
      await proxy.close();
    }
  });

  it.each(['fast', 'immediate'] as const)(
    'goes on over a restart of the server (%s): what was told is there, what failed is not',
    async (how) => {
      const store = createStore(dbAt(url), Date.now);
      const told: string[] = [];
      const failed: string[] = [];
      const over = new AbortController();
      const writing = (async () => {
        for (let at = 0; !over.signal.aborted || told.length < 20; at++) {
          const name = `n${String(at).padStart(6, '0')}`;
          await note(store, name).then(
            () => told.push(name),
            () => failed.push(name),
          );
        }
      })();
      while (told.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.stop(how);
      await server.start();
      const before = told.length;
      while (told.length < before + 20) await new Promise((resolve) => setTimeout(resolve, 5));
      over.abort();
      await writing;
      expect(await noted()).toEqual(told);
      expect(failed.length).toBeLessThanOrEqual(1);
    },
  );

  it('takes back the write of a process that froze in it, which then can’t be completed', async () => {
    const child = spawn(
      process.execPath,
      ['-r', join(__dirname, '..', '..', 'support', 'register.js'), join(__dirname, 'writing-child.ts'), url],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'exit');
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('in the write');
      child.kill('SIGSTOP');
      const store = createStore(dbAt(url), Date.now);
      await note(store, 'other');
      child.kill('SIGCONT');
      child.stdin.end('on\n');
      expect((await lines.next()).value).toMatch(/^refused/);
      expect(await noted()).toEqual(['other']);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('is reported as unreachable if it stays so', async () => {
    const store = createStore(dbAt('postgres://reelay@127.0.0.1:1/none', { boundMs: 300 }), Date.now);
    await expect(note(store, 'a')).rejects.toThrow(LedgerUnreachableError);
    await expect(store.db.selectFrom('meta').selectAll().execute()).rejects.toThrow(/can’t be reached/);
  });
});
