import { type AccountRegistry } from '../activities/deps';
import { type Ledger } from '../ledger/ledger';
import { type TemporalConnection } from '../worker/connect';
import { ConfigError } from './errors';
import { type Settings, type TemporalSettings } from './settings';

/** Where Temporal is for this command, and how it came to be known. */
export interface TemporalPlace extends TemporalSettings {
  webUi: string | null;
}

/** Opens the user's ledger, making it when there is none. */
export async function openOwnLedger(settings: Settings): Promise<Ledger> {
  const { openLedger } = await import('../ledger/open.js');
  return openLedger({ path: settings.ledgerPath });
}

/** A ledger that isn't there yet is not made for a reading: an empty one in memory has the same history. */
export async function openForReading(settings: Settings): Promise<Ledger> {
  const [{ existsSync }, { openLedger }] = await Promise.all([import('node:fs'), import('../ledger/open.js')]);
  return openLedger({ path: existsSync(settings.ledgerPath) ? settings.ledgerPath : ':memory:' });
}

/** The accounts this command can reach. `baseUrl` stands in for the configured one (the sandbox's). */
export async function openAccounts(
  settings: Settings,
  baseUrl?: string,
): Promise<AccountRegistry & { close(): Promise<void> }> {
  const { account, exclusive, trust429, timeLimits: limits } = settings;
  const apiKey = await settings.apiKey();
  const { buildAccounts } = await import('../worker/accounts.js');
  return buildAccounts([
    { name: account, baseUrl: baseUrl ?? settings.baseUrl(), apiKey, exclusive, trust429, limits },
  ]);
}

/** Temporal as configured; else that of a stack which runs in this home; else where it usually is. */
export async function locateTemporal(settings: Settings): Promise<TemporalPlace> {
  const temporal = await settings.temporal();
  if (temporal.configured) return { ...temporal, webUi: settings.webUi };
  const stack = await runningStack(settings);
  if (stack) return { ...temporal, ...stack.temporal };
  return { ...temporal, webUi: settings.webUi };
}

/** The stack that runs in this home, as it says of itself; null when none does. */
export async function runningStack(settings: Settings): Promise<{
  temporal: { address: string; namespace: string; webUi: string | null };
  sandbox: { baseUrl: string } | null;
} | null> {
  const [{ readRecord }, { isProcessAlive }] = await Promise.all([
    import('../embedded/home.js'),
    import('../worker/process-identity.js'),
  ]);
  const record = await readRecord(settings.home);
  if (record?.state !== 'ready' || record.temporal === null || isProcessAlive(record.owner) === 'dead') return null;
  return { temporal: { ...record.temporal, namespace: record.namespace }, sandbox: record.sandbox };
}

/** @throws TemporalUnreachableError within 10 s */
export async function connect(place: TemporalPlace): Promise<TemporalConnection> {
  const { connectTemporal } = await import('../worker/connect.js');
  return connectTemporal({ address: place.address, namespace: place.namespace, connection: place.connection });
}

/**
 * A SQLite ledger beside a Temporal on another host: workers there would have ledgers of their own, and nothing would
 * keep them from publishing twice.
 * @throws ConfigError unless it was said that this is the only host
 */
export function demandSingleHost(place: TemporalSettings, confirmed: boolean): void {
  if (!place.configured || confirmed || isLocal(place.address)) return;
  throw new ConfigError(
    'single-host',
    `Temporal at ${place.address} is on another host, but the ledger is a SQLite file on this one`,
    'If every worker and every command of this ledger runs on this host, say so with --single-host.',
  );
}

function isLocal(address: string): boolean {
  const host = address
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return host === 'localhost' || host === '::1' || /^127\./.test(host) || host.endsWith('.localhost');
}

/** The base URL for a command against the sandbox: that of the running stand-in. @throws ConfigError */
export async function serviceAddress(settings: Settings): Promise<string> {
  if (!settings.sandbox) return settings.baseUrl();
  const stack = await runningStack(settings);
  if (stack?.sandbox) return stack.sandbox.baseUrl;
  throw new ConfigError(
    'no-sandbox',
    'no sandbox is running',
    'Start one with `reelay up --sandbox`, or use `reelay run MANIFEST --sandbox`.',
  );
}
