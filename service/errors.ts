/**
 * What became of a request's bytes: `never` none left; `perhaps` some may have, and no answer came; `answered` the
 * head of an answer came.
 */
export type Sent = 'never' | 'perhaps' | 'answered';

/** Tells the errors apart; one class each. */
export type ServiceErrorKind =
  | 'connect'
  | 'refused'
  | 'access'
  | 'not-found'
  | 'throttled'
  | 'server'
  | 'ambiguous'
  | 'unreadable'
  | 'lost'
  | 'aborted'
  | 'file'
  | 'redirect';

/** What scripts see of each (`error.code`). */
const CODES: Readonly<Record<ServiceErrorKind, string>> = {
  connect: 'service-unreachable',
  refused: 'service-refused',
  access: 'access-refused',
  'not-found': 'service-not-found',
  throttled: 'service-throttled',
  server: 'service-error',
  ambiguous: 'service-answer',
  unreadable: 'service-unreadable',
  lost: 'service-lost',
  aborted: 'interrupted',
  file: 'file-unreadable',
  redirect: 'service-redirect',
};

/** The facts every error carries beside its sentence. */
export interface ErrorFacts {
  method: string;
  /** Path of the request without its query, from the origin. */
  path: string;
  sent: Sent;
  status?: number | undefined;
  /** At most 300 characters of the answer, secrets masked, one line. */
  excerpt?: string | undefined;
  /** What `Retry-After` asked for, in ms, uncapped. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A request's name in errors. */
export type RequestName = Pick<ErrorFacts, 'method' | 'path'>;

/**
 * A request to the service that did not end well. No text of it holds the API key, a signed query or a password. The
 * interface leaves error bodies and codes open (section 7), so the kind comes from the status alone.
 */
export abstract class ServiceError extends Error {
  abstract readonly kind: ServiceErrorKind;
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
  readonly status: number | undefined;
  readonly excerpt: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(what: string, facts: ErrorFacts) {
    super(`${facts.method} ${facts.path}: ${what}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.method = facts.method;
    this.path = facts.path;
    this.sent = facts.sent;
    this.status = facts.status;
    this.excerpt = facts.excerpt;
    this.retryAfterMs = facts.retryAfterMs;
  }

  get code(): string {
    return CODES[this.kind];
  }
}

/** No connection: refused, unknown host, connect time limit, TLS, proxy. `sent` is always `never`. */
export class ConnectError extends ServiceError {
  override readonly kind = 'connect';
}
/** The service refused the request: 4xx, except those that have a class of their own. */
export class RefusedError extends ServiceError {
  override readonly kind: 'refused' | 'not-found' = 'refused';
}
/** 404: the profile or publication, or the address itself, is not there. */
export class NotFoundError extends RefusedError {
  override readonly kind = 'not-found';
}
/** 401, 403 (and a proxy's 407): the key is not accepted. */
export class AccessError extends ServiceError {
  override readonly kind = 'access';
}
/** 429, 503: asks to come later. For a create this alone does not prove that nothing was made. */
export class ThrottledError extends ServiceError {
  override readonly kind = 'throttled';
}
/** 5xx, except 503. */
export class ServerError extends ServiceError {
  override readonly kind = 'server';
}
/** 408, 409, 425, a redirected write, an answer that says `ok: false`, statuses of no known meaning. */
export class AmbiguousError extends ServiceError {
  override readonly kind = 'ambiguous';
}
/** 2xx without what is needed in it. */
export class UnreadableError extends ServiceError {
  override readonly kind = 'unreadable';
}
/** Cut, reset, or over a time limit after the first byte may have left. */
export class LostError extends ServiceError {
  override readonly kind = 'lost';
}
/** The caller's signal ended the request; `cause` is the signal's reason. */
export class AbortedError extends ServiceError {
  override readonly kind = 'aborted';
}
/** The video file is missing, unreadable, or changed since it was checked or while it was sent. */
export class FileError extends ServiceError {
  override readonly kind = 'file';
}
/** A redirect that is not followed; the message names both origins. */
export class RedirectError extends ServiceError {
  override readonly kind = 'redirect';
}
