import { ServiceConfigError } from '../config-error';

/** The service's base address, taken apart (interface, section 4: paths are under `{base_url}`, section 9: `/v1`). */
export interface BaseUrl {
  /** Scheme, host and port: `https://videos.example`. */
  readonly origin: string;
  /** The prefix of `/v1` in every path: empty, or `/some/prefix` without a slash at its end. */
  readonly prefix: string;
  /** The same text for one address, however it was written: origin and prefix, without `/v1` and slash. */
  readonly href: string;
  /** The same text for one service, at either scheme: host, port and prefix. */
  readonly service: string;
}

const EXAMPLE = 'for example https://videos.example';

/**
 * Reads a base URL with or without `/v1`, a slash at its end, or a path before `/v1`.
 * @throws ServiceConfigError for anything that is not a plain http(s) address
 */
export function parseBaseUrl(text: string): BaseUrl {
  const trimmed = text.trim();
  if (trimmed === '') throw wrong(`is empty; give the service's address, ${EXAMPLE}`);
  // The URL parser silently drops tabs and line breaks and escapes spaces; in an address they are mistakes.
  if (/[\s\u0000-\u001f\u007f]/.test(trimmed)) throw wrong('has a space or a control character inside it');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    throw wrong(`${shown(trimmed)}must begin with https:// or http://, ${EXAMPLE}`);
  }
  if (!URL.canParse(trimmed)) throw wrong(`${shown(trimmed)}cannot be read as an address, ${EXAMPLE}`);
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') {
    throw wrong('must not hold a user name or password; the API key is set separately');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw wrong(`begins with ${url.protocol}//; only https:// and http:// can be used`);
  }
  if (url.search !== '' || url.hash !== '' || /[?#]$/.test(trimmed)) {
    throw wrong('must end before any ? or #; give the address alone');
  }
  const prefix = url.pathname
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '')
    .replace(/\/v1$/, '');
  // The dot at the end of a host name makes no difference to where it leads, but certificates are without it.
  const host = url.hostname.replace(/\.$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  const named = (LOOPBACK.has(host) ? '127.0.0.1' : host) + port + prefix;
  return { origin: `${url.protocol}//${host}${port}`, prefix, href: `${url.protocol}//${named}`, service: named };
}

/** Names of this machine: the same service answers at each. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The value, unless it may contain a secret. */
function shown(text: string): string {
  return /[@?#]/.test(text) || text.length > 200 ? '' : `"${text}" `;
}

function wrong(what: string): ServiceConfigError {
  return new ServiceConfigError('baseUrl', `The base URL ${what}.`);
}
