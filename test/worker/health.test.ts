import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { buildAccounts } from '../../worker/accounts';
import { currentProcess } from '../../host/process-identity';
import { type RunningWorker, startWorker } from '../../worker/start-worker';
import { freePort } from '../support/free-port';

jest.setTimeout(300_000);

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const NAMESPACE = 'health';
let folder: string;
let temporal: Awaited<ReturnType<typeof startTemporalServer>>;
let ledger: Ledger;
let full = false;
let worker: RunningWorker;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-health-'));
  const { path: binary } = await findTemporal();
  temporal = await startTemporalServer({ binary, home: folder, namespace: NAMESPACE, onNotice: () => undefined });
  ledger = await openLedger({ path: join(folder, 'ledger.db') });
  address = `127.0.0.1:${await freePort()}`;
  worker = await startWorker({
    temporal: { address: temporal.address, namespace: NAMESPACE },
    ledger: {
      ...ledger,
      workerSeen: (id) => (full ? Promise.reject(new Error('database or disk is full')) : ledger.workerSeen(id)),
    },
    accounts: buildAccounts([]),
    identity: currentProcess(),
    version: 'test',
    timings: SANDBOX_TIMINGS,
    spoolFolder: join(folder, 'spool'),
    accountConcurrency: 1,
    healthAddress: address,
    log: silent,
  });
});
afterAll(async () => {
  await worker.stop();
  await ledger.close();
  await temporal.stop();
  await rm(folder, { recursive: true });
});

async function health(path = '/health'): Promise<{ status: number; body: string }> {
  const { statusCode, body } = await request(`http://${address}${path}`);
  return { status: statusCode, body: await body.text() };
}

async function until(status: number): Promise<string> {
  for (;;) {
    const answer = await health();
    if (answer.status === status) return answer.body;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('a worker that polls Temporal and writes its ledger is healthy', async () => {
  expect(await until(200)).toBe('{"healthy":true}');
  expect((await health('/')).status).toBe(404);
});

test('one whose ledger can’t be written is not, and says why, until it can be again', async () => {
  full = true;
  expect(await until(503)).toContain('the ledger can’t be written: Error: database or disk is full');
  full = false;
  await until(200);
});

test('one whose Temporal is gone is not', async () => {
  await temporal.stop();
  expect(await until(503)).toContain('Temporal doesn’t answer');
});
