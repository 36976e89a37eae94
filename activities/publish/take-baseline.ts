import { type RunRef } from '../../ledger/model/types';
import { BASELINE_IDS } from '../../ledger/runs/baselines';
import { type ServiceClient } from '../../service/api/client';
import { ServiceError } from '../../service/errors';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/**
 * Stores the account's newest publications, unless the run already has them: entries listed above them later are newer.
 * Nothing may be created before, or a lost create could not be distinguished from existing publications.
 * @throws ServiceError if the list can't be read
 */
export async function takeBaseline(deps: ActivityDeps, run: RunRef, connection: AccountConnection): Promise<void> {
  const { name: account, client } = connection;
  if (await deps.ledger.hasOwnBaseline(run, account)) return;
  const takenAt = new Date(deps.now()).toISOString();
  await deps.ledger.saveBaseline(run, { account, takenAt, ids: await newestIds(client) });
}

/**
 * The run's baseline, or none: a list that can't be read while the rest of the service can doesn't block rows
 * indefinitely. The run then has no baseline until its end, since a later one would contain what the run itself created
 * in the meantime.
 * @throws ServiceError while the list can't be read and waiting for it still makes sense
 */
export async function takeBaselineOrNone(
  deps: ActivityDeps,
  run: RunRef,
  connection: AccountConnection,
): Promise<void> {
  const { name: account, client } = connection;
  const waiting = `baseline/${run.campaign}.${run.number}/${account}`;
  try {
    await takeBaseline(deps, run, connection);
    deps.clock.forget(waiting);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind === 'access') throw error;
    if (deps.clock.elapsed(waiting) < deps.timings.reconcileForMs) throw error;
    // If nothing can be read, the service is down: creates would only get lost.
    await client.listProfiles();
    deps.log.warn('the account’s list can’t be read; its rows are sent without a baseline', { account });
    await deps.ledger.saveBaseline(run, { account, takenAt: new Date(deps.now()).toISOString(), ids: null });
    deps.clock.forget(waiting);
  }
}

/** Read until there are enough, or no more: a page may be shorter than requested (section 4.4). */
async function newestIds(client: Pick<ServiceClient, 'listPublications'>): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ids.size < BASELINE_IDS;) {
    const { publications } = await client.listPublications({ limit: BASELINE_IDS, offset });
    const before = ids.size;
    for (const { id } of publications) ids.add(id);
    if (ids.size === before) break;
    offset += publications.length;
  }
  return [...ids];
}
