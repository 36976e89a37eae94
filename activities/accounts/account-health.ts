import { SEEN_EVERY_MS, type Trouble } from '../../ledger/channels/account-trouble';
import { type ServiceClient } from '../../service/api/client';
import { type ServiceError } from '../../service/errors';
import { type AccountConnection, type AccountRegistry } from '../../service/accounts';
import { type ActivityDeps } from '../deps';

/** A wait shorter than this, if the service asks for one, is not worth showing to people. */
const WORTH_SHOWING_MS = 5_000;

/**
 * A single failed request is retried before anyone could look: only this many consecutive ones make an account count as
 * failing.
 */
const FAILURES_IN_A_ROW = 2;

interface Health {
  /** Consecutive requests that did not reach the service. */
  failures: number;
  now: Trouble | null;
  /** The value in the ledger; undefined: not known, because another process may have recorded something. */
  written: Trouble | null | undefined;
  writing: boolean;
}

/**
 * The accounts, with a record in the ledger of which of them can't be reached, for `status`. Only changes are written,
 * so an account that answers costs nothing.
 */
export function reportHealth({
  accounts,
  ledger,
  log,
  now,
}: Pick<ActivityDeps, 'accounts' | 'ledger' | 'log' | 'now'>): AccountRegistry {
  const observed = new WeakSet<ServiceClient>();
  /** Accounts that this process can't use: since when, and when that was recorded last; ms since the epoch. */
  const unusable = new Map<string, { since: number; seenAt: number }>();

  /** Recorded again and again while rows of the account are tried here: another worker may be able to use it. */
  function noteUnusable(account: string, reason: string): void {
    const at = now();
    const { since, seenAt } = unusable.get(account) ?? { since: at, seenAt: -Infinity };
    if (Math.abs(at - seenAt) < SEEN_EVERY_MS) return;
    unusable.set(account, { since, seenAt: at });
    ledger
      .noteTrouble(account, { kind: 'unusable', reason, since, nextAt: null, seenAt: at })
      .catch((error: unknown) => {
        unusable.delete(account);
        log.warn('the state of an account can’t be recorded', { account, why: String(error) });
      });
  }

  function connectionOf(name: string): AccountConnection {
    try {
      return accounts.get(name);
    } catch (error) {
      noteUnusable(name, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  async function write(account: string, health: Health): Promise<void> {
    if (health.writing) return;
    health.writing = true;
    try {
      while (health.written === undefined || !isSame(health.now, health.written)) {
        const wanted = health.now;
        await ledger.noteTrouble(account, wanted);
        health.written = wanted;
      }
    } catch (error) {
      // It is only for people; the next request tries again.
      log.warn('the state of an account can’t be recorded', { account, why: String(error) });
    } finally {
      health.writing = false;
    }
  }

  return {
    names: () => accounts.names(),
    get(name) {
      const connection = connectionOf(name);
      if (observed.has(connection.client)) return connection;
      observed.add(connection.client);
      const health: Health = { failures: 0, now: null, written: undefined, writing: false };
      connection.client.observe((failure) => {
        const trouble = failure === null ? null : troubleOf(failure, now());
        if (trouble === undefined) return;
        health.failures = trouble?.kind === 'unreachable' ? health.failures + 1 : 0;
        if (trouble?.kind === 'unreachable' && health.failures < FAILURES_IN_A_ROW) return;
        const before = health.now;
        health.now = trouble !== null && before?.kind === trouble.kind ? { ...trouble, since: before.since } : trouble;
        void write(name, health);
      });
      return connection;
    },
  };
}

/** Null: the service answered, with any status; undefined: the failure says nothing about the service. */
function troubleOf(failure: ServiceError, now: number): Trouble | null | undefined {
  const { kind, message, status, retryAfterMs } = failure;
  const nextAt = retryAfterMs === undefined ? null : Math.ceil((now + retryAfterMs) / 1_000) * 1_000;
  const trouble = { reason: message, since: now, nextAt };
  if (kind === 'aborted' || kind === 'file') return undefined;
  if (kind === 'connect' || kind === 'lost' || kind === 'server' || status === 503)
    return { ...trouble, kind: 'unreachable' };
  if (kind !== 'throttled') return null;
  return (retryAfterMs ?? 0) >= WORTH_SHOWING_MS ? { ...trouble, kind: 'throttled' } : undefined;
}

/** A different reason for the same trouble is not worth a write; a different time is. */
function isSame(a: Trouble | null, b: Trouble | null): boolean {
  return a?.kind === b?.kind && a?.since === b?.since && a?.nextAt === b?.nextAt;
}
