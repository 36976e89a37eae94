import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../../test/support/postgres';
import { postgresPrograms } from '../../test/support/postgres-programs';
import { Arena, type CommandPlace } from '../arena';
import { databaseFacts } from '../facts/ledger-facts';
import { FAULTS } from '../faults';
import { writeManifest } from '../manifest';
import { canMakeHosts, Forwarder, Host, SharedAddress } from '../network';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, type Scenario, type ScenarioInput } from '../scenario';
import { CHAOS_TIMINGS } from '../timings';
import { waitUntil } from '../wait';

/** Seconds between two faults, on average, with what follows them. */
const SECONDS_A_FAULT = 6;

/**
 * A worker on each of two hosts (network namespaces), with Temporal, the service and a PostgreSQL with a synchronous standby on a third:
 * links are cut for longer than a worker may be silent, workers are killed, PostgreSQL crashes and comes back, and half-way its standby takes
 * its place, while answers get lost in every way.
 */
export const HOSTS: Scenario = {
  name: 'several hosts, links cut, PostgreSQL failed over',
  share: 0.2,
  settles: true,
  run: async (input) => {
    if (!canMakeHosts() || postgresPrograms() === null)
      return { skipped: 'it needs root, network namespaces (iproute2) and PostgreSQL' };
    const scene = new Scene(input);
    try {
      return await scene.play();
    } finally {
      await scene.close();
    }
  },
};

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
  /** Where people give their commands. */
  private author: CommandPlace = {};
  private database = '';

  constructor(private readonly input: ScenarioInput) {}

  async play() {
    const { folder, rows, kills } = this.input;
    this.database = new URL(await (await this.primary.start()).database()).pathname;
    this.standby = await this.primary.standby();
    await this.primary.query(`alter system set synchronous_standby_names = '*'`);
    await this.primary.query('select pg_reload_conf()');
    const arena = await Arena.open({ folder, echoTitle: true, exclusive: false });
    this.arena = arena;
    const manifest = await writeManifest(join(folder, `${CAMPAIGN}.csv`), rows);
    const pace = paceFor(rows, 0.6 * kills * SECONDS_A_FAULT);
    await arena.service.addFaults([paceRule(pace), ...FAULTS]);
    await this.makeHosts(arena);
    await arena.submit(join(folder, `${CAMPAIGN}.csv`), this.author);
    this.startWorker(0);
    this.startWorker(1);
    const done = await this.trouble();
    await arena.service.clearFault(PACE);
    const ended = await waitUntil(240_000, async () => !(await this.facts()).runOpen, 500);
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
      // One that could do nothing for too long has ended, as its service manager would see.
      for (const each of [0, 1]) if (this.arena?.workers[each]?.alive === false) this.startWorker(each);
    }
    return done;
  }

  private async kill(index: number): Promise<void> {
    await this.arena?.workers[index]?.kill();
    await sleep(this.input.random.between(0, 1_000));
    this.startWorker(index);
  }

  private async failOver(): Promise<void> {
    const { standby } = this;
    if (standby === undefined) return;
    await this.primary.end();
    await standby.promote();
    this.primary = standby;
    this.standby = undefined;
    this.toDatabase?.moveTo(standby.port);
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
