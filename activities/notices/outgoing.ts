import { type Dispatcher, ProxyAgent } from 'undici';
import { findProxy } from '../../service/http/proxy';

const agents = new Map<string, ProxyAgent>();

/** Percent-decoded as far as it is percent-encoded: in an address a person typed, a bare `%` may be meant as one. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  }
}

/** How an address that isn't the service's is reached: its URL without credentials, the header for these, the proxy. */
export function outgoing(address: string): {
  url: string;
  headers: { authorization?: string };
  dispatcher?: Dispatcher;
} {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const plain = `${decoded(username)}:${decoded(password)}`;
  const headers = plain === ':' ? {} : { authorization: `Basic ${Buffer.from(plain).toString('base64')}` };
  const proxy = findProxy(url.origin, process.env);
  if (proxy === undefined) return { url: url.href, headers };
  const { origin, authorization } = proxy;
  const id = `${origin} ${authorization ?? ''}`;
  const known = agents.get(id);
  const dispatcher =
    known ?? new ProxyAgent({ uri: origin, ...(authorization === undefined ? {} : { token: authorization }) });
  agents.set(id, dispatcher);
  return { url: url.href, headers, dispatcher };
}
