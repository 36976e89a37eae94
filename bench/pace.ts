import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_TIMINGS } from '../activities/timings';
import { currentProcess } from '../host/process-identity';
import { openLedger } from '../ledger/open';
import { CONTROL_HEADER } from '../sandbox/routes/control-routes';
import { ServiceClient } from '../service/api/client';
import { connectTemporal } from '../temporal/connect';
import { startWorker } from '../worker/start-worker';
import { startBackdrop } from './support/backdrop';
import { begin } from './support/url-campaign';

/**
 * How close a campaign at 20 creates per second comes to the shortest possible time, against a sandbox that answers 429
 * to the 21st create within any second. One worker. Run: `npm run bench:pace [CHANNELS] [ROWS]`.
 */
const PER_SECOND = 20;
const ACCOUNT = 'bench';
const [channels = 3, rows = 600] = process.argv.slice(2).map(Number);
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-pace-'));
  const backdrop = await startBackdrop(folder, { createsPerSecond: PER_SECOND });
  const { service, apiKey, temporal: address, namespace } = backdrop.addresses;
  const client = new ServiceClient({ baseUrl: service, apiKey });
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  const temporal = await connectTemporal({ address, namespace });
  const connection = { name: ACCOUNT, client, exclusive: false, trust429: true };
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
    const profiles = (await client.listProfiles()).profiles.map(({ id }) => id).slice(0, channels);
    const pace = [{ createsPerSecond: PER_SECOND }];
    const begun = await begin({ account: ACCOUNT, ledger, temporal, campaign: 'paced', rows, profiles, pace });
    await begun.ended;
    const total = (Date.now() - begun.at) / 1_000;
    const { stats } = (await (await control(service, 'state')).json()) as {
      stats: { answers: Record<string, number> };
    };
    const times = (await (await control(service, 'log')).text())
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [Date.parse((JSON.parse(line) as { at: string }).at)]));
    const took = (Math.max(...times) - Math.min(...times)) / 1_000;
    const least = Math.ceil(rows / PER_SECOND) - 1;
    console.log(`${times.length} creates, ${PER_SECOND} per second, ${profiles.length} channels`);
    console.log(`first to last create  ${took.toFixed(2)} s`);
    console.log(`least possible        ${least.toFixed(2)} s`);
    console.log(`ratio                 ${(took / least).toFixed(3)}`);
    console.log(`answers 429           ${stats.answers['429'] ?? 0}`);
    console.log(`whole run             ${total.toFixed(1)} s`);
  } finally {
    await worker.stop();
    await temporal.close();
    await ledger.close();
    await client.close();
    await backdrop.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function control(service: string, path: string): Promise<Response> {
  return fetch(new URL(`/_sandbox/${path}`, service), { headers: { [CONTROL_HEADER]: '1' } });
}

void main();
