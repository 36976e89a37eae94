import { createServer } from 'node:http';
import { type Client } from '@temporalio/client';
import { recentPollers } from '../temporal/pollers';

/** How long Temporal may take to list pollers, ms. */
const DEADLINE_MS = 4_000;

/** What a worker's health depends on. */
export interface HealthSources {
  client: Client;
  ledgerId: string;
  /** This worker's identity, which it polls with. */
  identity: string;
  /** When the ledger was last written, ms since the epoch, and why it can't be written now; null: it can. */
  ledger: () => { writtenAt: number; trouble: string | null };
  /** While all is well, the ledger is written at this interval, ms. */
  beatMs: number;
  isStopping: () => boolean;
}

/** Why a worker isn't healthy, as a phrase; null if it polls Temporal and can write its ledger. */
export async function healthTrouble(sources: HealthSources): Promise<string | null> {
  if (sources.isStopping()) return 'it is stopping';
  const { writtenAt, trouble } = sources.ledger();
  if (trouble !== null) return `the ledger can’t be written: ${trouble}`;
  // Three missed beats: a write hangs.
  const silent = Date.now() - writtenAt;
  if (silent > 3 * sources.beatMs) return `the ledger was last written ${String(Math.round(silent / 1_000))} s ago`;
  const { client, ledgerId, identity } = sources;
  try {
    const deadline = Date.now() + DEADLINE_MS;
    const pollers = await client.connection.withDeadline(deadline, () => recentPollers(client, ledgerId));
    return pollers.some((poller) => poller.identity === identity) ? null : 'Temporal sees no poll from it';
  } catch (error) {
    return `Temporal doesn’t answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Serves `GET /health` on an address (host:port): 200 with `{"healthy":true}`, or 503 with
 * `{"healthy":false,"reason":"…"}`. Returns a function that closes it.
 * @throws if the address is taken
 */
export async function serveHealth(
  address: string,
  trouble: () => Promise<string | null>,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url !== '/health') {
      response.writeHead(404).end();
      return;
    }
    void trouble().then((reason) => {
      const body = reason === null ? { healthy: true } : { healthy: false, reason };
      response.writeHead(reason === null ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), host.replace(/^\[|\]$/g, ''), resolve);
  });
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}
