import { type Dispatcher, ProxyAgent } from 'undici';
import { findProxy, percentDecoded } from '../connection/proxy';

const agents = new Map<string, ProxyAgent>();

/** How an address other than the service's is reached: its URL without credentials, the header with them, the proxy. */
export function outgoing(address: string): {
  url: string;
  headers: { authorization?: string };
  dispatcher?: Dispatcher;
} {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const plain = `${percentDecoded(username)}:${percentDecoded(password)}`;
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
