import { type MetricMeter } from '@temporalio/common';
import { type Ledger } from '../ledger/ledger';
import { ROW_STATES } from '../ledger/model/states';
import { type ChannelWork } from '../ledger/model/types';

const RUNS_COUNTED = 1_000;
const COUNT_EVERY_MS = 15_000;

/**
 * The ledger, instrumented: it counts creates begun and refused, their outcomes, list scans for lost ones and their
 * results; `countRows` sets the rows of open runs by state, and their channels by what they wait for. Campaigns and
 * channels are not labels, because there may be thousands.
 */
export function meterLedger(ledger: Ledger, meter: MetricMeter): { ledger: Ledger; countRows: () => Promise<void> } {
  const claims = meter.createCounter('reelay_claims', undefined, 'Claims requested');
  const outcomes = meter.createCounter('reelay_creates', undefined, 'Creates that ended');
  const scans = meter.createCounter('reelay_list_scans', undefined, 'Scans of an account’s list for a lost create');
  const reconciles = meter.createCounter('reelay_reconciles', undefined, 'Lost creates that were settled');
  const rows = meter.createGauge('reelay_rows', 'int', undefined, 'Rows of open runs');
  const channels = meter.createGauge('reelay_channels', 'int', undefined, 'Channels of open runs with rows left');
  let countedAt = 0;
  return {
    ledger: {
      ...ledger,
      async claim(request) {
        const result = await ledger.claim(request);
        claims.add(1, { result: result.claimed ? 'claimed' : result.reason });
        return result;
      },
      async record(rowId, attempt, outcome, worker) {
        const recorded = await ledger.record(rowId, attempt, outcome, worker);
        outcomes.add(1, { outcome: outcome.kind });
        return recorded;
      },
      async addScan(rowId, attempt, scan) {
        await ledger.addScan(rowId, attempt, scan);
        scans.add(1);
      },
      async settle(rowId, attempt, decision) {
        const state = await ledger.settle(rowId, attempt, decision);
        reconciles.add(1, { decision: decision.kind });
        return state;
      },
    },
    async countRows() {
      // Each count reads every row of the open runs.
      if (Date.now() - countedAt < COUNT_EVERY_MS) return;
      countedAt = Date.now();
      const open = (await ledger.listRuns({ limit: RUNS_COUNTED })).filter((run) => run.open);
      const counts = await Promise.all(open.map((run) => ledger.counts(run)));
      for (const state of ROW_STATES) {
        rows.set(
          counts.reduce((sum, one) => sum + (one[state] ?? 0), 0),
          { state },
        );
      }
      const waits = (await Promise.all(open.map((run) => ledger.channels(run)))).flat().map(waitOf);
      for (const wait of WAITS) channels.set(waits.filter((one) => one === wait).length, { wait });
    },
  };
}

/** What a channel with rows left waits for; `none`: it is active. */
const WAITS = ['none', 'time', 'paced', 'paused', 'parked', 'stopped'] as const;

function waitOf({ held, nextReadyAt, why }: ChannelWork): (typeof WAITS)[number] {
  if (held !== null) return WAITS.find((wait) => wait === held.kind) ?? 'none';
  if (nextReadyAt === null) return 'none';
  return why === null ? 'time' : 'paced';
}
