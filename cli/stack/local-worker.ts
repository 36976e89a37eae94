import { join } from 'node:path';
import { type AccountRegistry } from '../../service/accounts';
import { type Ledger } from '../../ledger/ledger';
import { type RunningWorker } from '../../worker/start-worker';
import { temporalOptions, type TemporalPlace } from './engine';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';
import { timingsOf } from '../config/timings';
import { programVersion } from '../version';
import { workerLog } from './worker-log';

export interface OwnWorkerInput {
  settings: Settings;
  ledger: Ledger;
  accounts: AccountRegistry;
  place: TemporalPlace;
  output: Output;
  /** The worker is the purpose of the command: its warnings are printed. */
  say: boolean;
  uploads?: number;
  deployment?: { name: string; buildId: string };
  metricsAddress?: string;
  healthAddress?: string;
  traces?: boolean;
}

/** Starts a worker in this process. @throws TemporalUnreachableError */
export async function startOwnWorker(input: OwnWorkerInput): Promise<RunningWorker> {
  const { settings, ledger, accounts, place, output, say, uploads, deployment, metricsAddress, healthAddress, traces } =
    input;
  const [{ startWorker }, { currentProcess }, { ACCOUNT_CONCURRENCY }] = await Promise.all([
    import('../../worker/start-worker.js'),
    import('../../host/process-identity.js'),
    import('../../submissions/prepare-submission.js'),
  ]);
  // The sandbox has fixed profiles and one key.
  if (!settings.sandbox) checkKeys(accounts, ledger);
  if (settings.notifyLacks !== null) output.warn(`notify: ${settings.notifyLacks}: notices don’t go to its address`);
  return startWorker({
    temporal: temporalOptions(place),
    ledger,
    accounts,
    identity: currentProcess(),
    version: programVersion(),
    timings: await timingsOf(settings),
    spoolFolder: settings.spoolFolder,
    accountConcurrency: ACCOUNT_CONCURRENCY,
    log: workerLog(join(settings.home, 'worker.log'), output, say),
    ...(settings.notify === null ? {} : { notices: settings.notify }),
    privateHosts: settings.privateHosts,
    ...(uploads === undefined ? {} : { uploads }),
    ...(settings.filesHost === null ? {} : { filesHost: settings.filesHost }),
    ...(deployment === undefined ? {} : { deployment }),
    ...(metricsAddress === undefined ? {} : { metricsAddress }),
    ...(healthAddress === undefined ? {} : { healthAddress }),
    ...(traces === undefined ? {} : { traces }),
  });
}

/**
 * By the ledger as it is at the first request, and not as it was when the command began: only then may it know the
 * account's profiles.
 */
function checkKeys(accounts: AccountRegistry, ledger: Ledger): void {
  for (const account of accounts.names()) {
    try {
      accounts.get(account).client.checkKey((profiles) => ledger.bindProfiles({ account, profiles }));
    } catch {
      // Without a key or an address, nothing is requested.
    }
  }
}
