import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_TIMINGS } from '../../activities/timings';
import { begin } from '../../bench/support/url-campaign';
import { startTemporalServer } from '../../embedded/server/temporal-server';
import { openLedger } from '../../ledger/open';
import { currentProcess } from '../../host/process-identity';
import { startSandbox } from '../../sandbox/server';
import { connectTemporal } from '../../temporal/connect';
import { buildAccounts } from '../../worker/accounts';
import { startWorker } from '../../worker/start-worker';
import { temporalPath } from '../support/temporal';

jest.setTimeout(300_000);

const NAMESPACE = 'slots';
const ACCOUNT = 'cafe';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('while every place for creates is taken, another campaign is imported, and its channel takes its rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-slots-'));
  ends.push(() => rm(folder, { recursive: true }));
  const options = { binary: await temporalPath(), home: folder, namespace: NAMESPACE, onNotice: () => undefined };
  const server = await startTemporalServer(options);
  ends.push(() => server.stop());
  const service = await startSandbox({ apiKey: 'key' });
  ends.push(() => service.close());
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  ends.push(() => ledger.close());
  const temporal = await connectTemporal({ address: server.address, namespace: NAMESPACE });
  ends.push(() => temporal.close());
  await ledger.bindAccount({ account: ACCOUNT, baseUrl: service.baseUrl });
  const accounts = buildAccounts([
    { name: ACCOUNT, baseUrl: service.baseUrl, apiKey: 'key', exclusive: false, trust429: false },
  ]);
  ends.push(() => accounts.close());
  const [profile = ''] = (await accounts.get(ACCOUNT).client.listProfiles()).profiles.map(({ id }) => id);

  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let claims = 0;
  const pages: string[] = [];
  const worker = await startWorker({
    temporal: { address: server.address, namespace: NAMESPACE },
    ledger: {
      ...ledger,
      claim: async (request) => {
        claims += 1;
        await released;
        return ledger.claim(request);
      },
      takePage: (request) => {
        pages.push(request.run.campaign);
        return ledger.takePage(request);
      },
    },
    accounts,
    identity: currentProcess(),
    version: 'test',
    timings: SANDBOX_TIMINGS,
    spoolFolder: join(folder, 'spool'),
    accountConcurrency: 4,
    creates: 1,
    log: silent,
  });
  ends.push(() => worker.stop());
  const start = (campaign: string) =>
    begin({ account: ACCOUNT, ledger, temporal, campaign, rows: 2, profiles: [profile] });
  try {
    const first = await start('first');
    await until(() => claims > 0);
    const second = await start('second');
    await until(() => pages.includes('second'));
    release();
    await Promise.all([first.ended, second.ended]);
  } finally {
    release();
  }
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}
