import { open, readFile, rename, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { proxyOptions } from '../../host/grpc-proxy';
import { StackStartError } from '../errors';
import { type SupervisedProcess, startSupervised } from './supervised-process';
import { choosePorts, inTurn, type ServerPorts, USUAL_PORTS } from './ports';
import { prepareNamespace } from './prepare-namespace';

/** A log larger than this (bytes) is rotated at the next start; one old file is kept. */
const LOG_LIMIT = 5_000_000;
const START_MS = 60_000;

export interface TemporalServerOptions {
  /** The executable, from `findTemporal`. */
  binary: string;
  /** Folder of the database `temporal.sqlite` and of `temporal.log`. */
  home: string;
  namespace: string;
  /** It supports the flag that keeps its Web UI from fetching news from the internet. */
  newsOption?: boolean;
  onNotice: (text: string) => void;
  /** @default Temporal's usual ports, 7233 and 8233 */
  ports?: ServerPorts;
  /** Called as soon as the process exists, before it answers. */
  onSpawn?: (server: SupervisedProcess) => Promise<void>;
}

export interface TemporalServer {
  /** host:port */
  address: string;
  webUi: string;
  namespace: string;
  process: SupervisedProcess;
  stop(): Promise<void>;
}

/** The database of a home's embedded server. */
export function databasePath(home: string): string {
  return join(home, 'temporal.sqlite');
}

/** SQLite's messages for a damaged file, as they appear in the server's log. */
const DAMAGED = /database disk image is malformed|file is not a database/iu;

/** How to recover from a damaged `temporal.sqlite`. */
export const MOVE_AWAY =
  'Stop what runs in this home (`reelay up`, `reelay run`), move temporal.sqlite, temporal.sqlite-wal and temporal.sqlite-shm away, ' +
  'then repeat the command: what was sent is in the ledger, and open runs resume from it with the same command. Schedules: submit their manifests again.';

/** Number of tries with other ports, if another program takes one between our choice and the server's start. */
const PORT_ATTEMPTS = 5;

/**
 * Starts the embedded server, waits until it answers, and prepares its namespace (retention, search attributes). Ports
 * in use are replaced by free ones, with a notice. Servers of one user start one after another, since each picks
 * further ports itself, which can't be reserved for it.
 * @throws StackStartError with the last lines of its log
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  return inTurn(() => startOnFreePorts(options));
}

async function startOnFreePorts(options: TemporalServerOptions): Promise<TemporalServer> {
  const usual = options.ports ?? USUAL_PORTS;
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(usual);
    const log = await openLog(options.home);
    try {
      const server = await start(options, ports, log);
      if (ports.grpc !== usual.grpc)
        options.onNotice(`Port ${usual.grpc} is taken: Temporal listens on ${ports.grpc}.`);
      if (ports.ui !== usual.ui) options.onNotice(`Port ${usual.ui} is taken: the Web UI is on ${ports.ui}.`);
      return server;
    } catch (error) {
      const said = await log.read();
      if (attempt < PORT_ATTEMPTS && PORT_TAKEN.test(said)) continue;
      const reason = error instanceof Error ? error.message : String(error);
      const tail = shownEnd(said);
      throw new StackStartError(
        `The embedded Temporal server did not start: ${reason}${tail === '' ? '' : `\n${tail}`}`,
        DAMAGED.test(said)
          ? `Its database ${databasePath(options.home)} is damaged. ${MOVE_AWAY}`
          : `Its log is ${log.path}, its database ${databasePath(options.home)}.`,
        { cause: error },
      );
    }
  }
}

const PORT_TAKEN = /address already in use|can't set .{0,100}port/i;

/** The last lines, for people. A Go stack trace doesn't help them; the lines before it do. */
function shownEnd(log: string): string {
  const trace = log.search(/^(?:panic: runtime error|goroutine \d+ )/mu);
  const words = trace < 0 ? log : log.slice(0, trace);
  return words.trim().split('\n').slice(-5).join('\n').slice(-1500);
}

async function start(options: TemporalServerOptions, ports: ServerPorts, log: ServerLog): Promise<TemporalServer> {
  const file = await open(log.path, 'a', 0o600);
  const kept = await startSupervised(options.binary, serverArguments(options, ports), file).finally(() => file.close());
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
    // Another program's server on this port would have answered as well; ours logs where it listens.
    await Promise.race([saysItListens(log, ports.grpc), ended]);
  } catch (error) {
    givenUp.abort();
    await kept.stop();
    throw error;
  }
  const webUi = `http://127.0.0.1:${ports.ui}`;
  return { address, webUi, namespace: options.namespace, process: kept, stop: () => kept.stop() };
}

/**
 * Versions that log it differently are accepted once they answer after this time (ms): a server without its port ends
 * sooner.
 */
const SAID_MS = 3_000;

async function saysItListens(log: ServerLog, port: number): Promise<void> {
  const until = Date.now() + SAID_MS;
  const listens = new RegExp(`localhost:${port}\\b`, 'u');
  while (Date.now() < until && !listens.test(await log.read())) await sleep(20);
}

async function ready(namespace: string, ports: ServerPorts, signal: AbortSignal): Promise<void> {
  // Loads (0.5 s) while the server starts.
  const { Connection } = await import('@temporalio/client');
  // The client waits a second between two tries to connect; a plain connection shows at once when the server is ready.
  while (!(await answers(ports.grpc))) {
    if (signal.aborted) throw new Error(`nothing on port ${ports.grpc} within ${START_MS / 1000} s`);
    await sleep(20);
  }
  const address = `127.0.0.1:${ports.grpc}`;
  const connection = await Connection.connect({ address, ...proxyOptions(address), connectTimeout: '20s' });
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
    ...(options.ports?.http === undefined ? [] : ['--http-port', String(options.ports.http)]),
    // Its HTTP API accepts a plain POST from any web page, and nothing here uses it: no request can match this host.
    ...['--dynamic-config-value', 'frontend.httpAllowedHosts=["none.invalid"]'],
    ...(options.newsOption === true ? ['--ui-disable-news-fetch'] : []),
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

interface ServerLog {
  path: string;
  /** What was written since the log was opened; at most the last 256 KB. */
  read(): Promise<string>;
}

const LOG_READ = 256 * 1024;

async function openLog(home: string): Promise<ServerLog> {
  const path = join(home, 'temporal.log');
  const size = await stat(path).then(
    (info) => info.size,
    () => 0,
  );
  if (size > LOG_LIMIT) await rename(path, `${path}.1`);
  const from = size > LOG_LIMIT ? 0 : size;
  const read = async (): Promise<string> => {
    const text = await readFile(path).catch(() => Buffer.alloc(0));
    return text.subarray(Math.max(from, text.length - LOG_READ)).toString();
  };
  return { path, read };
}
