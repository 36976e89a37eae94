import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { PostgresServer } from '../../support/postgres/postgres';
import { postgresPrograms } from '../../support/postgres/postgres-programs.js';
import { type RunningCommand, processesNaming, until, UserMachine } from '../support/cli-process';
import { holdCreates, trust429 } from '../support/hold-creates';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

const TIMINGS = JSON.stringify({
  ...{ pollMs: 200, pollMaxMs: 1_000, settleMs: 1_000, lookGapMs: 300 },
  ...{ silentAfterMs: 3_000, silentUnconfirmedMs: 120_000 },
});

/** A home for each host; they have the database's and Temporal's address in common, and nothing else. */
(postgresPrograms() === null ? describe.skip : describe)('several hosts with one ledger in PostgreSQL', () => {
  const database = new PostgresServer();
  const machines: UserMachine[] = [];
  const running: RunningCommand[] = [];
  let service: RunningSandbox;
  let shared: Record<string, string>;

  beforeAll(() => database.start());
  afterAll(() => database.end());

  beforeEach(async () => {
    service = await startSandbox({ apiKey: 'key-of-theirs', processing: { minMs: 50, maxMs: 300 } });
    const temporal = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
    machines.push(temporal);
    const up = start(temporal, ['up']);
    await up.says(/Running\. Ctrl-C/u);
    const [, address = ''] = /Temporal at (\S+)/u.exec(up.stderr) ?? [];
    const [, namespace = ''] = /namespace (\S+)\)/u.exec(up.stderr) ?? [];
    shared = {
      REELAY_DATABASE_URL: await database.database(),
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
    };
  });

  afterEach(async () => {
    for (const { child } of running) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT');
    }
    await Promise.all(running.splice(0).map((command) => command.ended));
    const left = (await Promise.all(machines.map((machine) => processesNaming(machine.folder)))).flat();
    await service.close();
    await Promise.all(machines.splice(0).map((machine) => machine.remove()));
    expect(left).toEqual([]);
  });

  function start(machine: UserMachine, args: readonly string[]): RunningCommand {
    const command = machine.start(args);
    running.push(command);
    return command;
  }

  async function host(env: Record<string, string> = {}): Promise<UserMachine> {
    const machine = await UserMachine.create({ ...shared, REELAY_TIMINGS: TIMINGS, ...env });
    machines.push(machine);
    return machine;
  }

  const withKey = () => ({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });

  it('a campaign is submitted from one, worked by others, one of which is killed, and watched from one without a key, over a restart of PostgreSQL', async () => {
    const [author, first, second, viewer] = [
      await host(withKey()),
      await host(withKey()),
      await host(withKey()),
      await host(),
    ];
    const rows = 60;
    const sheet = author.path('show.csv');
    const all = await writeCampaign(sheet, rows, { host: 'show.example', title: (index) => `Show ${index}` });
    for (const machine of [author, first, second]) await trust429(machine);
    // Each step finds the run under way.
    let release = holdCreates(service, all.slice(8));
    const releaseAt = (row: number): void => {
      const next = holdCreates(service, all.slice(row));
      release();
      release = next;
    };
    const doomed = start(first, ['worker']);
    await doomed.says(/polls/u);
    const submitted = await author.here(['submit', sheet]);
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    await until(() => service.log().length === 8);
    await start(second, ['worker']).says(/polls/u);
    releaseAt(24);
    await database.stop('fast');
    await database.start();
    // All answers are in the ledger, so that the kill takes none away.
    await until(async () => {
      const { stdout } = await viewer.here(['status', 'show', '-o', 'json']);
      const { published = 0 } = (JSON.parse(stdout) as { counts: Record<string, number> }).counts;
      return published === 24;
    });
    doomed.killGroup('SIGKILL');
    release();
    const watched = await viewer.run(['watch', 'show', '-o', 'json']);
    const { counts } = JSON.parse(watched.stdout) as { counts: Record<string, number> };
    expect([watched.code, counts]).toEqual([0, { published: rows }]);
    const titles = service.log().map(({ title }) => title);
    expect(titles).toHaveLength(rows);
    expect(new Set(titles).size).toBe(rows);
    const results = await viewer.here(['results', 'show', '-o', 'json']);
    expect((JSON.parse(results.stdout) as { rows: unknown[] }).rows).toHaveLength(rows);
  });

  // Another host name needs a separate namespace, which not every machine allows.
  const onHosts = spawnSync('unshare', ['--uts', 'true']).status === 0 ? it : it.skip;
  onHosts(
    'the create of a lost host waits for a person’s confirmation that its worker is gone, then is looked for',
    async () => {
      await service.close();
      service = await startSandbox({
        apiKey: 'key-of-theirs',
        faults: ['create title="Bread without yeast" -> slow-answer 600000'],
      });
      const [lost, other] = [await host(withKey()), await host(withKey())];
      const titles = ['A garden in winter', 'Bread without yeast', 'Knives and how to keep them'];
      await writeCampaign(lost.path('show.csv'), 3, { host: 'show.example', title: (index) => titles[index] ?? '' });
      const doomed = lost.startOnHost('host-of-old', ['worker']);
      running.push(doomed);
      await doomed.says(/polls/u);
      // Not while it is heard.
      expect((await other.run(['worker', 'forget', 'host-of-old', '--yes'])).code).not.toBe(0);
      await lost.here(['submit', lost.path('show.csv')]);
      const status = () => other.here(['status', 'show', '-o', 'json']);
      // What was published shows how this service treats titles.
      await until(async () => JSON.parse((await status()).stdout).counts.published === 2);
      doomed.killGroup('SIGKILL');
      await start(other, ['worker']).says(/polls/u);
      await until(async () => /silent since/u.test((await status()).stderr));
      const ofOld = async () => {
        const { stdout } = await other.here(['worker', 'list', '-o', 'json']);
        const { workers } = JSON.parse(stdout) as { workers: { host: string; open_creates: number }[] };
        return workers.filter((worker) => worker.host === 'host-of-old').map((worker) => worker.open_creates);
      };
      expect(await ofOld()).toEqual([1]);
      await until(async () => (await other.here(['worker', 'forget', 'host-of-old', '--yes'])).code === 0);
      await until(async () => (await ofOld())[0] === 0);
      await until(async () => !/silent since/u.test((await status()).stderr));
      expect(service.log()).toHaveLength(3);
    },
  );

  it('a worker whose registration the database has lost ends and says so, and one that is started after it continues', async () => {
    const [author, machine] = [await host(withKey()), await host(withKey())];
    const lost = start(machine, ['worker']);
    await lost.says(/polls/u);
    await database.query('delete from workers', new URL(shared['REELAY_DATABASE_URL'] ?? '').pathname.slice(1));
    expect(await lost.ended).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/no longer knows worker [^]*Start it again/u),
    });
    await start(machine, ['worker']).says(/polls/u);
    await writeCampaign(author.path('show.csv'), 2, { host: 'show.example', title: (index) => `Show ${index}` });
    expect((await author.here(['submit', author.path('show.csv'), '--watch'])).code).toBe(0);
  });

  it('a local file is sent by a worker of the host that has it; without one, commands report it and other rows are sent', async () => {
    const desk = { ...withKey(), REELAY_FILES_HOST: 'desk' };
    const [author, elsewhere, there] = [await host(desk), await host(withKey()), await host(desk)];
    await start(elsewhere, ['worker']).says(/polls/u);
    const clip = join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4');
    const lines = [`f,By file,${clip},short`, 'u,By address,https://show.example/u.mp4,short'];
    await writeFile(author.path('show.csv'), ['key,title,source,platform', ...lines, ''].join('\n'));
    const unserved = /no worker has the files of host desk: rows with a local file wait/u;
    const submitted = await author.here(['submit', author.path('show.csv')]);
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringMatching(unserved)]);
    await until(() => service.log().length === 1);
    const status = await elsewhere.here(['status', 'show', '-o', 'json']);
    expect([status.stderr, JSON.parse(status.stdout)]).toEqual([
      expect.stringMatching(unserved),
      expect.objectContaining({ counts: expect.objectContaining({ planned: 1 }) }),
    ]);
    expect((await elsewhere.here(['doctor'])).stdout).toMatch(unserved);
    expect(service.log().map(({ title }) => title)).toEqual(['By address']);

    await start(there, ['worker']).says(/polls/u);
    const watched = await elsewhere.run(['watch', 'show', '-o', 'json']);
    expect([watched.code, JSON.parse(watched.stdout)]).toEqual([
      0,
      expect.objectContaining({ counts: { published: 2 } }),
    ]);
    expect(service.log().map(({ title }) => title)).toEqual(['By address', 'By file']);
  });

  it('a ledger in a file moves to the database with all it knows, and the file sends nothing any more', async () => {
    const machine = await host(withKey());
    const sheet = machine.path('show.csv');
    await writeCampaign(sheet, 2, { host: 'show.example', title: (index) => `Show ${String(index)}` });
    const inFile = { REELAY_DATABASE_URL: '' };
    await machine.run(['submit', sheet, '--single-host'], inFile);
    const file = join(machine.home, 'ledger.db');
    const worker = machine.start(['worker', '--single-host'], inFile);
    running.push(worker);
    await until(async () => service.log().length === 2);
    expect((await machine.run(['ledger', 'import', file, '--yes'])).stderr).toMatch(/still runs \(process \d+\)/u);
    worker.child.kill('SIGINT');
    await worker.ended;
    expect(await machine.run(['ledger', 'import', file, '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^moved 1 campaign, 2 rows to postgres:\/\/127\.0\.0\.1:\d+\//u),
    });
    const refused = await machine.run(['submit', sheet, '--single-host'], inFile);
    expect([refused.code, refused.stderr]).toEqual([
      7,
      expect.stringMatching(/was moved to postgres:[^]*REELAY_DATABASE_URL/u),
    ]);

    await start(machine, ['worker']).says(/polls/u);
    await until(async () => (await machine.here(['status', 'show'])).code === 0);
    await writeCampaign(sheet, 3, { host: 'show.example', title: (index) => `Show ${String(index)}` });
    expect((await machine.run(['submit', sheet, '--watch'])).code).toBe(0);
    expect(service.log()).toHaveLength(3);
  });

  it('says clearly that the database can’t be reached, and doctor names the place without the password', async () => {
    const lost = await host({ ...withKey(), REELAY_DATABASE_URL: 'postgres://reelay:pw-of-theirs@127.0.0.1:1/none' });
    const doctor = await lost.here(['doctor']);
    expect(doctor.code).toBe(7);
    expect(doctor.stdout).toContain('postgres://127.0.0.1:1/none');
    expect(doctor.stdout + doctor.stderr).not.toContain('pw-of-theirs');
  });
});
