import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { type Ledger } from '../../ledger/ledger';
import { type LedgerLocation } from '../../ledger/model/location';
import { type LedgerOptions, openLedger } from '../../ledger/open';
import { placeFreshLedger } from '../support/fresh-ledger';
import { PostgresServer } from '../support/postgres/postgres';
import { type SubmissionProblem, SubmissionRefusedError } from '../../ledger/model/errors';
import { type ClaimResult, type WorkerIdentity } from '../../ledger/model/attempt-types';
import { type SubmissionInput } from '../../ledger/model/submission-types';
import { type CampaignSettings, type Entry, type RowValues, type RunRef } from '../../ledger/model/types';

/** 2026-03-02 12:00 UTC */
export const NOON = Date.UTC(2026, 2, 2, 12);

export const SETTINGS: CampaignSettings = {
  late: 'hold',
  giveUpAfterMs: 24 * 3600 * 1000,
  ambiguous: 'reconcile',
  repeat: 'refuse',
  channelConcurrency: 4,
  accountConcurrency: 16,
};

export function worker(id = 'worker-1'): WorkerIdentity {
  return { id, hostId: 'host', bootId: 'boot', pid: 4711, startTime: '100' };
}

export function values(key: string, changes: Partial<RowValues> = {}): RowValues {
  return {
    source: `https://media.example/${key}.mp4`,
    sourceKind: 'url',
    platform: 'platform_b',
    platformKind: 'long',
    profileId: 'p-1',
    profileName: 'Garden',
    title: `Episode ${key}`,
    description: null,
    privacy: 'public',
    status: 'published',
    publishAt: null,
    via: 'publication',
    ...changes,
  };
}

export type EntryChanges = Partial<Omit<Entry, 'values'>> & { values?: Partial<RowValues> };

export function entry(position: number, key: string, { values: changed, ...changes }: EntryChanges = {}): Entry {
  return {
    position,
    line: position + 2,
    key,
    account: 'default',
    skip: false,
    cells: { key, note: `note ${key}` },
    ...changes,
    values: values(key, changed),
  };
}

export function entries(...keys: string[]): Entry[] {
  return keys.map((key, position) => entry(position, key));
}

export function submission(
  rows: readonly Entry[],
  changes: Partial<Omit<SubmissionInput, 'snapshot' | 'entries'>> & {
    settings?: Partial<CampaignSettings>;
    path?: string;
  } = {},
): SubmissionInput {
  const { settings, path = '/manifests/spring.csv', ...rest } = changes;
  const all = { ...SETTINGS, ...settings };
  const hash = createHash('sha256')
    .update(JSON.stringify([rows, all]))
    .digest('hex');
  return {
    campaign: 'spring',
    snapshot: { hash, fileHash: hash, path, format: 'csv', text: 'text', columns: ['key', 'note'], settings: all },
    entries: rows,
    by: 'ana@desk',
    ...rest,
  };
}

/** The server of this test file, where its ledgers are in PostgreSQL. */
export const server = process.env['REELAY_TEST_ENGINE'] === 'postgres' ? new PostgresServer() : null;
if (server && typeof beforeAll === 'function') {
  beforeAll(async () => {
    await server.start();
    // Its tables are made once, and copied for each test.
    const made = await openLedger({ url: await server.database(), sequenceFile: join(server.folder, 'ledger.seq') });
    await made.close();
  });
  afterAll(() => server.end());
}

/** A test of what only a file can show. */
export function inFile(name: string, test: () => Promise<void>): void {
  (server ? it.skip : it)(name, test);
}

function changeFile(path: string, statement: string): void {
  const database = new Database(path);
  try {
    database.exec(statement);
  } finally {
    database.close();
  }
}

/** A separate ledger, in a file or a PostgreSQL database, with a clock that the test sets. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  readonly path = join(this.folder, 'home', 'ledger.db');
  location: LedgerLocation = { path: this.path };
  time = NOON;
  ledger!: Ledger;
  private executions = 0;

  async open(options: LedgerOptions = {}): Promise<this> {
    if (server && 'path' in this.location) {
      this.location = { url: await server.database('ledger_1'), sequenceFile: join(this.folder, 'ledger.seq') };
    } else if ('path' in this.location && this.location.path === this.path && !existsSync(this.path)) {
      await placeFreshLedger(this.path);
    }
    this.ledger = await openLedger(this.location, { now: () => this.time, ...options });
    await this.ledger.registerWorker(worker());
    return this;
  }

  /** Changes the database behind the ledger's back. */
  async change(statement: string): Promise<void> {
    if ('url' in this.location) await server?.query(statement, new URL(this.location.url).pathname.slice(1));
    else changeFile(this.path, statement);
  }

  async close(): Promise<void> {
    await this.ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Submits, binds and imports. */
  async begin(input: SubmissionInput): Promise<RunRef> {
    await this.ledger.submit(input);
    return this.import(input.campaign);
  }

  async import(campaign = 'spring'): Promise<RunRef> {
    const open = await this.ledger.newestRun(campaign);
    const workflowRunId =
      open?.open === true && open.workflowRunId !== null ? open.workflowRunId : `execution-${++this.executions}`;
    const run = await this.ledger.beginRun({ campaign, workflowId: `campaign/${campaign}`, workflowRunId });
    if (!run) throw new Error('no open run');
    await this.ledger.importSubmissions(run);
    return run;
  }

  async rowIds(run: RunRef, now = this.time): Promise<number[]> {
    const ids: number[] = [];
    for (const channel of await this.ledger.channels(run)) {
      for (const row of await this.ledger.takePage({ run, channelId: channel.id, limit: 1000, now })) ids.push(row.id);
    }
    return ids;
  }

  async firstId(run: RunRef): Promise<number> {
    const [id] = await this.rowIds(run);
    if (id === undefined) throw new Error('no row to take');
    return id;
  }

  claim(run: RunRef, rowId: number, by = 'worker-1'): Promise<ClaimResult> {
    return this.ledger.claim({ rowId, run, worker: by, now: this.time });
  }

  async claimed(run: RunRef, rowId: number): Promise<number> {
    const claim = await this.claim(run, rowId);
    if (!claim.claimed) throw new Error(`not claimed: ${claim.reason}`);
    return claim.attempt;
  }

  /** Every row is claimed and accepted by the service, as `pub-ID`. */
  async publish(run: RunRef): Promise<void> {
    for (const id of await this.rowIds(run)) {
      await this.claimed(run, id);
      await this.ledger.record(id, 1, { kind: 'accepted', publicationId: `pub-${id}`, status: 'processing' });
    }
  }

  /** Submits; why it is refused, or nothing if it is accepted. */
  async problems(input: SubmissionInput): Promise<readonly SubmissionProblem[]> {
    try {
      await this.ledger.submit(input);
    } catch (error) {
      if (error instanceof SubmissionRefusedError) return error.problems;
      throw error;
    }
    return [];
  }

  async states(run: RunRef): Promise<Record<string, string>> {
    const states: Record<string, string> = {};
    for await (const record of this.ledger.results(run)) states[record.key] = record.state;
    return states;
  }
}
