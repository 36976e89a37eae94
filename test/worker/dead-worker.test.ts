import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { currentProcess } from '../../host/process-identity';
import { openLedger } from '../../ledger/open';
import { buildAccounts } from '../../worker/accounts';
import { startWorker } from '../../worker/start-worker';
import { entries, submission } from '../ledger/support';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
/** Beyond the highest number that Linux gives a process. */
const NO_PID = 2 ** 22 + 1;

test('a worker ends what dead workers of its host left open, also of runs that it doesn’t watch, and nothing of live ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-dead-worker-'));
  const { path: binary } = await findTemporal();
  const namespace = 'dead-worker';
  const temporal = await startTemporalServer({ binary, home: folder, namespace, onNotice: () => undefined });
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  try {
    const gone = { ...currentProcess(), id: 'gone', pid: NO_PID };
    const alive = { ...currentProcess(), id: 'alive' };
    for (const worker of [gone, alive]) await ledger.registerWorker(worker);
    await ledger.submit(submission(entries('a', 'b')));
    const run = await ledger.beginRun({
      campaign: 'spring',
      workflowId: 'campaign/spring',
      workflowRunId: 'elsewhere',
    });
    await ledger.importSubmissions(run!);
    const [channel] = await ledger.channels(run!);
    const now = Date.now();
    const rows = await ledger.takePage({ run: run!, channelId: channel!.id, limit: 2, now });
    for (const [at, worker] of [gone, alive].entries())
      await ledger.claim({ rowId: rows[at]!.id, run: run!, worker: worker.id, now });
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
    const open = async () => (await ledger.openAttempts()).map((attempt) => attempt.worker.id);
    while ((await open()).includes('gone')) await sleep(100);
    expect(await open()).toEqual(['alive']);
    expect(await ledger.unsettled(run!)).toMatchObject([{ code: 'worker-died' }, { endedAt: null }]);
    await worker.stop();
  } finally {
    await ledger.close();
    await temporal.stop();
    await rm(folder, { recursive: true });
  }
});
