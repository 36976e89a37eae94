import { type Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { ConnectFailure, connectFailure } from './connect-failure';
import { type Proxy } from './proxy';

export interface ConnectOptions {
  /** Where to: scheme, host and port. */
  origin: string;
  proxy: Proxy | undefined;
  /** For name look-up, proxy, TCP and TLS together, in ms. */
  limitMs: number;
  signal?: AbortSignal | undefined;
}

// The types hide that the connector returns the socket at once; ending it is the only way to stop connecting.
type Connector = (...parameters: Parameters<ReturnType<typeof buildConnector>>) => Socket;
// One connector remembers TLS sessions by host name. Its own timer is off: it is coarse, and ends one step only.
const connector = buildConnector({ timeout: 0 }) as unknown as Connector;

/**
 * Opens a new connection, through a tunnel of the proxy if there is one. Every failure here is certain: no byte of the
 * request left.
 * @throws ConnectFailure, or the signal's reason
 */
export async function openConnection(options: ConnectOptions): Promise<Socket> {
  const { proxy, origin, limitMs, signal } = options;
  const place = proxy ? `${hostOf(origin)} through the proxy ${hostOf(proxy.origin)}` : hostOf(origin);
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new ConnectFailure(`no connection to ${place} within ${limitMs / 1000} s`));
  }, limitMs);
  const ends = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
  try {
    const tunnel = proxy ? await openTunnel(origin, proxy, ends) : undefined;
    return await connect(origin, tunnel, ends);
  } catch (error) {
    if (ends.aborted) throw ends.reason;
    throw connectFailure(place, error);
  } finally {
    clearTimeout(timer);
  }
}

/** `host:port`, with the port also where the scheme implies it. */
export function hostOf(origin: string): string {
  const url = new URL(origin);
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** What carries a connection that is encrypted, by the socket that is used. */
const carriers = new WeakMap<Socket, Socket>();

/**
 * Ends a connection at once. What the system has still to send of an upload, some megabytes, is thrown away: closed in the
 * usual way, they would go on to the service for as long as they take.
 */
export function cutConnection(socket: Socket): void {
  const carrier = carriers.get(socket) ?? socket;
  try {
    carrier.resetAndDestroy();
  } catch {
    // Not plain TCP, such as a tunnel through a proxy that is encrypted itself.
  }
  socket.destroy();
}

async function connect(origin: string, tunnel: Socket | undefined, ends: AbortSignal): Promise<Socket> {
  const url = new URL(origin);
  const carrier = tunnel ?? (await connectBy({ url, protocol: 'http:' }, ends));
  if (url.protocol === 'http:') return carrier;
  try {
    const socket = await connectBy({ url, protocol: url.protocol, httpSocket: carrier }, ends);
    carriers.set(socket, carrier);
    return socket;
  } catch (error) {
    carrier.destroy();
    throw error;
  }
}

function connectBy(
  { url, protocol, httpSocket }: { url: URL; protocol: string; httpSocket?: Socket },
  ends: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = {
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      host: url.host,
      protocol,
      // The scheme of the address, not of this step, says which port it is.
      port: url.port || (url.protocol === 'https:' ? '443' : '80'),
      ...(httpSocket ? { httpSocket } : {}),
    };
    const opened = connector(target, (error, socket) => {
      ends.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve(socket);
    });
    const stop = () => {
      opened.destroy();
      reject(ends.reason as Error);
    };
    ends.addEventListener('abort', stop, { once: true });
    if (ends.aborted) stop();
  });
}

/** CONNECT also for http:// addresses, so that the proxy tells apart "not reached" and "reached, then failed". */
async function openTunnel(origin: string, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
  const client = new Client(proxy.origin, { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 });
  try {
    const { statusCode, socket } = await client.connect({
      path: hostOf(origin),
      signal,
      headers: { host: hostOf(origin), ...(proxy.authorization ? { 'proxy-authorization': proxy.authorization } : {}) },
    });
    // The client lets go of the socket and of its listeners; an error that nobody hears would end the process.
    socket.on('error', () => undefined);
    if (statusCode >= 200 && statusCode < 300) return socket as unknown as Socket;
    socket.destroy();
    const place = `${hostOf(origin)} through the proxy ${hostOf(proxy.origin)}`;
    const why = statusCode === 407 ? 'the proxy asks for a user name and password' : 'the proxy refused to';
    throw new ConnectFailure(`no connection to ${place}: ${why} (${statusCode})`);
  } finally {
    void client.destroy();
  }
}
