import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';
import { ListReads } from '../follow/list-reads';
import { scanList } from './list-scan';

/**
 * Whether the record of an own publication that a read by its id (section 4.6) doesn't find was certainly deleted at the
 * service. A 404 alone proves nothing, since reads may show an earlier state: the account's list must have shown the
 * publication before, and must now show everything else, one that was created later too, and not this one.
 * @throws ServiceError if the list can't be read
 */
export const provenDeleted =
  ({ ledger, now, clock }: Pick<ActivityDeps, 'ledger' | 'now' | 'clock'>) =>
  async (connection: AccountConnection, publicationId: string, signal: AbortSignal): Promise<boolean> => {
    const { name: account, client } = connection;
    const since = (await ledger.owned(account, [publicationId])).get(publicationId)?.notedSequence ?? null;
    if (since === null) return false;
    const expected = await ledger.acceptedSince({ account, since, until: Number.MAX_SAFE_INTEGER, before: 0 });
    if (expected.find(({ id }) => id === publicationId)?.deleted !== 'may') return false;
    const habits = await ledger.listHabits(account);
    const reading = new ListReads(clock).begin(account);
    const scan = { account, knownBefore: new Set<string>(), since, habits, reading, signal };
    const { full, current, answered } = await scanList({ ledger, client, now }, scan);
    return full && current && answered.every(({ id }) => id !== publicationId);
  };
