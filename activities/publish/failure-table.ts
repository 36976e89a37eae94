import { type AttemptOutcome } from '../../ledger/model/attempt-types';
import { ServiceError } from '../../service/errors';
import { type Timings } from '../timings';

/** The code of a create whose file changed while it was sent. */
export const FILE_CHANGED = 'file-changed';

/**
 * What a failed create means for its row. One table, most certain first:
 *
 * | seen | class | then |
 * | --- | --- | --- |
 * | nothing was sent (refused, DNS, connect time-out, TLS, stopped before the first byte) | `never-sent` | again, with back-off |
 * | the file is missing or changed before anything was sent | `rejected` | a person corrects it |
 * | an error of our own before the first byte | `rejected` | nothing was sent; the message says what is wrong |
 * | 401, 403, a 404 that names the profile | `access` | the account or channel is parked, the row stays |
 * | 400, 404, 410, 413, 415, 422, other 4xx | `rejected` | no retry |
 * | 429 (and `trust_429`) | `never-sent` | again after the wait that was asked for |
 * | anything else after the first byte could have left | `unknown` | reconcile |
 *
 * `leaving`: the first byte may have left.
 */
export function classifyCreateFailure(
  error: unknown,
  context: { now: number; timings: Timings; trust429: boolean; leaving: boolean },
): AttemptOutcome {
  if (!(error instanceof ServiceError)) {
    const unexpected = { code: 'unexpected-error', message: shorten(String(error)) };
    return context.leaving ? { kind: 'unknown', ...unexpected } : { kind: 'rejected', ...unexpected };
  }
  // Which request failed is left out, since people read this beside the row.
  const message = shorten(error.message.replace(`${error.method} ${error.path}: `, ''));
  const status = error.status === undefined ? {} : { httpStatus: error.status };
  const wait = waitFor(error, context);

  if (error.sent === 'never') {
    if (error.kind === 'file') return { kind: 'rejected', code: 'file', message, column: 'source' };
    return { kind: 'never-sent', code: error.kind === 'aborted' ? 'stopped' : 'unreachable', message };
  }
  switch (error.kind) {
    case 'access':
      return {
        kind: 'auth-refused',
        code: `http-${error.status ?? 401}`,
        message,
        httpStatus: error.status ?? 401,
        park: error.status === 403 ? 'channel' : 'account',
      };
    case 'refused':
    case 'not-found':
      // The profile no longer exists: its other rows would fail the same way, so the channel waits for a person
      // instead.
      if (error.status === 404 && /\bprofile\b/i.test(message)) {
        return { kind: 'auth-refused', code: 'http-404', message, httpStatus: 404, park: 'channel' };
      }
      return { kind: 'rejected', code: `http-${error.status ?? 400}`, message, ...status };
    case 'throttled':
      if (error.status === 429 && context.trust429) {
        return { kind: 'never-sent', code: 'http-429', message, retryAt: context.now + wait };
      }
      return {
        kind: 'unknown',
        code: `http-${error.status ?? 503}`,
        message,
        ...status,
        notBefore: context.now + wait,
      };
    case 'file':
      return { kind: 'unknown', code: FILE_CHANGED, message };
    case 'connect':
    case 'server':
    case 'ambiguous':
    case 'unreadable':
    case 'redirect':
    case 'lost':
    case 'aborted':
      return {
        kind: 'unknown',
        code: error.status === undefined || error.kind === 'unreadable' ? error.kind : `http-${error.status}`,
        message,
        ...status,
      };
  }
}

/** Jitter, as a share of the wait: not all rows come back at once, and a short wait stays short. */
const JITTER = 0.1;

/** At least what the service asked for, up to the cap, plus a little jitter. */
function waitFor(error: ServiceError, { timings }: { timings: Timings }): number {
  const wait = Math.min(error.retryAfterMs ?? timings.throttledMs, timings.retryAfterMaxMs);
  return Math.ceil(wait * (1 + Math.random() * JITTER));
}

const MAX_MESSAGE = 500;

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}
