import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { currentProcess } from '../../host/process-identity';
import { connectTemporal, type TemporalConnection } from '../../temporal/connect';
import { buildAccounts } from '../../worker/accounts';
import { type RunningWorker, startWorker } from '../../worker/start-worker';
import { taskQueues } from '../../workflows/ids';
import { temporalPath } from '../support/temporal';

jest.setTimeout(300_000);

const NAMESPACE = 'stuck';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let folder: string;
let server: Awaited<ReturnType<typeof startTemporalServer>>;
let temporal: TemporalConnection;
let ledger: Ledger;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-stuck-'));
  const options = { binary: await temporalPath(), home: folder, namespace: NAMESPACE, onNotice: () => undefined };
  server = await startTemporalServer(options);
  temporal = await connectTemporal({ address: server.address, namespace: NAMESPACE });
  ledger = await openLedger({ path: join(folder, 'ledger.db') });
});
afterAll(async () => {
  await ledger.close();
  await temporal.close();
  await server.stop();
  await rm(folder, { recursive: true });
});

function work(beginRun: Ledger['beginRun'], times: { stuckMs?: number } = {}): Promise<RunningWorker> {
  return startWorker({
    temporal: { address: server.address, namespace: NAMESPACE },
    ledger: { ...ledger, beginRun },
    accounts: buildAccounts([]),
    identity: currentProcess(),
    version: 'test',
    timings: SANDBOX_TIMINGS,
    spoolFolder: join(folder, 'spool'),
    accountConcurrency: 1,
    graceMs: 200,
    ...times,
    log: silent,
  });
}

function start(campaign: string): ReturnType<typeof temporal.client.workflow.start> {
  return temporal.client.workflow.start('publishCampaign', {
    workflowId: `campaign/${campaign}`,
    taskQueue: taskQueues(ledger.id).main,
    args: [{ campaign, ledgerId: ledger.id }],
  });
}

test('an answer above Temporal’s limit is not tried again: the workflow fails, and says why', async () => {
  let asked = 0;
  const worker = await work(() => {
    asked += 1;
    return Promise.resolve({ campaign: 'x'.repeat(3_000_000), number: 1 });
  });
  const failed: unknown = await (await start('large')).result().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(WorkflowFailedError);
  const { cause } = (failed as WorkflowFailedError).cause ?? {};
  expect(cause).toMatchObject({ type: 'PayloadsTooLarge', message: expect.stringMatching(/size/u) });
  expect(asked).toBe(1);
  await worker.stop();
});

test('an activity that never ends keeps no worker from ending', async () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const worker = await work(
    () => {
      isAsked();
      return new Promise(() => undefined);
    },
    { stuckMs: 800 },
  );
  const handle = await start('endless');
  await asked;
  await expect(worker.stop()).rejects.toMatchObject({
    code: 'worker-stuck',
    message: expect.stringContaining('did not end within 1 s'),
  });
  await handle.terminate();
});
