import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient, type ServiceClientOptions } from '../../service/api/client';

export const KEY = 'key-7f3a9c51e2d84b60';

const cleanups: (() => Promise<unknown>)[] = [];

/** Runs what the helpers below left to undo; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const undo of cleanups.splice(0).reverse()) await undo();
}

export function later(undo: () => Promise<unknown>): void {
  cleanups.push(undo);
}

/** An HTTP server on a free port of this machine; its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer({ requestTimeout: 0 }, listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  later(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers every request, once it is whole, with this JSON. */
export async function serveJson(
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
  seen: { request: IncomingMessage; body: Buffer }[] = [],
): Promise<string> {
  return serve((request, response) => {
    void collect(request).then((got) => {
      seen.push({ request, body: got });
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
}

/** A TCP server; its address and the sockets it got. */
export async function serveTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  later(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function clientFor(baseUrl: string, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  const client = new ServiceClient({ baseUrl, apiKey: KEY, environment: {}, ...options });
  later(() => client.close());
  return client;
}

/** A folder that goes away with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-service-'));
  later(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What a promise rejects with; fails when it doesn't. */
export async function failure<T>(
  promise: Promise<unknown>,
  kind: abstract new (...parameters: never[]) => T,
): Promise<T> {
  const error: unknown = await promise.then(
    (value) => {
      throw new Error(`resolved: ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof kind)) throw error instanceof Error ? error : new Error(String(error));
  return error;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean, withinMs = 200_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error('the condition did not come true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What a function throws; fails when it doesn't. */
export function thrownBy(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
