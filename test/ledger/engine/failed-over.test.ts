import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger } from '../../../ledger/ledger';
import { LedgerRolledBackError } from '../../../ledger/model/errors';
import { openLedger } from '../../../ledger/open';
import { PostgresServer } from '../../support/postgres';
import { postgresPrograms } from '../../support/postgres-programs';
import { entries, submission, worker } from '../support';

(postgresPrograms() === null ? describe.skip : describe)('a database that a ledger can’t rely on', () => {
  const server = new PostgresServer();
  const folder = mkdtempSync(join(tmpdir(), 'ledger-failover-'));
  beforeAll(() => server.start(), 60_000);
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

  it('lets a worker claim nothing more where it went back, and is refused to whoever opens it on the same host', async () => {
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
});
