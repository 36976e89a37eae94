import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../../test/support/postgres/postgres';
import { postgresPrograms } from '../../test/support/postgres/postgres-programs.js';
import { Arena, type CommandPlace } from '../arena/arena';
import { databaseFacts } from '../facts/ledger-facts';
import { FAULTS } from '../faults';
import { unlikeTitle, writeManifest } from '../manifest';
import { canMakeHosts, Forwarder, Host, SharedAddress } from '../arena/network';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, type Scenario, type ScenarioInput } from '../scenario';
import { CHAOS_TIMINGS, COMMAND_MS, ENDS_MS } from '../arena/timings';
import { demandWithin, waitUntil } from '../arena/wait';

const HELD = `select exists (select 1 from gates where reason like 'ledger-rolled-back%') as held`;

/** Average number of seconds between two faults, including what follows them. */
const SECONDS_A_FAULT = 6;

/**
 * A worker on each of two hosts (network namespaces), with Temporal, the service and a PostgreSQL with a synchronous
 * standby on a third: links are cut for longer than a worker may be silent, workers are killed, PostgreSQL crashes and
 * comes back, and half-way its standby replaces it, while answers get lost in every way.
 */
export const HOSTS: Scenario = {
  name: 'several hosts, links cut, PostgreSQL failed over',
  share: 0.2,
  settles: true,
  run: (input) => play(new Scene(input, 'synchronous')),
};

/**
 * The same with a standby that lacks the newest claims when it replaces the primary: nothing is sent until the ledger
 * is reconciled.
 */
export const HOSTS_LAGGING: Scenario = {
  name: 'several hosts, failed over to a standby that lacks claims',
  share: 0.2,
  settles: false,
  run: (input) => play(new Scene(input, 'lagging')),
};

async function play(scene: Scene): ReturnType<Scenario['run']> {
  if (!canMakeHosts() || postgresPrograms() === null)
    return { skipped: 'it needs root, network namespaces (iproute2) and PostgreSQL' };
  try {
    return await scene.play();
  } finally {
    await scene.close();
  }
}

class Scene {
  private readonly hosts: Host[] = [];
  private readonly places: CommandPlace[] = [];
  private readonly forwarders: Forwarder[] = [];
  /** Moves with the primary. */
  private toDatabase: Forwarder | undefined;
  private primary = new PostgresServer();
  private standby: PostgresServer | undefined;
  private arena: Arena | undefined;
  private shared: SharedAddress | undefined;
  /** Where people run their commands. */
  private author: CommandPlace = {};
  private database = '';

  constructor(
    private readonly input: ScenarioInput,
    private readonly replication: 'synchronous' | 'lagging',
  ) {}

  async play() {
    const { folder, rows, kills } = this.input;
    this.database = new URL(await (await this.primary.start()).database()).pathname;
    this.standby = await this.primary.standby();
    if (this.replication === 'synchronous') await setTo(this.primary, 'synchronous_standby_names', '*');
    const arena = await Arena.open({ folder, echoTitle: true, exclusive: false });
    this.arena = arena;
    const titles = this.replication === 'lagging' ? { titleOf: unlikeTitle } : {};
    const manifest = await writeManifest(join(folder, `${CAMPAIGN}.csv`), rows, titles);
    const pace = paceFor(rows, 0.6 * kills * SECONDS_A_FAULT);
    await arena.service.addFaults([paceRule(pace), ...FAULTS]);
    await this.makeHosts(arena);
    await arena.submit(join(folder, `${CAMPAIGN}.csv`), this.author);
    this.startWorker(0);
    this.startWorker(1);
    const done = await this.trouble();
    await arena.service.clearFault(PACE);
    const isOver = async (): Promise<boolean> => {
      this.restartEnded();
      return !(await this.facts()).runOpen;
    };
    const ended = await waitUntil(ENDS_MS, isOver, 500);
    const ledger = { place: this.author, facts: await this.facts() };
    return conclude(arena, this.input, { manifest, kills: done, ended, ledger });
  }

  /** Every host reaches Temporal, the service and the database at the same addresses, over its link. */
  private async makeHosts(arena: Arena): Promise<void> {
    const { address } = (this.shared = new SharedAddress());
    const open = async (forwarder: Forwarder): Promise<number> => {
      this.forwarders.push(forwarder);
      return forwarder.listen(address);
    };
    this.toDatabase = new Forwarder(this.primary.port);
    const addresses = {
      REELAY_BASE_URL: `http://${address}:${await open(new Forwarder(arena.servicePort))}`,
      TEMPORAL_ADDRESS: `${address}:${await open(new Forwarder(arena.temporalPort))}`,
      REELAY_DATABASE_URL: `postgres://reelay@${address}:${await open(this.toDatabase)}${this.database}`,
    };
    this.author = { env: addresses };
    for (const [index, name] of ['first-host', 'second-host'].entries()) {
      const host = new Host(name, index);
      this.hosts.push(host);
      const home = join(this.input.folder, name);
      await mkdir(home);
      this.places.push({ through: host.through, env: { ...addresses, REELAY_HOME: home } });
    }
  }

  private startWorker(index: number): void {
    if (this.arena === undefined) return;
    this.arena.workers[index] = this.arena.command(['worker'], `worker-${String(index)}`, this.places[index]);
  }

  private async trouble(): Promise<number> {
    const { kills, random, say } = this.input;
    let done = 0;
    while (done < kills) {
      await sleep(random.between(500, 3_000));
      if (!(await this.facts()).runOpen) break;
      done += 1;
      const at = (what: string): void => say(`fault ${String(done)}: ${what}`);
      const index = random.pick([0, 1]);
      if (done === Math.ceil(kills / 2)) {
        at('the standby takes PostgreSQL’s place');
        await this.failOver();
      } else if (random.next() < 0.4) {
        at(`the link of ${this.hosts[index]?.name ?? ''} is cut`);
        this.hosts[index]?.cut();
        // Sometimes the other worker is killed meanwhile.
        if (random.next() < 0.5) await this.kill(1 - index);
        await sleep(CHAOS_TIMINGS.silentAfterMs + random.between(1_000, 6_000));
        this.hosts[index]?.reconnect();
      } else if (random.next() < 0.6) {
        at(`the worker of ${this.hosts[index]?.name ?? ''} is killed`);
        await this.kill(index);
      } else {
        at('PostgreSQL crashes');
        await this.primary.stop('immediate');
        await sleep(random.between(0, 2_000));
        await this.primary.start();
      }
      this.restartEnded();
    }
    return done;
  }

  /** One that could do nothing for too long has exited, as its service manager would see. */
  private restartEnded(): void {
    for (const each of [0, 1]) if (this.arena?.workers[each]?.alive === false) this.startWorker(each);
  }

  private async kill(index: number): Promise<void> {
    await this.arena?.workers[index]?.kill();
    await sleep(this.input.random.between(0, 1_000));
    this.startWorker(index);
  }

  private async failOver(): Promise<void> {
    const { standby } = this;
    if (standby === undefined) return;
    if (this.replication === 'lagging') {
      await setTo(standby, 'primary_conninfo', '');
      const before = await this.sequence();
      await demandWithin(
        COMMAND_MS,
        'claims are made that the standby lacks',
        async () => (await this.sequence()) > before + 3,
      );
    }
    await this.primary.end();
    await standby.promote();
    this.primary = standby;
    this.standby = undefined;
    this.toDatabase?.moveTo(standby.port);
    if (this.replication === 'lagging') await this.reconcile();
  }

  /** What people do who see that the ledger was rolled back. */
  private async reconcile(): Promise<void> {
    const workers = this.arena?.workers ?? [];
    await demandWithin(COMMAND_MS, 'what the standby lacks is noticed', async () => {
      const [{ held }] = (await this.primary.query(HELD, this.database.slice(1))) as [{ held: boolean }];
      return held || workers.every(({ alive }) => !alive);
    });
    this.input.say('the ledger is reconciled');
    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) await worker.within(COMMAND_MS);
    // A host that had seen nothing of what is lost finds nothing to do. Reads of the service fail, too.
    for (const place of this.places) {
      const command = () => this.arena?.command(['ledger', 'reconcile', '--yes'], 'commands', place).within(COMMAND_MS);
      await demandWithin(2 * COMMAND_MS, 'the ledger is reconciled', async () => (await command()) === 0);
    }
    for (const index of workers.keys()) this.startWorker(index);
  }

  private async sequence(): Promise<number> {
    const [{ value }] = (await this.primary.query('select value from sequence', this.database.slice(1))) as [
      { value: number | string },
    ];
    return Number(value);
  }

  private facts() {
    return databaseFacts(`postgres://reelay@127.0.0.1:${this.primary.port}${this.database}`, CAMPAIGN);
  }

  async close(): Promise<void> {
    await this.arena?.close();
    for (const forwarder of this.forwarders) forwarder.close();
    for (const host of this.hosts) host.remove();
    this.shared?.remove();
    await this.primary.end();
    await this.standby?.end();
  }
}

async function setTo(server: PostgresServer, name: string, value: string): Promise<void> {
  await server.query(`alter system set ${name} = '${value}'`);
  await server.query('select pg_reload_conf()');
}
