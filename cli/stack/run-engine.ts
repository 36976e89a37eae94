import { type AccountRegistry } from '../../service/accounts';
import { type Stack } from '../../embedded/stack/stack';
import { type Ledger } from '../../ledger/ledger';
import { type TemporalConnection } from '../../temporal/connect';
import { type RunningWorker } from '../../worker/start-worker';
import { connect, demandSingleHost, type TemporalPlace } from './engine';
import { ExitError } from '../errors/errors';
import { EXIT } from '../errors/exit-codes';
import { type Output } from '../terminal/output';
import { openOwnStack } from './embedded-stack';
import { startOwnWorker } from './local-worker';
import { type Settings } from '../config/settings';

/** The server or the sandbox of this process ended unexpectedly. */
class StackBrokenError extends ExitError {
  constructor(what: string) {
    const hint = 'The run is in the ledger; the same command resumes it.';
    super('stack-broken', what, EXIT.unreachable, hint);
  }
}

/** Temporal's own record of pollers lags by this much, so checking more often shows nothing new. */
const POLLERS_EVERY_MS = 20_000;

/**
 * Everything a `run` needs, started if it isn't running: Temporal, the sandbox, a worker. It takes over if the process
 * whose stack it used has ended, and if no worker polls any more.
 */
export class RunEngine {
  readonly #settings: Settings;
  readonly #output: Output;
  #stack: Stack | null = null;
  #place: TemporalPlace | null = null;
  #temporal: TemporalConnection | null = null;
  #worker: RunningWorker | null = null;
  #failure: Error | null = null;
  #ownerGone = false;
  #lookedAt = 0;
  /** The run has rows with a local file. */
  #files = false;

  constructor(settings: Settings, output: Output) {
    this.#settings = settings;
    this.#output = output;
  }

  get place(): TemporalPlace {
    if (this.#place === null) throw new Error('the engine is not open');
    return this.#place;
  }

  get temporal(): TemporalConnection {
    if (this.#temporal === null) throw new Error('the engine is not open');
    return this.#temporal;
  }

  /** Base URL of the sandbox; null without one. */
  get sandboxUrl(): string | null {
    return this.#stack?.sandbox?.baseUrl ?? null;
  }

  /** The Web UI ends with this process: it belongs to an embedded Temporal that no other process owns or uses. */
  get uiEnds(): boolean {
    return this.#stack?.role === 'owner' && this.#stack.attachedCount() === 0;
  }

  async open(options: { singleHost: boolean }): Promise<void> {
    const configured = await this.#settings.temporal();
    demandSingleHost(configured, this.#settings.ledger, options.singleHost);
    if (configured.configured) {
      this.#place = { ...configured, webUi: this.#settings.webUi };
      this.#temporal = await connect(this.#place);
      return;
    }
    await this.#openStack();
  }

  async #openStack(): Promise<void> {
    const { stack, place } = await openOwnStack(this.#settings, this.#output);
    this.#stack = stack;
    this.#place = place;
    this.#ownerGone = false;
    void stack.broken.then((what) => {
      if (this.#stack === stack) this.#failure = new StackBrokenError(what);
    });
    if (stack.role === 'attached') {
      void stack.ownerGone.then(() => {
        if (this.#stack === stack) this.#ownerGone = true;
      });
    }
    this.#temporal = await connect(place);
  }

  /** Starts a worker if none polls for the ledger, or, for a run with `files` of this host, if none has those. */
  async ensureWorker(ledger: Ledger, accounts: AccountRegistry, { files = false } = {}): Promise<void> {
    this.#files ||= files;
    if (this.#worker !== null) return;
    this.#lookedAt = Date.now();
    // Temporal lists a poller for a minute and more after it has ended: in a stack of our own, where processes come and
    // go, that would leave a run without a worker for that long. A second worker there does no harm.
    if (this.#stack === null && (await this.#isServed(ledger))) return;
    this.#worker = await startOwnWorker({
      settings: this.#settings,
      ledger,
      accounts,
      place: this.place,
      output: this.#output,
      say: false,
    });
    this.#output.note('Started a worker in this process.');
    this.#worker.done.catch((error: unknown) => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    });
  }

  async #isServed(ledger: Ledger): Promise<boolean> {
    const { countPollers, unservedFilesHosts } = await import('../../temporal/campaigns.js');
    const { client } = this.temporal;
    const { filesHost } = this.#settings;
    if ((await countPollers(client, ledger.id)) === 0) return false;
    return (
      !this.#files || filesHost === null || (await unservedFilesHosts(client, ledger.id, [filesHost])).length === 0
    );
  }

  /** Checks what the run depends on. Returns true if Temporal was started again and the run has to be started in it. */
  async tend(ledger: Ledger, accounts: AccountRegistry): Promise<boolean> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#ownerGone) {
      this.#output.note('The process that ran Temporal has ended; taking over.');
      await this.#temporal?.close().catch(() => undefined);
      await this.#openStack();
      await this.ensureWorker(ledger, accounts);
      return true;
    }
    if (this.#worker === null && Date.now() - this.#lookedAt >= POLLERS_EVERY_MS)
      await this.ensureWorker(ledger, accounts);
    return false;
  }

  /** Nothing more is claimed; open requests finish and are recorded. */
  async stopWorker(): Promise<void> {
    // Its failure has been reported, or no longer matters.
    await this.#worker?.stop().catch(() => undefined);
    this.#worker = null;
  }

  /**
   * Stops the worker, then releases the stack: what other processes use keeps running until they are done, or until
   * `signal` aborts the wait. May be called again.
   */
  async close(signal?: AbortSignal): Promise<void> {
    await this.stopWorker();
    const [temporal, stack] = [this.#temporal, this.#stack];
    this.#temporal = null;
    this.#stack = null;
    await temporal?.close().catch(() => undefined);
    if (stack === null) return;
    const force = (): void => void stack.release({ force: true });
    signal?.addEventListener('abort', force, { once: true });
    await stack.release();
    signal?.removeEventListener('abort', force);
  }
}
