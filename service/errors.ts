/**
 * What happened to a request's bytes: `never`: none was sent; `perhaps`: some may have been, and no answer came;
 * `answered`: the head of an answer came.
 */
export type Sent = 'never' | 'perhaps' | 'answered';

/** Distinguishes the errors; one class each. */
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

/** The code of each that scripts see (`error.code`). */
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

/** The facts that every error carries besides its message. */
export interface ErrorFacts {
  method: string;
  /** Path of the request without its query, from the origin. */
  path: string;
  sent: Sent;
  status?: number | undefined;
  /** At most 300 characters of the answer, secrets masked, one line. */
  excerpt?: string | undefined;
  /** The wait that `Retry-After` asked for, in ms, uncapped. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A request's name in errors. */
export type RequestName = Pick<ErrorFacts, 'method' | 'path'>;

/**
 * A request to the service that failed. None of its texts contains the API key, a signed query or a password. The
 * interface leaves error bodies and codes open (section 7), so the kind is determined by the status alone.
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
/** The service refused the request: 4xx, except those with a separate class. */
export class RefusedError extends ServiceError {
  override readonly kind: 'refused' | 'not-found' = 'refused';
}
/** 404: the profile or publication, or the address itself, doesn't exist. */
export class NotFoundError extends RefusedError {
  override readonly kind = 'not-found';
}
/** 401, 403 (and a proxy's 407): the key is not accepted. */
export class AccessError extends ServiceError {
  override readonly kind = 'access';
}
/** The key is accepted, but it seems to be another account's: nothing but its profiles was requested with it. */
export class OtherAccountError extends AccessError {
  override get code(): string {
    return 'account-changed';
  }
}
/** 429, 503: asks to come back later. For a create this alone does not prove that nothing was created. */
export class ThrottledError extends ServiceError {
  override readonly kind = 'throttled';
}
/** 5xx, except 503. */
export class ServerError extends ServiceError {
  override readonly kind = 'server';
}
/** 408, 409, 425, a redirected write, an answer that says `ok: false`, statuses of unknown meaning. */
export class AmbiguousError extends ServiceError {
  override readonly kind = 'ambiguous';
}
/** 2xx without the required data. */
export class UnreadableError extends ServiceError {
  override readonly kind = 'unreadable';
}
/** Cut, reset, or over a time limit after the first byte may have been sent. */
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
