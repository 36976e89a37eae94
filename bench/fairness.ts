import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_TIMINGS } from '../activities/timings';
import { openLedger } from '../ledger/open';
import { ServiceClient } from '../service/api/client';
import { connectTemporal } from '../temporal/connect';
import { currentProcess } from '../host/process-identity';
import { startWorker } from '../worker/start-worker';
import { startBackdrop } from './support/backdrop';
import { begin, type Begun } from './support/url-campaign';

/**
 * How long a small campaign takes beside a huge one of the same account: alone, in a separate channel, and in a channel
 * that the huge one fills too. One worker. Run: `npm run bench:fairness`.
 */
const HUGE = 6_000;
const SMALL = 24;
const ACCOUNT = 'bench';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-fairness-'));
  const backdrop = await startBackdrop(folder);
  const { service, apiKey, temporal: address, namespace } = backdrop.addresses;
  const client = new ServiceClient({ baseUrl: service, apiKey });
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  const temporal = await connectTemporal({ address, namespace });
  const connection = { name: ACCOUNT, client, exclusive: false, trust429: false };
  const worker = await startWorker({
    temporal: { address, namespace },
    version: 'bench',
    ledger,
    accounts: { names: () => [ACCOUNT], get: () => connection },
    identity: currentProcess(),
    timings: SANDBOX_TIMINGS,
    spoolFolder: join(folder, 'spool'),
    accountConcurrency: 16,
    log: silent,
  });
  try {
    await ledger.bindAccount({ account: ACCOUNT, baseUrl: service });
    const [first = '', second = '', third = ''] = (await client.listProfiles()).profiles.map(({ id }) => id);
    const start = (campaign: string, rows: number, profiles: string[]) =>
      begin({ account: ACCOUNT, ledger, temporal, campaign, rows, profiles });

    const alone = await seconds(await start('alone', SMALL, [third]));
    const huge = await start('huge', HUGE, [first, second]);
    await until(async () => ((await ledger.counts(huge.run)).published ?? 0) > 200);
    const own = await seconds(await start('own', SMALL, [third]));
    const shared = await seconds(await start('shared', SMALL, [first]));
    const left = HUGE - ((await ledger.counts(huge.run)).published ?? 0);
    const rest = await seconds(huge);
    console.log(`${SMALL} rows alone                          ${alone.toFixed(1)} s`);
    console.log(`beside ${HUGE} rows, a channel of its own  ${own.toFixed(1)} s`);
    console.log(`beside ${HUGE} rows, in their channel      ${shared.toFixed(1)} s`);
    console.log(`rows of the huge one left then          ${left}, ended after ${rest.toFixed(1)} s more`);
  } finally {
    await worker.stop();
    await temporal.close();
    await ledger.close();
    await client.close();
    await backdrop.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function seconds({ at, ended }: Begun): Promise<number> {
  await ended;
  return (Date.now() - at) / 1_000;
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 50));
}

void main();
