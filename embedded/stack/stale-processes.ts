import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from '../../host/process-identity';
import { HomeBusyError } from '../errors';
import { type StackRecord } from './home';
import { endProcess } from '../server/supervised-process';
import { databasePath } from '../server/temporal-server';

const ELSEWHERE_MS = 8_000;

/**
 * Ends what an earlier stack of this home left running. Call it only while holding the home: then its owner has ended,
 * and two servers must never share one database.
 * @throws HomeBusyError if such a process stays
 */
export async function endStaleProcesses(
  home: string,
  record: StackRecord | null,
  onNotice: (text: string) => void,
): Promise<void> {
  const stale = new Map<number, ProcessIdentity>();
  // Supervisors end by themselves once their server has ended.
  for (const { role, identity } of record?.processes ?? []) if (role !== 'keeper') stale.set(identity.pid, identity);
  for (const identity of await serversOf(databasePath(home))) stale.set(identity.pid, identity);
  for (const identity of stale.values()) {
    const wasThere = identifyProcess(identity.pid)?.startTime === identity.startTime;
    if (wasThere) onNotice(`Ending process ${identity.pid}, which an earlier run left behind.`);
    if (isProcessAlive(identity) === 'unknown') {
      // Another container or host had this home. Its owner has ended, or we would not hold the lock, and a supervisor
      // needs no longer than this to end the rest.
      onNotice(`An earlier run in another container or on another host used this home; giving it time to end …`);
      await sleep(ELSEWHERE_MS);
    } else if (!(await endProcess(identity))) {
      throw new HomeBusyError(
        `Process ${identity.pid} of an earlier run may still use ${home}, and it does not end.`,
        `End it yourself, as the user it belongs to: kill -9 ${identity.pid}`,
      );
    }
  }
}

/** Servers on exactly this database, whatever started them. Found on Linux only; elsewhere only the record is used. */
async function serversOf(database: string): Promise<ProcessIdentity[]> {
  if (process.platform !== 'linux') return [];
  const found: ProcessIdentity[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const argv = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const at = argv.indexOf('--db-filename');
    if (at < 0 || argv[at + 1] !== database || argv[1] !== 'server') continue;
    const identity = identifyProcess(Number(name));
    if (identity !== null) found.push(identity);
  }
  return found;
}
