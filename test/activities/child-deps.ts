import { join } from 'node:path';
import { CancelWatch } from '../../activities/publish/cancel-watch';
import { type ActivityContext } from '../../activities/context';
import { type ActivityDeps } from '../../activities/deps';
import { Slots } from '../../activities/publish/places/slots';
import { Turns } from '../../activities/publish/places/turns';
import { Departures } from '../../activities/publish/places/departures';
import { provenDeleted } from '../../activities/reconcile/proven-deleted';
import { RollbackWitness } from '../../activities/reconcile/rollback-witness';
import { AttemptClock } from '../../activities/reconcile/attempt-clock';
import { Spool } from '../../activities/publish/spool/spool';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { ServiceClient } from '../../service/api/client';
import { currentProcess } from '../../host/process-identity';
import { QUICK } from './quick-timings';

/** Where a child process finds what its parent's harness opened. */
export interface ChildPlace {
  folder: string;
  baseUrl: string;
  apiKey: string;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface OpenChild {
  ledger: Ledger;
  client: ServiceClient;
  deps: ActivityDeps & {
    spool: Spool;
    slots: () => Slots;
    turns: () => Turns;
    departures: Departures;
    cancels: CancelWatch;
    witness: RollbackWitness;
    isProvenDeleted: ReturnType<typeof provenDeleted>;
  };
  context: ActivityContext;
}

/** A separate worker in a child process: the dependencies of activities, on the parent's ledger and sandbox. */
export async function openChild({ folder, baseUrl, apiKey }: ChildPlace): Promise<OpenChild> {
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  const client = new ServiceClient({ baseUrl, apiKey, environment: {} });
  const worker = currentProcess();
  await ledger.registerWorker(worker);
  const slots = new Slots(4);
  const turns = new Turns();
  const clock = new AttemptClock();
  const deps = {
    ledger,
    accounts: {
      names: () => ['main'],
      get: () => ({ name: 'main', client, exclusive: false, trust429: false }),
    },
    worker,
    processState: () => 'unknown' as const,
    timings: QUICK,
    stopping: new AbortController().signal,
    log: SILENT,
    now: Date.now,
    clock,
    spool: new Spool(join(folder, 'spool')),
    slots: () => slots,
    turns: () => turns,
    departures: new Departures(),
    cancels: new CancelWatch(ledger),
    witness: new RollbackWitness({ ledger, log: SILENT }),
    isProvenDeleted: provenDeleted({ ledger, now: Date.now, clock }),
  };
  const context = {
    cancelled: new AbortController().signal,
    shuttingDown: () => false,
    heartbeat: () => undefined,
    pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  };
  return { ledger, client, deps, context };
}
