import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openLedger } from '../../../ledger/open';
import { worker } from '../support';

/** Another program that uses the database and closes it properly: the last one to do so deletes the log. */
const OTHER = `const Database = require('libsql'); const database = new Database(process.argv[1]);
database.exec("insert into meta (name, value) values ('seen by', 'other') on conflict do nothing"); database.close();`;

describe('a ledger that one process opens twice', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'reelay-twice-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('keeps its locks and its log, whichever process closes it meanwhile', async () => {
    const path = join(folder, 'ledger.db');
    const first = await openLedger({ path });
    await first.registerWorker(worker('first'));
    await first.close();
    const second = await openLedger({ path });
    await second.registerWorker(worker('second'));

    execFileSync(process.execPath, ['-e', OTHER, path], { cwd: join(__dirname, '../../..') });
    expect(existsSync(`${path}-wal`)).toBe(true);
    await second.registerWorker(worker('third'));
    await second.close();

    const database = new Database(path);
    const ids = database.prepare('select id from workers order by id').all() as { id: string }[];
    expect(ids.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
    database.close();
  });

  it('has everything in its file once it is closed', async () => {
    const path = join(folder, 'ledger.db');
    const ledger = await openLedger({ path });
    await ledger.registerWorker(worker('only'));
    await ledger.close();
    expect((await stat(`${path}-wal`).catch(() => ({ size: 0 }))).size).toBe(0);
    expect((await stat(path)).size).toBeGreaterThan(4096);
  });
});
