import { closeSync, constants, fsync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The ledger's sequence number when it was last written to the file beside it. */
export interface MirrorState {
  ledger: string;
  sequence: number;
}

/** Writes between two syncs. A mirror that lags behind is harmless: it only detects less. */
const SYNC_EVERY = 500;
const WIDTH = 120;

/**
 * The ledger's sequence number, mirrored in a file beside it: a ledger that was restored from an older copy, or created
 * again, is behind its mirror. Written after each commit without waiting for the disk (about 10 µs), and synced now and
 * then.
 */
export class SequenceMirror {
  readonly #file: number;
  #writes = 0;

  constructor(
    path: string,
    private readonly ledger: string,
  ) {
    // Never truncated: another process may have written to it a moment ago.
    this.#file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /**
   * Written in place and with a fixed length, so that a reader never sees half of it. Never throws: what it records is
   * already committed, and if the commit appeared to fail, its row would lose its answer. A file that can't be written
   * falls behind, which `doctor` reports, and the next commit writes it again.
   */
  note(sequence: number): void {
    const text = `${JSON.stringify({ ledger: this.ledger, sequence }).padEnd(WIDTH)}\n`;
    try {
      writeSync(this.#file, text, 0);
    } catch {
      return;
    }
    this.#writes += 1;
    if (this.#writes % SYNC_EVERY === 0) fsync(this.#file, () => undefined);
  }

  /** If it falls behind, only less is detected: the file contains nothing of the ledger itself. */
  close(): void {
    try {
      if (this.#writes > 0) fsyncSync(this.#file);
    } finally {
      closeSync(this.#file);
    }
  }
}

/** Null if there is no mirror, or nothing readable in it. */
export function readMirror(path: string): MirrorState | null {
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as Partial<MirrorState>;
    if (typeof state.ledger !== 'string' || typeof state.sequence !== 'number') return null;
    return { ledger: state.ledger, sequence: state.sequence };
  } catch {
    return null;
  }
}

/** `ledger.db` → `ledger.seq`. */
export function mirrorPath(ledgerPath: string): string {
  return `${ledgerPath.replace(/\.(db|sqlite3?)$/i, '')}.seq`;
}
