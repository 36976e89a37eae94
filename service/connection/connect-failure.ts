/** A connection that was never established: nothing of the request can have been sent. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there; is the service up, and is the port right?',
  ENOTFOUND: 'the host name is unknown; check its spelling and DNS',
  EAI_AGAIN: 'DNS did not answer; is there a network connection?',
  EHOSTUNREACH: 'there is no route to that host',
  ENETUNREACH: 'the network of that host is unreachable',
  ETIMEDOUT: 'the host did not answer',
  ECONNRESET: 'the connection was closed before it was established; does this port speak the protocol of the base URL?',
  EPIPE: 'the connection was closed before it was established',
  EACCES: 'the system does not allow this connection',
  EADDRNOTAVAIL: 'the system has no free address or port for another connection',
  EMFILE: 'this process has too many files and connections open',
  EPROTO: 'it does not speak TLS; should the address begin with http:// instead of https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; should the address begin with http:// instead of https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; should the address begin with http:// instead of https://?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; is the clock right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; set NODE_EXTRA_CA_CERTS to trust it',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority; set NODE_EXTRA_CA_CERTS to trust it',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate chain is incomplete or unknown; set NODE_EXTRA_CA_CERTS to trust it',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate comes from an unknown authority; set NODE_EXTRA_CA_CERTS to trust it',
};

/** The code of a system or TLS error, also of the first of several tried addresses. */
export function codeOf(error: unknown): string {
  // By its shape: an error of the runtime may come from another realm, where `instanceof` fails.
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : '';
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof message === 'string' && message !== '' ? message : 'for an unknown reason';
}

/** Describes a failed connection: the address, and the likely cause. */
export function connectFailure(place: string, error: unknown): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  const code = codeOf(error);
  const cause = CAUSES[code] ?? messageOf(error);
  return new ConnectFailure(`no connection to ${place}: ${cause}${code === '' ? '' : ` (${code})`}`);
}
