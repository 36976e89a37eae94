import { join } from 'node:path';
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client';
import { readRecord } from '../../../embedded/stack/home';
import { type Firing } from '../../../ledger/model/firing-types';
import { type Ledger } from '../../../ledger/ledger';
import { openLedger } from '../../../ledger/open';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { scheduleId } from '../../../workflows/ids';
import { type RunningCommand, until, UserMachine } from './cli-process';
import { trust429 } from './hold-creates';

/** A schedule that fires during no test, unless it is told to: the intervals of Temporal begin in 1970. */
export const BY_HAND = ['--every', '365d'] as const;

/** The same as a time of day, in UTC: half a day away. */
export const HALF_A_DAY_AWAY = `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;

/** A user's machine with a real Temporal, a worker and a service; runs end within a second. */
export class ScheduleMachine {
  private parts: { machine: UserMachine; service: RunningSandbox; up: RunningCommand } | null = null;
  private ledger: Ledger | null = null;
  private connection: Connection | null = null;

  /** One for all tests of a file. `prepare` writes what has to be there before the worker starts. */
  static forTests(
    prepare: (path: (name: string) => string) => Promise<void> = () => Promise.resolve(),
  ): ScheduleMachine {
    const one = new ScheduleMachine();
    beforeAll(() => one.start(prepare));
    afterAll(() => one.stop());
    return one;
  }

  private async start(prepare: (path: (name: string) => string) => Promise<void>): Promise<void> {
    const service = await startSandbox({ apiKey: 'their-key', processing: { minMs: 10, maxMs: 30 } });
    const machine = await UserMachine.create({
      REELAY_BASE_URL: service.baseUrl,
      REELAY_API_KEY: 'their-key',
      REELAY_TIMINGS: '{"pollMs":50,"pollMaxMs":200}',
    });
    await trust429(machine);
    await prepare((name) => machine.path(name));
    this.parts = { machine, service, up: await bringUp(machine) };
  }

  private get running(): NonNullable<ScheduleMachine['parts']> {
    if (this.parts === null) throw new Error('the machine is not up');
    return this.parts;
  }

  get machine(): UserMachine {
    return this.running.machine;
  }

  get service(): RunningSandbox {
    return this.running.service;
  }

  /** Of the embedded Temporal, as it is up now. */
  async temporal(): Promise<Client> {
    const record = await readRecord(this.machine.home);
    this.connection ??= await Connection.connect({ address: record?.temporal?.address ?? '' });
    return new Client({ connection: this.connection, namespace: record?.namespace ?? '' });
  }

  path(name: string): string {
    return this.machine.path(name);
  }

  /** `reelay schedule …`, with its answer as JSON. */
  async schedule(...args: string[]) {
    if (args[0] === 'trigger') await nextSecond();
    const ended = await this.machine.here(['schedule', ...args, '-o', 'json']);
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
    const { up } = this.running;
    up.killGroup('SIGKILL');
    await up.ended;
  }

  async upAgain(): Promise<void> {
    await this.connection?.close();
    this.connection = null;
    this.running.up = await bringUp(this.machine);
  }

  /** Fires now, and returns the outcome. */
  async fire(name: string): Promise<Firing | undefined> {
    const before = (await this.firings(name)).length;
    await nextSecond();
    const client = await this.temporal();
    await client.schedule.getHandle(scheduleId(name)).trigger(ScheduleOverlapPolicy.ALLOW_ALL);
    const [newest] = await this.untilFirings(
      name,
      (found) => found.length > before && found.every(({ outcome }) => outcome !== 'open'),
    );
    return newest;
  }

  private async stop(): Promise<void> {
    await this.ledger?.close();
    await this.connection?.close();
    if (this.parts === null) return;
    const { machine, service, up } = this.parts;
    up.child.kill('SIGINT');
    await up.ended;
    await service.close();
    await machine.remove();
  }
}

/** The server knows a firing by its second: two in the same one are one. */
async function nextSecond(): Promise<void> {
  const second = (): number => Math.floor(Date.now() / 1_000);
  const began = second();
  await until(() => second() > began);
}

async function bringUp(machine: UserMachine): Promise<RunningCommand> {
  const up = machine.start(['up']);
  await up.says(/Running\. Ctrl-C/u);
  return up;
}
