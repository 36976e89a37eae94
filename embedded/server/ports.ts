import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OsLock, tryLock } from '../../host/os-lock';

export interface ServerPorts {
  grpc: number;
  ui: number;
  /** Port of the HTTP API, which nothing uses. @default one that the server chooses */
  http?: number;
}

/** Temporal's usual ports. */
export const USUAL_PORTS: ServerPorts = { grpc: 7233, ui: 8233 };

/** The usual ports if they are free, otherwise any free ones; each independently. */
export async function choosePorts(usual: ServerPorts = USUAL_PORTS): Promise<ServerPorts> {
  const grpc = (await isFree(usual.grpc)) ? usual.grpc : await freePort();
  const ui = (await isFree(usual.ui)) ? usual.ui : await freePort();
  return { grpc, ui };
}

export async function isFree(port: number): Promise<boolean> {
  return (await listen(port)) !== null;
}

export async function freePort(): Promise<number> {
  const port = await listen(0);
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}

async function listen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

/** How long (ms) a start waits for another one; one that is stopped half-way doesn't block the others indefinitely. */
const TURN_MS = 20_000;

/**
 * Runs the work while no other process of this user starts a server. A port can't be reserved for the server, which
 * binds it itself, so two starts at once could choose the same one.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const until = Date.now() + TURN_MS;
  let lock = tryTurn();
  while (lock === null && Date.now() < until) {
    await sleep(50);
    lock = tryTurn();
  }
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

function tryTurn(): OsLock | null {
  try {
    return tryLock(join(tmpdir(), `reelay-starting-${process.getuid?.() ?? 'all'}.lock`));
  } catch {
    // No lock can be taken in this folder: a port that was taken meanwhile is still noticed, and another one is tried.
    return null;
  }
}
