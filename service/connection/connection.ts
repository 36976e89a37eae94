import { type Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { ConnectFailure, connectFailure } from './connect-failure';
import { type Proxy } from './proxy';

export interface ConnectOptions {
  /** Destination: scheme, host and port. */
  origin: string;
  proxy: Proxy | undefined;
  /** For name look-up, proxy, TCP and TLS together, in ms. */
  limitMs: number;
  signal?: AbortSignal | undefined;
}

// The types hide that the connector returns the socket at once; destroying it is the only way to stop connecting.
type Connector = (...parameters: Parameters<ReturnType<typeof buildConnector>>) => Socket;
// A single connector remembers TLS sessions by host name. Its own timer is off: it is coarse, and ends one step only.
const connector = buildConnector({ timeout: 0 }) as unknown as Connector;

/**
 * Opens a new connection, through a tunnel of the proxy if there is one. Every failure here is certain: no byte of the
 * request was sent.
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

/** The underlying socket of an encrypted connection, by the socket that is used. */
const carriers = new WeakMap<Socket, Socket>();

/**
 * Destroys a connection at once. The data of an upload that the system has buffered, some megabytes, is discarded:
 * after a normal close it would still be sent to the service, for as long as that takes.
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
      // The port follows from the scheme of the address, not of this step.
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

/** CONNECT also for http:// addresses, so that the proxy distinguishes "not reached" from "reached, then failed". */
async function openTunnel(origin: string, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
  const client = new Client(proxy.origin, { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 });
  try {
    const { statusCode, socket } = await client.connect({
      path: hostOf(origin),
      signal,
      headers: { host: hostOf(origin), ...(proxy.authorization ? { 'proxy-authorization': proxy.authorization } : {}) },
    });
    // The client releases the socket and its listeners; an unhandled error would end the process.
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
