import { type AccountConnection } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/**
 * The account with this process's connection to it; null, with a warning, if the process has no key for it. Another
 * worker may have one, so the rows don't end because of this.
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
