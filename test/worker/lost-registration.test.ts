import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { currentProcess } from '../../host/process-identity';
import { type LedgerLocation } from '../../ledger/model/location';
import { openLedger } from '../../ledger/open';
import { buildAccounts } from '../../worker/accounts';
import { startWorker } from '../../worker/start-worker';
import { PostgresServer } from '../support/postgres/postgres';
import { postgresPrograms } from '../support/postgres/postgres-programs.js';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const LOSE = 'delete from workers';

const inFile = async (folder: string) => {
  const path = join(folder, 'ledger.db');
  const lose = async () => {
    const database = new Database(path);
    database.exec(LOSE);
    database.close();
  };
  return { location: { path }, lose, end: async () => undefined };
};

const inPostgres = async (folder: string) => {
  const server = await new PostgresServer().start();
  const url = await server.database();
  const lose = async () => {
    await server.query(LOSE, new URL(url).pathname.slice(1));
  };
  return { location: { url, sequenceFile: join(folder, 'ledger.seq') }, lose, end: () => server.end() };
};

const ENGINES: [string, (folder: string) => Promise<Engine>][] = [['a file', inFile]];
if (postgresPrograms() !== null) ENGINES.push(['PostgreSQL', inPostgres]);

interface Engine {
  location: LedgerLocation;
  lose: () => Promise<void>;
  end: () => Promise<void>;
}

test.each(ENGINES)(
  'a worker whose registration its ledger in %s has lost ends, and one that starts anew is known again',
  async (_, make) => {
    const folder = await mkdtemp(join(tmpdir(), 'reelay-lost-registration-'));
    const { path: binary } = await findTemporal();
    const namespace = 'lost-registration';
    const temporal = await startTemporalServer({ binary, home: folder, namespace, onNotice: () => undefined });
    const engine = await make(folder);
    const ledger = await openLedger(engine.location);
    const start = () =>
      startWorker({
        temporal: { address: temporal.address, namespace },
        ledger,
        accounts: buildAccounts([]),
        identity: currentProcess(),
        version: 'test',
        timings: SANDBOX_TIMINGS,
        spoolFolder: join(folder, 'spool'),
        accountConcurrency: 1,
        log: silent,
      });
    try {
      const worker = await start();
      await engine.lose();
      await expect(worker.done).rejects.toThrow(/no longer knows worker .* sends nothing more/u);
      const again = await start();
      expect(await ledger.knownWorkers()).toHaveLength(1);
      await again.stop();
    } finally {
      await ledger.close();
      await engine.end();
      await temporal.stop();
      await rm(folder, { recursive: true });
    }
  },
);
