import { type Answer } from './exchange';
import {
  AccessError,
  AmbiguousError,
  type ErrorFacts,
  NotFoundError,
  RefusedError,
  ServerError,
  type ServiceError,
  ThrottledError,
} from '../errors';
import { flatText } from '../secrets/redact';
import { parseHttpDate, parseRetryAfter } from './retry-after';

type ErrorClass = new (what: string, facts: ErrorFacts) => ServiceError;

interface Meaning {
  from: number;
  to: number;
  error: ErrorClass;
  says: string;
}

/**
 * What a failure status means. The interface shows none (section 7), so this is what HTTP defines, read with care: only
 * a status that can't mean "done anyway" is a refusal. The first matching line counts.
 */
export const STATUS_MEANINGS: readonly Meaning[] = [
  { from: 401, to: 401, error: AccessError, says: 'the service does not accept the API key' },
  { from: 403, to: 403, error: AccessError, says: 'the API key is not allowed to do this' },
  { from: 404, to: 404, error: NotFoundError, says: 'not found' },
  { from: 407, to: 407, error: AccessError, says: 'the proxy asks for a user name and password' },
  { from: 408, to: 408, error: AmbiguousError, says: 'the service gave up waiting' },
  { from: 409, to: 409, error: AmbiguousError, says: 'the service reports a conflict' },
  { from: 425, to: 425, error: AmbiguousError, says: 'the service reports that it is too early' },
  { from: 429, to: 429, error: ThrottledError, says: 'too many requests' },
  { from: 400, to: 499, error: RefusedError, says: 'the service refused it' },
  { from: 503, to: 503, error: ThrottledError, says: 'the service is not available now' },
  { from: 500, to: 599, error: ServerError, says: 'the service failed' },
  { from: 300, to: 399, error: AmbiguousError, says: 'the service answered with a redirect, which is not followed' },
  { from: 0, to: 999, error: AmbiguousError, says: 'the service answered with an unknown status' },
];

/** The error for an answer whose status is no success. */
export function errorForStatus(
  answer: Pick<Answer, 'status' | 'headers'>,
  facts: Pick<ErrorFacts, 'method' | 'path' | 'excerpt'>,
): ServiceError {
  const { status } = answer;
  const meaning = STATUS_MEANINGS.find((one) => one.from <= status && status <= one.to);
  const { error: ErrorOfKind, says } = meaning ?? { error: AmbiguousError, says: 'the service answered' };
  const retryAfterMs = retryAfterOf(answer);
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  const shown = facts.excerpt === undefined ? '' : `: ${saidIn(facts.excerpt)}`;
  return new ErrorOfKind(`${says} (${status})${wait}${shown}`, { ...facts, sent: 'answered', status, retryAfterMs });
}

function retryAfterOf(answer: Pick<Answer, 'headers'>): number | undefined {
  // A date is on the service's clock; if the answer shows that clock, ours need not be right.
  const serverTime = parseHttpDate(answer.headers.get('date')?.[0] ?? '');
  return parseRetryAfter(answer.headers.get('retry-after'), serverTime ?? Date.now());
}

/**
 * The answer's message for people, if it is JSON with a sentence in one of the usual places; otherwise all of it. The
 * interface shows no error body (section 7), so nothing is decided by this.
 */
function saidIn(excerpt: string): string {
  let body: unknown;
  try {
    body = JSON.parse(excerpt);
  } catch {
    return excerpt;
  }
  const inner = fieldOf(body, 'error');
  const holder = typeof inner === 'object' && inner !== null ? inner : body;
  const sentence = ['message', 'detail', 'error', 'title'].map((name) => fieldOf(holder, name)).find(isText);
  if (sentence === undefined) return excerpt;
  const code = fieldOf(holder, 'code');
  // The excerpt had no control characters, but its JSON may have contained escaped ones.
  return flatText(isText(code) && !sentence.includes(code) ? `${sentence} (${code})` : sentence);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
