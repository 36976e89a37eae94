import { type LedgerLocation } from '../../ledger/model/location';
import { join, resolve } from 'node:path';
import { ConfigError } from '../errors/errors';

export async function defaultHome(): Promise<string> {
  const { default: envPaths } = await import('env-paths');
  return envPaths('reelay', { suffix: '' }).data;
}

export function ledgerLocation(url: string | undefined, home: string, sandbox: boolean, cwd: string): LedgerLocation {
  // The sandbox is isolated: a ledger that is configured for real work is not used.
  if (url === undefined || sandbox) return { path: join(home, 'ledger.db') };
  if (/^postgres(ql)?:/i.test(url)) {
    const name = databaseName(url).replaceAll(/[^A-Za-z0-9._-]+/g, '_');
    return { url, sequenceFile: join(home, `ledger-${name}.seq`) };
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1];
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'sqlite') {
    throw new ConfigError(
      'database-url',
      `REELAY_DATABASE_URL: “${scheme}:” is not a supported database`,
      'Give the path of a file, or postgres://USER@HOST/DATABASE.',
    );
  }
  const path = url.replace(/^(file|sqlite):(\/\/)?/i, '');
  if (path === '') throw new ConfigError('database-url', 'REELAY_DATABASE_URL has no path', 'Give the path of a file.');
  return { path: resolve(cwd, path) };
}

/** @throws ConfigError */
export async function filesHostOf(named: string | undefined): Promise<string> {
  const { hostname } = await import('node:os');
  if (named === undefined)
    return hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 100);
  if (/^[A-Za-z0-9._-]{1,100}$/.test(named)) return named;
  throw new ConfigError(
    'files-host',
    `REELAY_FILES_HOST: “${named}” is not a name of 1 to 100 letters, digits, dots, underscores and hyphens`,
    'Give all hosts that have the same files the same name.',
  );
}

/** `HOST_PORT_DATABASE`. @throws ConfigError, which doesn't quote it because it may contain a password */
function databaseName(url: string): string {
  const fault = (message: string) =>
    new ConfigError(
      'database-url',
      `REELAY_DATABASE_URL: ${message}`,
      'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in the password.',
    );
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw fault('it can’t be read as an address');
  }
  if (parsed.hostname === '' || parsed.pathname.length < 2) throw fault('it names no host or no database');
  return `${parsed.host}${parsed.pathname}`;
}
