import { type AccountTrouble } from '../../ledger/channels/account-trouble';
import { safeText } from '../terminal/safe-text';

/**
 * `account cafe can’t be reached since 2026-03-02T14:32:00Z (…); its rows wait and are tried again automatically`.
 * `working`: a worker is running, so this is the current situation.
 */
export function troubleText({ account, kind, since, reason, nextAt }: AccountTrouble, working: boolean): string {
  const name = safeText(account);
  if (!working)
    return `account ${name} could not be reached when a worker last tried (since ${since}: ${safeText(reason)}); its rows are tried again once a worker runs`;
  const what = kind === 'throttled' ? `account ${name}: the service asks to wait,` : `account ${name} can’t be reached`;
  const then = nextAt === null ? 'at most 5 min apart' : `at ${nextAt}`;
  return `${what} since ${since} (${safeText(reason)}); its rows wait and are tried again automatically, ${then}`;
}
