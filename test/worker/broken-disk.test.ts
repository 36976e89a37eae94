import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { openLedger } from '../../ledger/open';
import { buildAccounts } from '../../worker/accounts';
import { currentProcess } from '../../host/process-identity';
import { startWorker } from '../../worker/start-worker';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

test('a worker whose disk keeps nothing any more ends, and says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-broken-disk-'));
  const { path: binary } = await findTemporal();
  const namespace = 'broken-disk';
  const temporal = await startTemporalServer({ binary, home: folder, namespace, onNotice: () => undefined });
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  const handle = await open(join(folder, 'any'), 'w');
  const datasync = jest.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  await handle.close();
  try {
    const worker = await startWorker({
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
    datasync.mockRejectedValue(new Error('EIO: i/o error'));
    await expect(worker.done).rejects.toThrow(/could not be synced .*EIO.*start again/su);
  } finally {
    datasync.mockRestore();
    await ledger.close();
    await temporal.stop();
    await rm(folder, { recursive: true });
  }
});
