import { type AccountConnection } from '../../service/accounts';
import { type PublicationPage } from '../../service/api/answers';
import { ServiceError } from '../../service/errors';
import { type ActivityDeps } from '../deps';

const PAGE = 100;

/** A page of an account's list, and when its request began (`AttemptClock.evenTime`, ms). */
interface ReadPage {
  page: PublicationPage;
  begunAt: number;
}

interface Kept {
  begunAt: number;
  page: Promise<PublicationPage>;
}

/**
 * Pages of accounts' lists as the sweeps of all runs of a process read them: a page that one run has just read, or is
 * reading, is not read again for another. For hints only: a scan that has to prove that something isn't in a list reads
 * every page itself.
 */
export class SharedPages {
  private readonly kept = new Map<string, Map<number, Kept>>();

  constructor(private readonly clock: Pick<ActivityDeps['clock'], 'evenTime'>) {}

  /**
   * The page at an offset, from a request that began after `after` (even time, ms): one that was made for another run,
   * or a new one.
   * @throws ServiceError if it can't be read
   */
  async read(
    account: Pick<AccountConnection, 'name' | 'client'>,
    wanted: { offset: number; after: number; signal?: AbortSignal | undefined },
  ): Promise<ReadPage> {
    const { name, client } = account;
    const { offset, after, signal } = wanted;
    const pages = this.kept.get(name) ?? new Map<number, Kept>();
    this.kept.set(name, pages);
    const known = pages.get(offset);
    if (known !== undefined && known.begunAt > after) {
      try {
        return { page: await known.page, begunAt: known.begunAt };
      } catch (error) {
        // The run that it was read for has been stopped.
        if (!(error instanceof ServiceError) || error.kind !== 'aborted' || signal?.aborted === true) throw error;
        if (pages.get(offset) === known) pages.delete(offset);
        return this.read(account, wanted);
      }
    }
    const begunAt = this.clock.evenTime();
    const own: Kept = { begunAt, page: client.listPublications({ limit: PAGE, offset }, { signal }) };
    pages.set(offset, own);
    try {
      return { page: await own.page, begunAt };
    } catch (error) {
      if (pages.get(offset) === own) pages.delete(offset);
      throw error;
    }
  }
}
