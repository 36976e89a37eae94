import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ledger } from '../../ledger/ledger';
import { type AttemptOutcome } from '../../ledger/model/types';

export interface SpooledOutcome {
  rowId: number;
  attempt: number;
  outcome: AttemptOutcome;
}

/**
 * Outcomes that the ledger could not take, one synced file each, in a folder beside it. Read into the ledger before
 * anything is decided about a row.
 */
export class Spool {
  constructor(private readonly folder: string) {}

  /** Durable when it resolves: the file and its folder are synced. */
  async add(entry: SpooledOutcome): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const text = JSON.stringify(entry);
    const name = `${entry.rowId}-${entry.attempt}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`;
    const path = join(this.folder, name);
    const file = await open(`${path}.part`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    const folder = await open(this.folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Moves everything into the ledger. Throws when the ledger still can't be written; nothing is lost then. */
  async drainInto(ledger: Pick<Ledger, 'record'>): Promise<number> {
    let names: string[];
    try {
      names = await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
    let drained = 0;
    for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
      const path = join(this.folder, name);
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        // Another process of this host drained it first.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        throw error;
      }
      const entry = JSON.parse(text) as SpooledOutcome;
      await ledger.record(entry.rowId, entry.attempt, entry.outcome);
      await rm(path, { force: true });
      drained += 1;
    }
    return drained;
  }
}
