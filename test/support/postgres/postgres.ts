import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { onceARun } from '../once-a-run';
import { postgresPrograms } from './postgres-programs.js';
import { freePort } from '../../../embedded/server/ports';

/** A PostgreSQL server for the test, on 127.0.0.1 and in a temporary folder. */
export class PostgresServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'reelay-pg-'));
  readonly #data = join(this.folder, 'data');
  #process: ChildProcess | undefined;
  #databases = 0;
  port = 0;

  /** `settings`: of the server, such as `fsync=off`. */
  async start(...more: string[]): Promise<this> {
    const programs = postgresPrograms();
    if (programs === null) throw new Error('PostgreSQL is not installed (Debian: postgresql-15)');
    if (!existsSync(this.#data)) {
      this.port = await freePort();
      const fresh = await onceARun('reelay-pg-data', (own) => initialise(programs, own));
      const user = owner();
      if (user.uid !== undefined && user.gid !== undefined) chownSync(this.folder, user.uid, user.gid);
      // As its own user: it refuses a folder of another one.
      execFileSync('cp', ['-R', fresh, this.#data], { ...user, cwd: this.folder });
      chmodSync(this.#data, 0o700);
    }
    const settings = [
      ...more,
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.folder}`,
    ];
    this.#process = spawn(
      join(programs, 'postgres'),
      ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...owner(), stdio: 'ignore', cwd: this.folder },
    );
    await this.#answering();
    return this;
  }

  /** A server that follows this one, and can take its place (`promote`). */
  async standby(): Promise<PostgresServer> {
    const standby = new PostgresServer();
    standby.port = await freePort();
    const user = owner();
    if (user.uid !== undefined && user.gid !== undefined) chownSync(standby.folder, user.uid, user.gid);
    const from = ['--host', '127.0.0.1', '--port', String(this.port), '--username', 'reelay'];
    execFileSync(
      join(postgresPrograms() ?? '', 'pg_basebackup'),
      ['--pgdata', standby.#data, ...from, '--write-recovery-conf', '--checkpoint', 'fast', '--no-sync'],
      { ...user, stdio: 'ignore', cwd: standby.folder },
    );
    return standby.start();
  }

  /** Makes a primary of a standby. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** The same server, as if it were a standby that took its own place: all data, and a new timeline. */
  async promoteInPlace(): Promise<void> {
    await this.stop();
    writeFileSync(join(this.#data, 'standby.signal'), '');
    await this.start();
    await this.promote();
  }

  /** `fast` ends sessions at once, `immediate` is like a crash. */
  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once('exit', resolve));
    process.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  async end(): Promise<void> {
    await this.stop('immediate');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A database like `template`, empty by default; gives its address. */
  async database(template = 'template1'): Promise<string> {
    const name = `ledger_${++this.#databases}`;
    await this.query(`create database ${name} template ${template}`);
    return this.url(name);
  }

  url(database: string): string {
    return `postgres://reelay@127.0.0.1:${this.port}/${database}`;
  }

  async query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async #answering(): Promise<void> {
    for (;;) {
      try {
        await this.query('select 1');
        return;
      } catch (error) {
        if (this.#process?.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

/** A server's data before its first start. */
async function initialise(programs: string, own: string): Promise<void> {
  const folder = dirname(own);
  const user = owner();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const settings = [
    '--username',
    'reelay',
    '--auth',
    'trust',
    '--no-sync',
    '--encoding',
    'UTF8',
    '--locale',
    'C.UTF-8',
  ];
  execFileSync(join(programs, 'initdb'), ['--pgdata', own, ...settings], { ...user, stdio: 'ignore', cwd: folder });
}

/** PostgreSQL refuses to run as root: it then runs as the user that its package made. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
