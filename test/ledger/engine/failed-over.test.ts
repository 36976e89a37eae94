import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger } from '../../../ledger/ledger';
import { LedgerRolledBackError } from '../../../ledger/model/errors';
import { openLedger } from '../../../ledger/open';
import { PostgresServer } from '../../support/postgres/postgres';
import { postgresPrograms } from '../../support/postgres/postgres-programs.js';
import { entries, submission, worker } from '../support';

(postgresPrograms() === null ? describe.skip : describe)('a database that a ledger can’t rely on', () => {
  const server = new PostgresServer();
  const folder = mkdtempSync(join(tmpdir(), 'ledger-failover-'));
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.end();
    rmSync(folder, { recursive: true });
  });

  it.each(['fsync', 'full_page_writes'])('is refused where its server runs with %s off', async (name) => {
    await server.stop();
    await server.start(`${name}=off`);
    const location = { url: await server.database(), sequenceFile: join(folder, `${name}.seq`) };
    await expect(openLedger(location)).rejects.toThrow(`its server runs with ${name} = off`);
    await server.stop();
    await server.start();
  });

  it('lets a worker claim nothing more after a rollback, and can’t be opened on the same host', async () => {
    const url = await server.database();
    const location = { url, sequenceFile: join(folder, 'ledger.seq') };
    const ledger: Ledger = await openLedger(location);
    try {
      await ledger.registerWorker(worker());
      await ledger.submit(submission(entries('a', 'b', 'c')));
      const execution = { campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'execution-1' };
      const run = await ledger.beginRun(execution);
      if (run === null) throw new Error('no open run');
      await ledger.importSubmissions(run);
      const [channel] = await ledger.channels(run);
      const at = { run, channelId: channel!.id, limit: 3, now: Date.now() };
      const [first, second, third] = (await ledger.takePage(at)).map((row) => row.id);
      const claim = (rowId: number) => ledger.claim({ rowId, run, worker: 'worker-1', now: Date.now() });
      expect((await claim(first!)).claimed).toBe(true);
      expect((await claim(second!)).claimed).toBe(true);
      // What a standby has that lacks the second claim.
      const database = new URL(url).pathname.slice(1);
      await server.query(
        `delete from attempts where row_id = ${String(second)}; update sequence set value = value - 1;` +
          `update rows set state = 'planned', attempts = 0, sent = 0 where id = ${String(second)}`,
        database,
      );
      await expect(claim(third!)).rejects.toThrow(LedgerRolledBackError);
      await expect(claim(second!)).rejects.toThrow(LedgerRolledBackError);
      await expect(openLedger(location)).rejects.toThrow(LedgerRolledBackError);
    } finally {
      await ledger.close();
    }
  });

  /** A ledger with a run of rows to claim, in that order. */
  async function begun(ledger: Ledger, count: number) {
    await ledger.registerWorker(worker());
    await ledger.submit(submission(entries(...['a', 'b', 'c'].slice(0, count))));
    const execution = { campaign: 'spring', workflowId: 'campaign/spring', workflowRunId: 'execution-1' };
    const run = await ledger.beginRun(execution);
    if (run === null) throw new Error('no open run');
    await ledger.importSubmissions(run);
    const [channel] = await ledger.channels(run);
    const rows = await ledger.takePage({ run, channelId: channel!.id, limit: count, now: Date.now() });
    const claim = (nth: number, by = ledger) =>
      by.claim({ rowId: rows[nth]!.id, run, worker: 'worker-1', now: Date.now() });
    return { claim };
  }

  it('refuses claims after a failover to a standby that may lack claims, also from a host that knows no number, until it is reconciled', async () => {
    const url = await server.database();
    const ledger = await openLedger({ url, sequenceFile: join(folder, 'promoted.seq') });
    // Another host, which has never claimed anything.
    const elsewhere = { url, sequenceFile: join(folder, 'elsewhere.seq') };
    try {
      const { claim } = await begun(ledger, 2);
      expect((await claim(0)).claimed).toBe(true);
      await server.promoteInPlace();
      await expect(claim(1)).rejects.toThrow('a standby took over');
      await expect(openLedger(elsewhere)).rejects.toThrow(LedgerRolledBackError);
      const reconciled = await openLedger(elsewhere, { allowRolledBack: true });
      expect(reconciled.rolledBack).toMatchObject({ lost: false, promoted: true });
      await reconciled.acceptRolledBack([]);
      await reconciled.close();
      expect((await claim(1)).claimed).toBe(true);
      await (await openLedger(elsewhere)).close();
    } finally {
      await ledger.close();
    }
  });

  it('is used as before where each commit had waited for the standby that took over', async () => {
    const url = await server.database();
    const standby = await server.standby();
    try {
      await server.query("alter system set synchronous_standby_names = '*'");
      await server.query('select pg_reload_conf()');
      const ledger = await openLedger({ url, sequenceFile: join(folder, 'synchronous.seq') });
      const { claim } = await begun(ledger, 3);
      expect((await claim(0)).claimed).toBe(true);
      await ledger.close();
      await standby.promote();
      const after = await openLedger({
        url: standby.url(new URL(url).pathname.slice(1)),
        sequenceFile: join(folder, 'synchronous.seq'),
      });
      expect((await claim(1, after)).claimed).toBe(true);
      await after.close();
      // From here on no commit waits for a standby: the next failover may lack claims.
      await standby.query("alter system set synchronous_standby_names = ''");
      await standby.query('select pg_reload_conf()');
      const last = await openLedger({
        url: standby.url(new URL(url).pathname.slice(1)),
        sequenceFile: join(folder, 'synchronous.seq'),
      });
      expect((await claim(2, last)).claimed).toBe(true);
      await standby.promoteInPlace();
      await expect(last.submit(submission(entries('z'), { campaign: 'later' }))).rejects.toThrow('a standby took over');
      await last.close();
    } finally {
      await standby.end();
    }
  });
});
