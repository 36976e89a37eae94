import { type Client } from '@temporalio/client';
import { recentPollers } from './pollers';
import { registeredAttributes, SEARCH_ATTRIBUTE_NAMES, type SearchAttribute } from './search-attributes';
import { type OtherLedgerRun, otherLedgerRuns } from './other-ledger-runs';

/** A worker as Temporal knows it. */
export interface SeenWorker {
  /** `reelay/VERSION PID@HOST` */
  identity: string;
  /** The program's version; null for a worker that doesn't report one. */
  version: string | null;
  /** ISO */
  lastSeen: string;
}

export interface TemporalInspection {
  /** The server's version; null if it doesn't report one. */
  serverVersion: string | null;
  /** How long closed runs stay readable, ms. */
  retentionMs: number;
  /** Which of our search attributes the namespace has; null if the server doesn't show it. */
  searchAttributes: readonly SearchAttribute[] | null;
  workers: readonly SeenWorker[];
  /** Open campaigns of other ledgers without a worker: those of a ledger that was lost. Empty before there is a ledger. */
  lostRuns: readonly OtherLedgerRun[];
}

const DEADLINE_MS = 8_000;

/** What Temporal shows about itself, its namespace and the ledger's workers. Only reads. */
export async function inspectTemporal(client: Client, ledgerId: string | null): Promise<TemporalInspection> {
  const { namespace } = client.options;
  return client.connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
    const [system, described, searchAttributes, workers, others] = await Promise.all([
      client.workflowService.getSystemInfo({}).catch(() => null),
      client.workflowService.describeNamespace({ namespace }),
      registeredAttributes(client, SEARCH_ATTRIBUTE_NAMES),
      ledgerId === null ? [] : pollers(client, ledgerId),
      ledgerId === null ? [] : otherLedgerRuns(client, ledgerId),
    ]);
    const ttl = described.config?.workflowExecutionRetentionTtl;
    return {
      serverVersion: system?.serverVersion || null,
      retentionMs: Number(ttl?.seconds ?? 0) * 1_000,
      searchAttributes,
      workers,
      lostRuns: others.filter((run) => !run.inUse),
    };
  });
}

async function pollers(client: Client, ledgerId: string): Promise<SeenWorker[]> {
  return (await recentPollers(client, ledgerId)).map(({ identity, at }) => ({
    identity,
    version: /^reelay\/(\S+) /.exec(identity)?.[1] ?? null,
    lastSeen: new Date(at).toISOString(),
  }));
}
