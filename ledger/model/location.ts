import { existsSync } from 'node:fs';

/**
 * Where a ledger is: a file on this machine, or a PostgreSQL database that several machines share. Its last sequence
 * number is stored outside of it: beside the file, or in `sequenceFile` on each machine.
 */
export type LedgerLocation = { path: string } | { url: string; sequenceFile: string };

/** For people: the path, or `postgres://host:port/database`, without user and password. */
export function placeOf(location: LedgerLocation): string {
  if ('path' in location) return location.path;
  const { protocol, host, pathname } = new URL(location.url);
  return `${protocol}//${host}${pathname}`;
}

/** Whether there can be a ledger: a database may not have one yet, which shows when it is opened. */
export function mayExist(location: LedgerLocation): boolean {
  return 'url' in location || existsSync(location.path);
}
