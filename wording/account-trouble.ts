/** Why an account can't be used now, with the reason for people; times in ISO. */
interface ShownTrouble {
  account: string;
  kind: 'unreachable' | 'throttled' | 'unusable';
  reason: string;
  since: string;
  nextAt: string | null;
}

/**
 * `account cafe can’t be reached since 2026-03-02T14:32:00Z (…); its rows wait and are tried again automatically`.
 * `working`: a worker is running, so this is the current situation.
 */
export function troubleText({ account, kind, since, reason, nextAt }: ShownTrouble, working: boolean): string {
  if (kind === 'unusable')
    return `account ${account} can’t be used by a worker since ${since} (${reason}); its rows wait until a worker is started whose config has the account and its key, or until they are cancelled`;
  if (!working)
    return `account ${account} could not be reached when a worker last tried (since ${since}: ${reason}); its rows are tried again once a worker runs`;
  const what =
    kind === 'throttled' ? `account ${account}: the service asks to wait,` : `account ${account} can’t be reached`;
  const then = nextAt === null ? 'at most 5 min apart' : `at ${nextAt}`;
  return `${what} since ${since} (${reason}); its rows wait and are tried again automatically, ${then}`;
}
