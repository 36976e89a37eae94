import { codeOf, ConnectFailure, messageOf } from '../connection/connect-failure';
import { LimitReached } from '../connection/deadline';
import { AbortedError, ConnectError, type ErrorFacts, FileError, LostError, ServiceError } from '../errors';
import { type Redactor } from '../secrets/redact';
import { FileProblem } from '../upload/video-file';

const CAUSES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the server reset the connection',
  EPIPE: 'the server closed the connection while the request was being sent',
  ETIMEDOUT: 'the network dropped the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the server closed the connection in the middle of its answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer were too large',
  UND_ERR_CLOSED: 'this client was closed',
  UND_ERR_DESTROYED: 'this client was closed',
};

/**
 * The error for a request without a complete answer.
 * @param facts `sent` is `never` only as long as the request was not handed to its connection
 */
export function requestFailure(
  reason: unknown,
  facts: ErrorFacts,
  redact: Redactor,
  signal: AbortSignal | undefined,
): ServiceError {
  if (reason instanceof ServiceError) return reason;
  if (signal?.aborted && reason === signal.reason) {
    const when = facts.sent === 'never' ? 'before anything was sent' : 'while it was under way';
    return new AbortedError(`stopped ${when}`, { ...facts, cause: reason });
  }
  if (reason instanceof ConnectFailure) return new ConnectError(redact(reason.message), { ...facts, sent: 'never' });
  if (reason instanceof FileProblem) return new FileError(reason.message, facts);
  const before = facts.status === undefined ? 'no answer' : `the service answered ${facts.status}, but not to the end`;
  return new LostError(`${before}: ${failureText(reason, redact)}`, facts);
}

/**
 * What ended an exchange, as text. The library's errors are not passed on as causes: some carry raw bytes of the
 * answer, in which a service may echo anything.
 */
export function failureText(reason: unknown, redact: Redactor): string {
  if (reason instanceof LimitReached) return reason.message;
  const code = codeOf(reason);
  if ((reason as Partial<Error> | undefined)?.name === 'HTTPParserError') {
    return 'the server does not answer in HTTP; should the address begin with https://?';
  }
  const text = CAUSES[code] ?? redact(messageOf(reason));
  return code === '' ? text : `${text} (${code})`;
}
