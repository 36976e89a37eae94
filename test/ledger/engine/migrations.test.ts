import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'libsql';
import { Kysely } from 'kysely';
import { migrate, MIGRATION_NAMES } from '../../../ledger/engine/migrations/migrations';
import { LibsqlDialect } from '../../../ledger/engine/sqlite-dialect';
import { type Tables } from '../../../ledger/engine/tables';
import { openLedger } from '../../../ledger/open';
import { Bench, entries, submission } from '../support';

interface Ended {
  signal: NodeJS.Signals | null;
  /** Printed by a child that opened the ledger. */
  opened: { id: string; statements: number } | null;
  complaint: string;
}

describe('the tables of a new ledger', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reelay-migrations-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function openInChild(path: string, killAt?: number): Promise<Ended> {
    const child = spawn(
      process.execPath,
      [
        '-r',
        join(__dirname, '..', '..', 'support', 'register.js'),
        join(__dirname, 'opening-child.ts'),
        path,
        ...(killAt === undefined ? [] : [String(killAt)]),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    children.push(child);
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)));
    const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { signal: await ended, opened: out === '' ? null : (JSON.parse(out) as Ended['opened']), complaint };
  }

  async function demandUsable(path: string): Promise<void> {
    const ledger = await openLedger({ path });
    await ledger.bindAccount({ account: 'default', baseUrl: 'https://video.example' });
    expect(await ledger.status()).toMatchObject({ rows: 0, accounts: [{ name: 'default' }] });
    await ledger.close();
  }

  it('are made after a kill -9 at any moment of the first opening', async () => {
    const whole = await openInChild(join(folder, 'whole', 'ledger.db'));
    expect(whole.complaint).toBe('');
    const statements = whole.opened?.statements ?? 0;
    expect(statements).toBeGreaterThan(50);
    const tried = 10;
    for (let round = 0; round < tried; round += 1) {
      const path = join(folder, `home-${String(round)}`, 'ledger.db');
      const killed = await openInChild(path, 1 + Math.floor((round * statements) / tried));
      expect(killed).toMatchObject({ signal: 'SIGKILL', opened: null });
      await demandUsable(path);
    }
  });

  it('are made once where three processes open a new home together', async () => {
    for (let round = 0; round < 3; round += 1) {
      const path = join(folder, `home-${String(round)}`, 'ledger.db');
      const all = await Promise.all([openInChild(path), openInChild(path), openInChild(path)]);
      expect(all.map((one) => one.complaint)).toEqual(['', '', '']);
      expect(new Set(all.map((one) => one.opened?.id)).size).toBe(1);
      await demandUsable(path);
    }
  });

  it('are whole migrations at every statement of an upgrade, so that an interrupted one resumes', async () => {
    const path = join(folder, 'ledger.db');
    const db = new Kysely<Tables>({ dialect: new LibsqlDialect({ path }), log: (event) => keep(event.query.sql) });
    const copies: string[] = [];
    function keep(statement: string): void {
      if (!/^(create|alter|insert|drop|update)\b/iu.test(statement)) return;
      const copy = join(folder, `copy-${String(copies.length)}`);
      mkdirSync(copy);
      for (const end of ['', '-wal'])
        if (existsSync(path + end)) copyFileSync(path + end, `${join(copy, 'ledger.db')}${end}`);
      copies.push(join(copy, 'ledger.db'));
    }
    await migrate(db);
    await db.destroy();
    expect(copies.length).toBeGreaterThan(50);
    const seen = new Set<number>();
    for (const copy of copies) {
      const database = new Database(copy);
      const tables = database.prepare("select count(*) as n from sqlite_master where name = 'kysely_migration'").get();
      const done =
        (tables as { n: number }).n === 0 ? 0 : database.prepare('select name from kysely_migration').all([]).length;
      seen.add(done);
      database.close();
      await demandUsable(copy);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(MIGRATION_NAMES.map((_, at) => at));
  });

  it('are made again where an earlier version was killed between two of its statements', async () => {
    const path = join(folder, 'ledger.db');
    const database = new Database(path);
    database.exec(`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
      create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
      create table meta (name text not null primary key, value text not null);
      create table snapshots (id integer primary key autoincrement);
      create table submissions (snapshot_id integer references snapshots (id));`);
    database.close();
    await demandUsable(path);
  });

  it('keep lost answers of a ledger that has them under their earlier name', async () => {
    const bench = await new Bench().open();
    try {
      const run = await bench.begin(submission(entries('lost', 'refused')));
      const [lost, refused] = await bench.rowIds(run);
      for (const id of [lost, refused]) await bench.claim(run, id!);
      await bench.ledger.record(lost!, 1, { kind: 'unknown', code: 'lost', message: 'cut off' });
      await bench.ledger.record(refused!, 1, { kind: 'rejected', code: 'http-422', message: 'no' });
      await bench.ledger.close();
      const database = new Database(bench.path);
      database.exec(`delete from kysely_migration where name = '0014-plain-names';
        drop index attempts_unsettled;
        drop index attempts_answered;
        update attempts set outcome = 'perhaps' where outcome = 'unknown';
        create index attempts_unsettled on attempts (account) where outcome = 'perhaps' and coalesce(settled_as, 'unconfirmed') = 'unconfirmed';
        create index attempts_answered on attempts (account, ended_at) where outcome in ('access', 'rejected') or settled_as = 'give-up';
        alter table list_scans rename to looks;`);
      database.close();
      await bench.open();
      expect(await bench.ledger.unsettled(run)).toMatchObject([{ rowId: lost, code: 'lost' }]);
    } finally {
      await bench.close();
    }
  });
});
