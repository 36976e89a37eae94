import { type Parking } from '../../ledger/channels/parkings';
import { type RunRef } from '../../ledger/model/types';
import { type ServiceClient } from '../../service/api/client';
import { ServiceError } from '../../service/errors';
import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/** What a probe read: `well` says why the rows may continue; `connected` is a channel's connection as it is now. */
interface Reading {
  well: string | null;
  connected?: string;
}

/**
 * Checks whether what is parked for a run can be opened again, as far as a plain read can show: a key that is accepted
 * again (section 4.4), a channel that was connected again (sections 2.2 and 4.2). Waits in between double. Nothing is
 * created to find out. Returns what was opened, as text for people.
 */
export async function probeParked(deps: ActivityDeps, run: RunRef, signal: AbortSignal): Promise<string[]> {
  const { ledger, timings } = deps;
  const opened: string[] = [];
  const limits = { everyMs: timings.parkedProbeMs, mostMs: timings.parkedProbeMaxMs };
  for (const parking of await ledger.takeProbes({ run, now: deps.now(), ...limits })) {
    const connection = connectionOf(deps, parking.account);
    if (connection === null) continue;
    const { well, connected } = await read(connection.client, parking, signal);
    if (connected !== undefined && connected !== parking.connected)
      await ledger.noteConnected(parking.scope, connected);
    if (well === null || !(await ledger.unpark({ scope: parking.scope, by: 'reelay', why: well }))) continue;
    const what = parking.channel === null ? `account ${parking.account}` : parking.channel.label;
    deps.log.info('no longer parked', { what, why: well });
    opened.push(`${what} is no longer parked: ${well}`);
  }
  return opened;
}

/** A worker without the account's key can't check; another one may. */
function connectionOf(deps: ActivityDeps, account: string): AccountConnection | null {
  try {
    return deps.accounts.get(account);
  } catch {
    return null;
  }
}

async function read(client: ServiceClient, parking: Parking, signal: AbortSignal): Promise<Reading> {
  try {
    if (parking.channel === null) {
      await client.listPublications({ limit: 1 }, { signal });
      return { well: 'its list can be read again, so the key is accepted again' };
    }
    const { profileId, platform } = parking.channel;
    if (profileId === null) return { well: null };
    const profile = await client.getProfile(profileId, { signal });
    const channel = profile.channels.find((one) => one.platform === platform);
    return compare(parking, channel === undefined ? GONE : (channel.connectedAt ?? 'connected'));
  } catch (error) {
    if (!(error instanceof ServiceError) || signal.aborted) throw error;
    // A deleted profile may be created again; other failures say nothing.
    return error.kind === 'not-found' && parking.channel !== null ? compare(parking, GONE) : { well: null };
  }
}

const GONE = 'none';

/** Later reads are compared with the first one after the parking, unless that shows a connection made since. */
function compare({ connected: before, parkedAt }: Parking, connected: string): Reading {
  if (connected === GONE) return { well: null, connected };
  if (before === GONE) return { well: 'the channel is connected again', connected };
  const since = Date.parse(connected) > parkedAt;
  if (since || (before !== null && before !== connected)) {
    return { well: `the channel was connected again (${connected})`, connected };
  }
  return { well: null, connected };
}
