import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { openLedger } from '../../ledger/open';
import { onceARun } from './once-a-run';

/** A new ledger's file with an id of its own; its tables are made once for all files of a run, and copied. */
export async function placeFreshLedger(path: string): Promise<void> {
  const made = await onceARun('fresh-ledger.db', async (own) => {
    await (await openLedger({ path: own })).close();
  });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  copyFileSync(made, path);
  const database = new Database(path);
  try {
    database.exec(`update meta set value = '${randomUUID()}' where name = 'id'`);
  } finally {
    database.close();
  }
}
