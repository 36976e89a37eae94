import { open, readFile, rename, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackStartError } from '../errors';
import { type KeptProcess, startKept } from './supervised-process';
import { choosePorts, type ServerPorts, USUAL_PORTS } from './ports';
import { prepareNamespace } from './prepare-namespace';

/** A log larger than this (bytes) is put aside at the next start; one such file is kept. */
const LOG_LIMIT = 5_000_000;
const START_MS = 60_000;

export interface TemporalServerOptions {
  /** The executable, from `findTemporal`. */
  binary: string;
  /** Folder of the database `temporal.sqlite` and of `temporal.log`. */
  home: string;
  namespace: string;
  onNotice: (text: string) => void;
  /** @default Temporal's usual ports, 7233 and 8233 */
  ports?: ServerPorts;
  /** Told as soon as the process is there, before it answers. */
  onSpawn?: (server: KeptProcess) => Promise<void>;
}

export interface TemporalServer {
  /** host:port */
  address: string;
  webUi: string;
  namespace: string;
  process: KeptProcess;
  stop(): Promise<void>;
}

/** The database of a home's embedded server. */
export function databasePath(home: string): string {
  return join(home, 'temporal.sqlite');
}

/**
 * Starts the embedded server, waits until it answers, and prepares its namespace (retention, search attributes).
 * Ports in use are replaced by free ones, and said.
 * @throws StackStartError with the end of its log
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const usual = options.ports ?? USUAL_PORTS;
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(usual);
    const log = await openLog(options.home);
    try {
      const server = await start(options, ports);
      if (ports.grpc !== usual.grpc)
        options.onNotice(`Port ${usual.grpc} is taken: Temporal listens on ${ports.grpc}.`);
      if (ports.ui !== usual.ui) options.onNotice(`Port ${usual.ui} is taken: the Web UI is on ${ports.ui}.`);
      return server;
    } catch (error) {
      const tail = await log.tail();
      // Between our look and the server's start, somebody else may take a port.
      if (attempt < 3 && /address already in use|can't set .{0,100}port/i.test(tail)) continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new StackStartError(
        `The embedded Temporal server did not start: ${reason}${tail === '' ? '' : `\n${tail}`}`,
        `Its log is ${log.path}, its database ${databasePath(options.home)}.`,
        { cause: error },
      );
    }
  }
}

async function start(options: TemporalServerOptions, ports: ServerPorts): Promise<TemporalServer> {
  const log = await open(join(options.home, 'temporal.log'), 'a', 0o600);
  const kept = await startKept(options.binary, serverArguments(options, ports), log).finally(() => log.close());
  const address = `127.0.0.1:${ports.grpc}`;
  const givenUp = new AbortController();
  const signal = AbortSignal.any([givenUp.signal, AbortSignal.timeout(START_MS)]);
  const ended = kept.gone.then((how) => {
    throw new Error(`it ${how}`);
  });
  ended.catch(() => undefined);
  try {
    await options.onSpawn?.(kept);
    await Promise.race([ready(options.namespace, ports, signal), ended]);
    // Another server on our port would have answered as well; ours would then have ended.
    await Promise.race([ended, Promise.resolve()]);
  } catch (error) {
    givenUp.abort();
    await kept.stop();
    throw error;
  }
  const webUi = `http://127.0.0.1:${ports.ui}`;
  return { address, webUi, namespace: options.namespace, process: kept, stop: () => kept.stop() };
}

async function ready(namespace: string, ports: ServerPorts, signal: AbortSignal): Promise<void> {
  // Loads (0.5 s) while the server starts.
  const { Connection } = await import('@temporalio/client');
  // The client waits a second between two tries to connect; a plain connection tells at once when it can.
  while (!(await answers(ports.grpc))) {
    if (signal.aborted) throw new Error(`nothing on port ${ports.grpc} within ${START_MS / 1000} s`);
    await sleep(20);
  }
  const connection = await Connection.connect({ address: `127.0.0.1:${ports.grpc}`, connectTimeout: '20s' });
  try {
    await prepareNamespace(connection, namespace, signal);
  } finally {
    await connection.close();
  }
}

function serverArguments(options: TemporalServerOptions, ports: ServerPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(ports.grpc), '--ui-port', String(ports.ui)],
    ...['--db-filename', databasePath(options.home), '--namespace', options.namespace],
    // Several times faster than the defaults, and the database still survives kill -9.
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
    ...['--log-level', 'error'],
  ];
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function openLog(home: string): Promise<{ path: string; tail: () => Promise<string> }> {
  const path = join(home, 'temporal.log');
  const size = await stat(path).then(
    (info) => info.size,
    () => 0,
  );
  if (size > LOG_LIMIT) await rename(path, `${path}.1`);
  const from = size > LOG_LIMIT ? 0 : size;
  const tail = async (): Promise<string> => {
    const text = await readFile(path).catch(() => Buffer.alloc(0));
    return text.subarray(from).toString().trim().split('\n').slice(-5).join('\n').slice(-1500);
  };
  return { path, tail };
}
