import { type AddressInfo } from 'node:net';
import { type Context } from './context';
import { FaultQueue, type FaultState } from './faults/fault-queue';
import { type FaultRule } from './faults/fault-rules';
import { makeInjected, startInjecting } from './faults/injected-publications';
import { buildServer } from './http-server';
import { type LogEntry } from './store/log-entries';
import { type SandboxOptions, resolveOptions } from './options';
import { AccountProfiles } from './profiles';
import { SandboxOptionError } from './problem';
import {
  type EditInput,
  type PublicationState,
  type SettleInput,
  edit,
  publicationStates,
  settle,
} from './store/states';
import { type SandboxStats, emptyStats } from './stats';
import { Store } from './store/store';
import { Waiting } from './waiting';

/** Faults of a running sandbox. */
export interface FaultControl {
  /** Adds a rule, as data or text; returns its id. @throws SandboxOptionError */
  add(rule: FaultRule | string): string;
  /** Removes one rule, or all; returns how many were removed. */
  clear(id?: string): number;
  list(): FaultState[];
}

/** A running simulation of the publishing service. */
export interface RunningSandbox {
  /** For example `http://127.0.0.1:4010`, without `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly apiKey: string;
  readonly rules: FaultControl;
  /** Path of `creates.log`; null if the state is in memory only. */
  readonly logPath: string | null;
  /** Publications that exist now, oldest first, each with the status it has now. */
  publications(): readonly PublicationState[];
  /** Requests that were accepted, including deleted publications and direct publishes, in order. */
  log(): readonly LogEntry[];
  stats(): SandboxStats;
  /** Ends a publication now. @throws if there is no such publication */
  settle(id: string, input: SettleInput): Promise<void>;
  /** Changes what a publication shows, whatever its status. @throws if there is no such publication */
  edit(id: string, input: EditInput): Promise<void>;
  /** Publishes as another client on the account; resolves with the id. */
  injectPublication(title?: string): Promise<string>;
  /** Closes all connections, including open ones; requests that wait to be accepted late are dropped, as in a crash. */
  close(): Promise<void>;
}

/**
 * Starts the simulated service and resolves when it listens.
 * @throws SandboxOptionError for invalid options, an address in use, and unreadable state.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const resolved = resolveOptions(options);
  const book = new FaultQueue(resolved.seed, resolved.faults);
  const context: Context = {
    options: resolved,
    store: new Store(resolved.dir, resolved.fsync),
    book,
    rules: {
      open: resolved.open,
      platforms: resolved.platforms,
      profiles: new AccountProfiles(resolved.profiles),
    },
    stats: emptyStats(),
    waiting: new Waiting(),
  };
  const server = await buildServer(context);
  const close = async (): Promise<void> => {
    context.waiting.stop();
    await server.close();
    context.store.close();
  };
  try {
    await server.listen({ host: resolved.host, port: resolved.port });
  } catch (cause) {
    await close();
    throw listenError(resolved.host, resolved.port, cause);
  }
  if (resolved.foreign !== undefined) startInjecting(context, resolved.foreign);
  const { port } = server.server.address() as AddressInfo;
  return {
    baseUrl: `http://${resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host}:${String(port)}`,
    port,
    apiKey: resolved.apiKey,
    rules: book,
    logPath: context.store.logPath,
    publications: () => publicationStates(context),
    log: () => context.store.log(),
    stats: () => structuredClone(context.stats),
    settle: async (id, input) => settle(context, id, input),
    edit: async (id, input) => edit(context, id, input),
    injectPublication: async (title) => (await makeInjected(context, title)).id,
    close: once(close),
  };
}

function listenError(host: string, port: number, cause: unknown): SandboxOptionError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const fix = code === 'EADDRINUSE' ? 'Another program listens there; choose another port, or 0 for a free one.' : '';
  return new SandboxOptionError(`The sandbox can't listen on ${host}:${String(port)} (${code}). ${fix}`.trim(), {
    cause,
  });
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return async () => (closing ??= close());
}
