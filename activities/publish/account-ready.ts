import { type CreatePublicationsInput, type RowResult } from '../contract';
import { type ActivityDeps } from '../deps';
import { usableAccount } from '../accounts/usable-account';
import { takeBaselineOrNone } from './take-baseline';
import { ServiceError } from '../../service/errors';
import { type CreateDeps } from './create-deps';

/**
 * Why rows of an account can't be created while its key is refused or another account's, or its list can't be read; null
 * if its baseline was taken.
 */
export async function demandBaseline(
  deps: ActivityDeps,
  { run }: CreatePublicationsInput,
  account: string,
): Promise<Omit<RowResult, 'id'> | null> {
  const connection = usableAccount(deps, account);
  // Each row reports this itself.
  if (connection === null) return null;
  try {
    // Before the baseline: another account's list must not become it.
    await connection.client.demandKey();
    await takeBaselineOrNone(deps, run, connection);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    deps.log.warn('an account can’t be read, so nothing is created', { account, why: error.message });
    if (error.kind === 'access') {
      await deps.ledger.parkAccount({ account, reason: `account ${account}: ${error.message}` });
      return {
        result: 'refused-access',
        state: 'planned',
        code: error.status === undefined ? error.code : `http-${error.status}`,
      };
    }
    const { throttledMs, retryAfterMaxMs } = deps.timings;
    if (error.kind !== 'throttled') return { result: 'unreachable', state: 'planned', code: 'unreachable' };
    const waitMs = Math.min(error.retryAfterMs ?? throttledMs, retryAfterMaxMs);
    return { result: 'later', state: 'planned', code: 'http-429', waitMs };
  }
}

/**
 * Why rows of an account can't be created until this ledger was compared with the account's list. If the list stays
 * unreadable while the rest of the service can be read, the account is parked, so that people see why; a person who
 * resumes it then takes responsibility for the ledger, for this process.
 */
export async function demandWitness(deps: CreateDeps, account: string): Promise<Omit<RowResult, 'id'> | null> {
  const connection = usableAccount(deps, account);
  if (connection === null) return null;
  const waiting = `witness/${account}`;
  if ((await deps.witness.check(connection)) === 'checked') {
    deps.clock.forget(waiting);
    return null;
  }
  const unreachable = { result: 'unreachable', state: 'planned', code: 'unreachable' } as const;
  const elapsedMs = deps.clock.elapsed(waiting);
  if (await deps.ledger.wasResumed(account, deps.now() - elapsedMs)) return null;
  if (elapsedMs < deps.timings.settleMs) return unreachable;
  try {
    await connection.client.listProfiles();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return unreachable;
  }
  const reason = `account ${account}: its list can’t be read, so this ledger can’t be compared with what was sent before; it opens when the list can be read, or with \`reelay resume\` if this ledger isn’t an older copy`;
  await deps.ledger.parkAccount({ account, reason });
  return { result: 'later', state: 'planned', code: 'parked' };
}
