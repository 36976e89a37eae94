import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/**
 * The account as this process can reach it; null, and said, when it has no key for it here. Another worker may have one, so
 * nothing ends at once because of it.
 */
export function usableAccount(
  deps: Pick<ActivityDeps, 'accounts' | 'log'>,
  account: string,
  notes?: string[],
): AccountConnection | null {
  try {
    return deps.accounts.get(account);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    deps.log.error('an account can’t be used by this worker', { account, why });
    notes?.push(`account ${account} can’t be used by this worker: ${why}`);
    return null;
  }
}
