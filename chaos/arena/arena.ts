import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { freePort, type ServerPorts } from '../../embedded/server/ports';
import { startTemporalServer, type TemporalServer } from '../../embedded/server/temporal-server';
import { type LogEntry } from '../../sandbox/store/log-entries';
import { Child } from './child';
import { LOOP_MONITOR } from '../facts/loop-facts';
import { parseCreates, ServiceControl } from './service';
import { CHAOS_LIMITS, CHAOS_TIMINGS, COMMAND_MS } from './timings';
import { demandWithin } from './wait';

export const MAIN = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');
const NAMESPACE = 'reelay-chaos';

export interface ArenaOptions {
  folder: string;
  echoTitle: boolean;
  /** Only reelay publishes on the account, and the configuration says so. */
  exclusive: boolean;
  /** How the service treats what was sent, its list or its answers: the name of a sandbox behaviour. */
  behaviour?: string;
  /** Home of ledger and spool, if it isn't in the folder. */
  home?: string;
  timings?: Partial<typeof CHAOS_TIMINGS>;
  /** Further lines of the configuration. */
  config?: string;
  /** Where workers record how long their event loops were blocked. */
  loopFile?: string;
}

/** Where a command runs, if not simply beside the others. */
export interface CommandPlace {
  /** Of Node. */
  options?: readonly string[];
  env?: Record<string, string>;
  through?: readonly string[];
}

/** Service, Temporal server, workers and commands as separate processes, on this machine only. */
export class Arena {
  readonly home: string;
  readonly namespace = NAMESPACE;
  readonly workers: Child[] = [];
  temporal: TemporalServer | null = null;
  private ports: ServerPorts | null = null;
  private constructor(
    private readonly options: ArenaOptions,
    readonly service: ServiceControl,
    private readonly serviceProcess: Child,
    private readonly env: Record<string, string>,
    readonly servicePort: number,
  ) {
    this.home = options.home ?? join(options.folder, 'home');
  }

  static async open(options: ArenaOptions): Promise<Arena> {
    const { folder } = options;
    await mkdir(join(folder, 'temporal'), { recursive: true });
    await writeFile(join(folder, 'reelay.config.yaml'), `exclusive: ${options.exclusive}\n${options.config ?? ''}`);
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    const echo = options.echoTitle ? ['--open', 'echoTitle=true', '--open', 'echoProfile=true'] : [];
    const open = options.behaviour === undefined ? echo : ['--behaviour', options.behaviour];
    const serviceProcess = new Child({
      args: [MAIN, 'sandbox', '--serve', '--dir', join(folder, 'service'), ...open],
      cwd: folder,
      env,
      log: join(folder, 'service.log'),
    });
    const { baseUrl, apiKey } = JSON.parse(await serviceProcess.firstLine()) as { baseUrl: string; apiKey: string };
    const settings = {
      ...env,
      REELAY_BASE_URL: baseUrl,
      REELAY_API_KEY: apiKey,
      REELAY_TIMINGS: JSON.stringify({ ...CHAOS_TIMINGS, ...options.timings }),
      REELAY_TIME_LIMITS: JSON.stringify(CHAOS_LIMITS),
      TEMPORAL_NAMESPACE: NAMESPACE,
    };
    const { port } = new URL(baseUrl);
    const arena = new Arena(options, new ServiceControl(baseUrl), serviceProcess, settings, Number(port));
    await arena.startTemporal();
    return arena;
  }

  get ledgerPath(): string {
    return join(this.home, 'ledger.db');
  }

  get temporalPort(): number {
    return this.ports?.grpc ?? 0;
  }

  /** On the same ports as before, which take a moment to be free again. */
  async startTemporal(): Promise<void> {
    const { path: binary } = await findTemporal();
    this.ports ??= { grpc: await freePort(), ui: await freePort() };
    const home = join(this.options.folder, 'temporal');
    for (let tries = 0; tries < 10; tries += 1) {
      const { ports } = this;
      const server = await startTemporalServer({
        binary,
        home,
        namespace: NAMESPACE,
        onNotice: () => undefined,
        ports,
      });
      if (server.address.endsWith(`:${ports.grpc}`)) {
        this.temporal = server;
        return;
      }
      await server.stop();
      await sleep(500);
    }
    throw new Error('the Temporal server does not get its port again');
  }

  async killTemporal(): Promise<void> {
    const server = this.temporal;
    if (server === null) return;
    this.temporal = null;
    process.kill(server.process.identity.pid, 'SIGKILL');
    await server.process.gone;
    await server.stop();
  }

  /** Takes the place `index` among the workers. */
  startWorker(index: number): Child {
    const { loopFile } = this.options;
    const measured =
      loopFile === undefined ? undefined : { options: ['--require', LOOP_MONITOR], env: { CHAOS_LOOP_FILE: loopFile } };
    const worker = this.command(['worker', '--single-host'], `worker-${index}`, measured);
    this.workers[index] = worker;
    return worker;
  }

  /** Any command, with Temporal configured. */
  command(
    args: readonly string[],
    log = 'commands',
    { options = [], env = {}, through = [] }: CommandPlace = {},
  ): Child {
    return new Child({
      args: [...options, MAIN, ...args],
      cwd: this.options.folder,
      env: { ...this.env, REELAY_HOME: this.home, TEMPORAL_ADDRESS: `127.0.0.1:${this.temporalPort}`, ...env },
      log: join(this.options.folder, `${log}.log`),
      through,
    });
  }

  /** Submits until Temporal has accepted it, because a server that is down refuses. @throws Error if none is */
  async submit(manifest: string, place?: CommandPlace): Promise<void> {
    await demandWithin(
      2 * COMMAND_MS,
      'the submit is accepted',
      async () =>
        (await this.command(['submit', manifest, '--uncancel', '--no-probe'], 'commands', place).within(COMMAND_MS)) ===
        0,
    );
  }

  async creates(): Promise<LogEntry[]> {
    return parseCreates(await readFile(join(this.options.folder, 'service', 'creates.log'), 'utf8').catch(() => ''));
  }

  async close(): Promise<void> {
    for (const worker of this.workers) worker.signal('SIGCONT');
    await Promise.all(this.workers.map((worker) => worker.kill('group')));
    await this.temporal?.stop();
    await this.serviceProcess.kill();
  }
}
