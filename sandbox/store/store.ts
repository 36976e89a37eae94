import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from './journal';
import { type ChangeEntry, type LogEntry, fromLogEntry, toLogEntry } from './log-entries';
import { type PublicationRecord } from './records';

/** A publication about to be accepted: everything except for its position. */
export type NewPublication = Omit<PublicationRecord, 'n' | 'createdAt'>;

/** Publications in memory, in the order of acceptance, and on disk if a folder is given. */
export class Store {
  /** Path of `creates.log`; null without a folder. */
  readonly logPath: string | null;
  readonly #creates: Journal | null = null;
  readonly #changes: Journal | null = null;
  readonly #byId = new Map<string, PublicationRecord>();
  /** Oldest first, by `n`. */
  readonly #ordered: PublicationRecord[] = [];
  /** Accepted requests of all times, deleted ones too. */
  readonly #log: LogEntry[] = [];
  #last = 0;

  /**
   * Rebuilds the state from the folder.
   * @throws Error if the folder can't be written, or a log is damaged in its middle.
   */
  constructor(dir: string | undefined, fsync: boolean) {
    this.logPath = dir === undefined ? null : join(dir, 'creates.log');
    if (dir === undefined || this.logPath === null) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const creates = Journal.open(this.logPath, fsync);
    const changes = Journal.open(join(dir, 'changes.log'), fsync);
    this.#creates = creates.journal;
    this.#changes = changes.journal;
    this.#rebuild(creates.lines as LogEntry[], changes.lines as ChangeEntry[]);
  }

  /** Number of accepted requests so far, across restarts. */
  get accepted(): number {
    return this.#log.length;
  }

  get(id: string): PublicationRecord | undefined {
    return this.#byId.get(id);
  }

  /** Oldest first. Not to be changed by the caller. */
  ordered(): readonly PublicationRecord[] {
    return this.#ordered;
  }

  /** The publication accepted last, not counting those of other clients and direct publishes. */
  newestPublication(): PublicationRecord | undefined {
    return this.#ordered.findLast(({ kind }) => kind === 'publication');
  }

  log(): readonly LogEntry[] {
    return this.#log;
  }

  nextNumber(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Stores a publication; resolves when it is in the log, so that the answer can be sent. */
  async accept(n: number, publication: NewPublication, listed: boolean): Promise<PublicationRecord> {
    const record: PublicationRecord = { n, createdAt: Date.now(), ...publication };
    const entry = toLogEntry(record);
    if (record.kind === 'foreign') await this.#changes?.append({ op: 'foreign', entry } satisfies ChangeEntry);
    else {
      await this.#creates?.append(listed ? entry : { ...entry, listed: false });
      this.#log.push(entry);
    }
    if (listed) this.#insert(record);
    return record;
  }

  async change(record: PublicationRecord, set: Partial<PublicationRecord>): Promise<void> {
    await this.#changes?.append({ op: 'set', id: record.id, set } satisfies ChangeEntry);
    Object.assign(record, set);
  }

  async remove(record: PublicationRecord): Promise<void> {
    await this.#changes?.append({ op: 'delete', id: record.id } satisfies ChangeEntry);
    this.#drop(record);
  }

  close(): void {
    this.#creates?.close();
    this.#changes?.close();
  }

  #insert(record: PublicationRecord): void {
    this.#byId.set(record.id, record);
    // Synced writes may finish slightly out of order; the order of acceptance is that of the numbers.
    let at = this.#ordered.length;
    while (at > 0 && (this.#ordered[at - 1]?.n ?? 0) > record.n) at -= 1;
    if (at === this.#ordered.length) this.#ordered.push(record);
    else this.#ordered.splice(at, 0, record);
  }

  #drop(record: PublicationRecord): void {
    if (!this.#byId.delete(record.id)) return;
    let low = 0;
    let high = this.#ordered.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ordered[middle]?.n ?? 0) < record.n) low = middle + 1;
      else high = middle;
    }
    this.#ordered.splice(low, 1);
  }

  #rebuild(creates: (LogEntry & { listed?: false })[], changes: ChangeEntry[]): void {
    const listed: LogEntry[] = [];
    for (const { listed: shown, ...entry } of creates) {
      this.#log.push(entry);
      this.#last = Math.max(this.#last, entry.n);
      if (shown !== false) listed.push(entry);
    }
    for (const change of changes) if (change.op === 'foreign') listed.push(change.entry);
    for (const entry of listed.sort((a, b) => a.n - b.n)) {
      this.#last = Math.max(this.#last, entry.n);
      this.#insert(fromLogEntry(entry));
    }
    for (const change of changes) {
      if (change.op === 'foreign') continue;
      const record = this.#byId.get(change.id);
      if (record === undefined) continue;
      if (change.op === 'delete') this.#drop(record);
      else Object.assign(record, change.set);
    }
  }
}
