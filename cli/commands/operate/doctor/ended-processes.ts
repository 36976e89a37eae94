import { type HeardWorker } from '../../../../ledger/model/attempt-types';
import { type SeenWorker } from '../../../../temporal/inspect-temporal';
import { type Settings } from '../../../config/settings';

/** Maximum number of the ledger's workers that are checked, most recently seen first. */
const HEARD = 50;

/**
 * Of the workers that Temporal lists, those whose process on this host has ended, according to the ledger's record of
 * its start time.
 */
export async function endedProcesses(settings: Settings, seen: readonly SeenWorker[]): Promise<SeenWorker[]> {
  if (seen.length === 0) return [];
  const [{ openForReading }, { isProcessAlive }] = await Promise.all([
    import('../../../stack/engine.js'),
    import('../../../../host/process-identity.js'),
  ]);
  const ledger = await openForReading(settings);
  try {
    const heard = await ledger.recentWorkers(HEARD);
    return seen.filter((worker) => {
      const own = heard.filter((one) => isOf(worker, one));
      return own.length > 0 && own.every((one) => isProcessAlive(one) === 'dead');
    });
  } finally {
    await ledger.close();
  }
}

/** `reelay/VERSION PID@HOST`, with the beginning of the host's id. */
function isOf({ identity }: SeenWorker, { pid, hostId }: HeardWorker): boolean {
  const [, ownPid, host = ''] = / (\d+)@(\S+)$/u.exec(identity) ?? [];
  return ownPid === String(pid) && host !== '' && hostId.startsWith(host);
}
