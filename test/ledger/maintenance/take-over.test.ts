import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger } from '../../../ledger/ledger';
import { EmptyDatabase } from '../../../ledger/maintenance/take-over';
import { LedgerMovedError, LedgerRolledBackError, LedgerStateError } from '../../../ledger/model/errors';
import { placeOf } from '../../../ledger/model/location';
import { openLedger } from '../../../ledger/open';
import { PostgresServer } from '../../support/postgres/postgres';
import { postgresPrograms } from '../../support/postgres/postgres-programs.js';
import { Bench, entries, entry, submission, worker } from '../support';

const ALL = ['a', 'b', 'c', 'd', 'e'];

(postgresPrograms() === null ? describe.skip : describe)('a ledger that moves from its file to PostgreSQL', () => {
  const server = new PostgresServer();
  let bench: Bench;
  let target: { url: string; sequenceFile: string };
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(() => server.start());
  afterAll(() => server.end());
  beforeEach(async () => {
    bench = await new Bench().open();
    target = { url: await server.database(), sequenceFile: join(bench.folder, 'database.seq') };
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await bench.close();
  });

  const gone = () => 'dead' as const;

  async function database(): Promise<EmptyDatabase> {
    const empty = await EmptyDatabase.open(target);
    opened.push(empty);
    return empty;
  }

  async function open(location: Parameters<typeof openLedger>[0]): Promise<Ledger> {
    const ledger = await openLedger(location, { now: () => bench.time });
    opened.push(ledger);
    return ledger;
  }

  async function everythingOf(ledger: Ledger): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const row of ledger.exportRows()) all.push(row);
    const { campaigns, openRuns, rows, attempts, accounts } = await ledger.status();
    return [...all, { campaigns, openRuns, rows, attempts, accounts }, ledger.id];
  }

  /**
   * A run with a live row, one whose answer is open, and waiting rows; one title has a character that PostgreSQL's text
   * can't contain.
   */
  async function used() {
    const odd = entry(5, 'f', { values: { title: 'A title \0 with \u{FDD0} more' } });
    const run = await bench.begin(submission([...entries(...ALL), odd]));
    const [first = 0, second = 0] = await bench.rowIds(run);
    await bench.claimed(run, first);
    await bench.ledger.record(first, 1, { kind: 'accepted', publicationId: 'pub-1', status: 'processing' });
    await bench.claimed(run, second);
    return { run, first, second };
  }

  it('takes everything along, and nothing can be claimed in the file any more', async () => {
    const { run, second } = await used();
    const before = await everythingOf(bench.ledger);
    await bench.ledger.leaveFor(placeOf(target), gone);
    expect(await (await database()).takeOver(bench.path)).toEqual({ campaigns: 1, rows: 6 });

    const ledger = await open(target);
    expect(await everythingOf(ledger)).toEqual(before);
    expect(await ledger.sequence()).toBeGreaterThan(await bench.ledger.sequence());
    // Neither who has the file open nor who opens it can send or submit.
    const [, , third = 0] = await bench.rowIds(run);
    await expect(bench.claim(run, third)).rejects.toThrow(/was moved to postgres:/u);
    await expect(bench.ledger.submit(submission(entries('z')))).rejects.toThrow(/was moved to postgres:/u);
    await expect(openLedger({ path: bench.path })).rejects.toThrow(LedgerMovedError);

    // In the database the run continues: the row whose answer is open stays claimed, the others can be claimed, numbers
    // continue.
    await ledger.registerWorker(worker('worker-2'));
    expect(await ledger.claim({ rowId: second, run, worker: 'worker-2', now: bench.time })).toMatchObject({
      claimed: false,
    });
    expect(await ledger.claim({ rowId: third, run, worker: 'worker-2', now: bench.time })).toMatchObject({
      claimed: true,
    });
    await ledger.submit(submission(entries('p', 'q'), { campaign: 'autumn' }));
    await ledger.beginRun({ campaign: 'autumn', workflowId: 'campaign/autumn', workflowRunId: 'execution-9' });
    expect((await ledger.status()).campaigns).toBe(2);
  });

  it('is taken over later where that was interrupted', async () => {
    await used();
    await bench.ledger.leaveFor(placeOf(target), gone);
    const before = await everythingOf(bench.ledger);
    await expect((await database()).takeOver(join(bench.folder, 'other.db'))).rejects.toThrow();
    expect(await (await database()).takeOver(bench.path)).toEqual({ campaigns: 1, rows: 6 });
    expect(await everythingOf(await open(target))).toEqual(before);
  });

  it('stays where it is while a worker runs, and moves to no ledger that was used, nor elsewhere', async () => {
    await used();
    await expect(bench.ledger.leaveFor(placeOf(target), () => 'alive')).rejects.toThrow(LedgerStateError);
    // Heard of just now, of a machine that can't be asked.
    await expect(bench.ledger.leaveFor(placeOf(target), () => 'unknown')).rejects.toThrow(/still runs/u);
    await (await open({ path: bench.path })).close();
    opened.pop();
    const empty = await database();
    await expect(empty.takeOver(bench.path)).rejects.toThrow(/was not left for/u);

    await (await open(target)).bindAccount({ account: 'default', baseUrl: 'https://service.example' });
    await expect(EmptyDatabase.open(target)).rejects.toThrow(/was used already/u);
    await bench.ledger.leaveFor(placeOf(target), gone);
    await expect(empty.takeOver(bench.path)).rejects.toThrow(/was used already/u);
  });

  it('can’t be brought back by a copy of its file', async () => {
    await used();
    const copy = join(bench.folder, 'copy.db');
    await bench.ledger.backup(copy);
    await bench.ledger.leaveFor(placeOf(target), gone);
    await bench.ledger.close();
    for (const end of ['', '-wal', '-shm']) rmSync(bench.path + end, { force: true });
    copyFileSync(copy, bench.path);
    await expect(openLedger({ path: bench.path })).rejects.toThrow(LedgerRolledBackError);
    bench.ledger = await openLedger({ path: bench.path }, { allowRolledBack: true });
  });
});
