import { type KnownWorker } from '../../../ledger/model/attempt-types';
import { type Settings, whoAmI } from '../../config/settings';
import { ExitError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { openExistingLedger } from '../../shared/resolve-run';
import { confirm } from '../../terminal/ask';
import { type Output } from '../../terminal/output';
import { plural, safeText } from '../../terminal/safe-text';
import { relativeTime } from '../../../wording/times';

interface Given {
  output: Output;
  settings: Settings;
}

/** The workers that the ledger saw in the last 30 days. */
export async function listWorkers({ output, settings }: Given): Promise<void> {
  const ledger = await openExistingLedger(settings);
  try {
    const workers = await ledger.knownWorkers();
    if (output.isText) {
      await output.lines(
        workers.map((worker) =>
          [
            worker.id,
            safeText(hostOf(worker)),
            `pid ${String(worker.pid)}`,
            `last seen ${relativeTime(Date.parse(worker.seenAt), Date.now())}`,
            plural(worker.open, 'open create'),
            ...(worker.forgottenAt === null ? [] : ['forgotten']),
          ].join('\t'),
        ),
      );
      return;
    }
    await output.json({
      version: 1,
      workers: workers.map((worker) => ({
        id: worker.id,
        host: hostOf(worker),
        pid: worker.pid,
        seen_at: worker.seenAt,
        open_creates: worker.open,
        forgotten_at: worker.forgottenAt,
      })),
    });
  } finally {
    await ledger.close();
  }
}

/** Records a person's confirmation that the processes of a worker, or of all workers of a host, are gone. */
export async function forgetWorkers({
  output,
  settings,
  name,
  yes,
}: Given & { name: string; yes: boolean }): Promise<void> {
  const ledger = await openExistingLedger(settings, { use: 'change' });
  try {
    const known = (await ledger.knownWorkers()).filter((worker) => worker.forgottenAt === null);
    const found = known.filter((worker) => worker.id === name || hostOf(worker) === name);
    if (found.length === 0) {
      const message = `the ledger knows no worker and no host “${safeText(name)}”`;
      throw new ExitError('no-such-worker', message, EXIT.usage, '`reelay worker list` shows them.');
    }
    const open = found.reduce((sum, worker) => sum + worker.open, 0);
    await confirm({
      output,
      yes,
      question: `Are you sure that the processes of ${plural(found.length, 'worker')} are gone? Their ${plural(open, 'open create')} will be looked for at the service, and sent again if not found there: a process that is still running may publish them a second time.`,
    });
    for (const { id } of found) await ledger.forgetWorker(id, await whoAmI());
    if (output.isText)
      await output.lines([`forgot ${plural(found.length, 'worker')} with ${plural(open, 'open create')}`]);
    else await output.json({ version: 1, forgotten: found.map(({ id }) => id), open_creates: open });
  } finally {
    await ledger.close();
  }
}

/** `MACHINE/HOST/NAMESPACE`: the part that people know. */
function hostOf({ hostId }: KnownWorker): string {
  return hostId.split('/')[1] ?? hostId;
}
