import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWorkerAlive } from '../../../host/worker-lock';
import { placeOf } from '../../../ledger/model/location';
import { type Settings } from '../../config/settings';
import { ExitError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { thisHost } from '../../stack/engine';
import { confirm } from '../../terminal/ask';
import { type Output } from '../../terminal/output';
import { plural } from '../../terminal/safe-text';

interface Given {
  output: Output;
  settings: Settings;
  file: string;
  yes: boolean;
}

/** Moves the ledger from its file into the database that REELAY_DATABASE_URL names. */
export async function moveLedger({ output, settings, file, yes }: Given): Promise<void> {
  const { ledger: location } = settings;
  if (!('url' in location)) {
    const message = 'there is no database to import into';
    throw new ExitError('no-database', message, EXIT.usage, 'Set REELAY_DATABASE_URL=postgres://….');
  }
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new ExitError('no-ledger', `there is no ledger ${path}`, EXIT.usage, 'Name the file, such as ledger.db.');
  }
  const { EmptyDatabase } = await import('../../../ledger/maintenance/take-over.js');
  const database = await EmptyDatabase.open(location);
  try {
    await leave(path, placeOf(location), { output, yes });
    const { campaigns, rows } = await database.takeOver(path);
    if (output.isText)
      await output.lines([`moved ${plural(campaigns, 'campaign')}, ${plural(rows, 'row')} to ${placeOf(location)}`]);
    else await output.json({ version: 1, location: placeOf(location), campaigns, rows });
  } finally {
    await database.close();
  }
}

/** A file that was already closed for the same database is copied again: the import was interrupted. */
async function leave(path: string, place: string, { output, yes }: Pick<Given, 'output' | 'yes'>): Promise<void> {
  const { openLedger } = await import('../../../ledger/open.js');
  try {
    const ledger = await openLedger({ path }, { host: await thisHost() });
    try {
      const { campaigns, rows } = await ledger.status();
      await confirm({
        output,
        yes,
        question: `Move ${path} (${plural(campaigns, 'campaign')}, ${plural(rows, 'row')}) to ${place}? The file can’t be used afterwards.`,
      });
      const locks = join(dirname(path), 'workers');
      await ledger.leaveFor(place, (worker) => isWorkerAlive(locks, worker, { severalHosts: false }));
    } finally {
      await ledger.close();
    }
  } catch (error) {
    const moved = error instanceof Error && 'place' in error && error.place === place;
    if (!moved) throw error;
  }
}
