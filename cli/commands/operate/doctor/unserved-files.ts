import { type Client } from '@temporalio/client';
import { type Settings } from '../../../config/settings';
import { warning, type Finding } from './finding';

/** Maximum number of open runs that are checked, newest first. */
const RUNS = 50;

/** Hosts whose files open runs still have to send, and that have no worker. Empty for a ledger on one host. */
export async function unservedFiles(settings: Settings, client: Client): Promise<Finding[]> {
  if (settings.filesHost === null) return [];
  const [{ openForReading }, { unservedFilesHosts }, { noFilesWorkerText }] = await Promise.all([
    import('../../../stack/engine.js'),
    import('../../../../temporal/campaigns.js'),
    import('../../../summary/resume-commands.js'),
  ]);
  const ledger = await openForReading(settings);
  try {
    const open = (await ledger.listRuns({ limit: RUNS })).filter((run) => run.open);
    const hosts = new Set((await Promise.all(open.map((run) => ledger.filesHosts(run)))).flat());
    const unserved = await unservedFilesHosts(client, ledger.id, [...hosts].sort());
    return unserved.map((host) =>
      warning(
        'files',
        noFilesWorkerText(host),
        'Start a worker there; or submit the manifest again on a host that has the files and a worker.',
      ),
    );
  } finally {
    await ledger.close();
  }
}
