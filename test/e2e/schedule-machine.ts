import { join } from 'node:path';
import { type Firing } from '../../ledger/firing-types';
import { type Ledger } from '../../ledger/ledger';
import { openLedger } from '../../ledger/open';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { type RunningCommand, until, UserMachine } from './cli-process';

/** A user's machine with a real Temporal, a worker and a service; runs end within a second. */
export class ScheduleMachine {
  private ledger: Ledger | null = null;

  private constructor(
    readonly machine: UserMachine,
    readonly service: RunningSandbox,
    private up: RunningCommand,
  ) {}

  /** `prepare` writes what has to be there before the worker starts. */
  static async start(
    prepare: (path: (name: string) => string) => Promise<void> = () => Promise.resolve(),
  ): Promise<ScheduleMachine> {
    const service = await startSandbox({ apiKey: 'their-key', processing: { minMs: 10, maxMs: 30 } });
    const machine = await UserMachine.create({
      REELAY_BASE_URL: service.baseUrl,
      REELAY_API_KEY: 'their-key',
      REELAY_TIMINGS: '{"pollMs":50,"pollMaxMs":200}',
    });
    await prepare((name) => machine.path(name));
    return new ScheduleMachine(machine, service, await bringUp(machine));
  }

  path(name: string): string {
    return this.machine.path(name);
  }

  /** `reelay schedule …`, with its answer as JSON. */
  async schedule(...args: string[]) {
    const ended = await this.machine.run(['schedule', ...args, '-o', 'json']);
    return { ...ended, answer: ended.stdout === '' ? null : JSON.parse(ended.stdout) };
  }

  /** Newest nominal time first; as the ledger has them. */
  async firings(name: string): Promise<Firing[]> {
    this.ledger ??= await openLedger({ path: join(this.machine.home, 'ledger.db') });
    return this.ledger.firings.list(name, 200);
  }

  async untilFirings(name: string, fits: (firings: Firing[]) => boolean): Promise<Firing[]> {
    let found: Firing[] = [];
    await until(async () => {
      found = await this.firings(name);
      return fits(found);
    });
    return found;
  }

  /** Waits until the list shows the schedule so. */
  async untilListed(
    name: string,
    fits: (listed: { state: string; note: string | null }) => boolean,
  ): Promise<{ state: string; note: string | null }> {
    let found: { schedule: string; state: string; note: string | null } | undefined;
    await until(async () => {
      const { answer } = await this.schedule('list');
      const listed: { schedule: string; state: string; note: string | null }[] = answer.schedules;
      found = listed.find((one) => one.schedule === name);
      return found !== undefined && fits(found);
    });
    if (found === undefined) throw new Error(`${name} is not listed`);
    return found;
  }

  /** Titles that the service accepted, in their order. */
  accepted(prefix: string): string[] {
    return this.service.log().flatMap(({ title }) => (title?.startsWith(prefix) === true ? [title] : []));
  }

  /** Kills the worker and the server at once, as a power cut would. */
  async powerCut(): Promise<void> {
    this.up.killGroup('SIGKILL');
    await this.up.ended;
  }

  async upAgain(): Promise<void> {
    this.up = await bringUp(this.machine);
  }

  async stop(): Promise<void> {
    await this.ledger?.close();
    this.up.child.kill('SIGINT');
    await this.up.ended;
    await this.service.close();
    await this.machine.remove();
  }
}

async function bringUp(machine: UserMachine): Promise<RunningCommand> {
  const up = machine.start(['up']);
  await up.says(/Up\. Ctrl-C/u);
  return up;
}
