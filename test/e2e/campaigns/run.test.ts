import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { processesNaming, until, UserMachine } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

const EXAMPLES = join(__dirname, '..', '..', '..', 'manifests', 'examples');

let machine: UserMachine;

/**
 * The sandbox accepts this many rows of each channel until this is changed: however slow the machine is, a run of more
 * doesn't end before that.
 */
const cap = (rows: number): Promise<void> =>
  writeFile(machine.path('reelay.config.yaml'), `pace: { max_per: ${rows} per 1h }\n`);
const uncap = (): Promise<void> => rm(machine.path('reelay.config.yaml'));

afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await machine.remove();
  expect(left).toEqual([]);
});

describe('reelay run --sandbox', () => {
  it('publishes the sample campaign; stdout is JSON alone', async () => {
    machine = await UserMachine.create();
    const { code, stdout, stderr } = await machine.run([
      'run',
      join(EXAMPLES, 'spring.csv'),
      '--sandbox',
      '-o',
      'json',
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('SANDBOX')]);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({
      version: 1,
      state: expect.any(String),
      exit_code: 0,
      run: { campaign: 'spring', number: 1 },
    });
    expect(summary.counts.published).toBe(summary.total);
    expect(summary.run.web_ui).toMatch(/^http:\/\//u);
    const log = await stat(join(machine.home, 'sandbox', 'ledger.db-wal')).catch(() => ({ size: 0 }));
    expect(log.size).toBe(0);
  });

  it('creates nothing when it is run again', async () => {
    machine = await UserMachine.create();
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 6);
    expect((await machine.run(['run', manifest, '--sandbox'])).code).toBe(0);
    const again = await machine.run(['run', manifest, '--sandbox', '-o', 'json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).counts).toEqual({ published: 6 });
    expect([...(await machine.acceptedBySandbox()).values()]).toEqual(Array(6).fill(1));
  });

  it('resumes after kill -9 of everything, and creates each row once', async () => {
    machine = await UserMachine.create();
    const manifest = machine.path('show.csv');
    const titles = await writeCampaign(manifest, 400);
    for (const share of [0.2, 0.6]) {
      // Of 100 rows a channel.
      await cap(100 * share + 15);
      const running = machine.start(['run', manifest, '--sandbox']);
      await until(async () => (await machine.acceptedBySandbox()).size >= share * titles.length);
      running.killGroup('SIGKILL');
      await running.ended;
    }
    await uncap();
    const last = await machine.run(['run', manifest, '--sandbox', '-o', 'json']);
    expect([last.code, last.stderr]).toEqual([0, expect.any(String)]);
    const summary = JSON.parse(last.stdout);
    expect(summary.counts).toEqual({ published: titles.length });
    expect(summary.run.number).toBe(1);
    const accepted = await machine.acceptedBySandbox();
    expect([...accepted].filter(([, times]) => times !== 1)).toEqual([]);
    expect([...accepted.keys()].sort()).toEqual([...titles].sort());
  });

  it('lets a second run attach, and stays until the last one has ended', async () => {
    machine = await UserMachine.create();
    await writeCampaign(machine.path('one.csv'), 300, { title: (index) => `One ${index}` });
    await writeCampaign(machine.path('two.csv'), 300, { title: (index) => `Two ${index}`, host: 'two.example' });
    await cap(5);
    const first = machine.start(['run', machine.path('one.csv'), '--sandbox', '-o', 'json']);
    await first.says(/Started a worker/u);
    await uncap();
    const second = machine.start(['run', machine.path('two.csv'), '--sandbox', '-o', 'json']);
    await second.says(/Started a worker/u);
    expect((await machine.run(['set', 'one', 'max_per=300 per 1h', '--sandbox'])).code).toBe(0);
    const [one, two] = await Promise.all([first.ended, second.ended]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(two.stderr).not.toContain('Started Temporal');
    // The Web UI ends with the first one's process alone.
    const report = (name: string): Promise<string> =>
      readFile(join(machine.home, 'sandbox', 'results', `${name}.1`, 'report.html'), 'utf8');
    expect(await report('two')).not.toContain('ended with its run');
    expect((await machine.acceptedBySandbox()).size).toBe(600);
  });

  it('leaves nothing running after Ctrl-C, and resumes with the same command', async () => {
    machine = await UserMachine.create();
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 300);
    await cap(20);
    const running = machine.start(['run', manifest, '--sandbox']);
    await until(async () => (await machine.acceptedBySandbox()).size >= 20);
    running.child.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped.code).toBe(130);
    await until(async () => (await processesNaming(machine.folder)).length === 0);
    expect(stopped.stderr).toContain('Interrupted; no worker is running for show.1');
    expect(stopped.stderr).toContain(
      'Next:\n  reelay run show.csv --sandbox\n      resumes it in this terminal, until it ends\n  reelay up --sandbox\n',
    );
    const status = JSON.parse((await machine.here(['status', 'show', '--sandbox', '-o', 'json'])).stdout);
    expect([status.state, status.next]).toEqual([
      'no-worker',
      ['reelay run show.csv --sandbox', 'reelay up --sandbox'],
    ]);
    await uncap();
    const again = await machine.run(['run', manifest, '--sandbox', '-o', 'json']);
    expect(JSON.parse(again.stdout).counts).toEqual({ published: 300 });
    expect([...(await machine.acceptedBySandbox()).values()].every((times) => times === 1)).toBe(true);
  });

  it('publishes a trial with --limit and leaves the rest planned', async () => {
    machine = await UserMachine.create();
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 10);
    const trial = await machine.run(['run', manifest, '--sandbox', '--limit', '3', '-o', 'json']);
    expect(trial.code).toBe(0);
    expect(JSON.parse(trial.stdout)).toMatchObject({
      counts: { published: 3, planned: 7 },
      next: ['reelay run show.csv --sandbox'],
    });
    const rest = await machine.run(['run', manifest, '--sandbox', '-o', 'json']);
    expect(JSON.parse(rest.stdout).counts).toEqual({ published: 10 });
    expect((await machine.acceptedBySandbox()).size).toBe(10);
  });
});

describe('reelay run --sandbox with injected faults', () => {
  it('says until when a lost answer is looked for; a retry that is under way is followed by retry --watch', async () => {
    machine = await UserMachine.create();
    const manifest = machine.path('show.csv');
    // One profile: a channel of one row only has no list that was ever seen to show its creates.
    await writeCampaign(manifest, 6, { profiles: ['Garden'] });
    const faults = ['--fault', 'create nth=2 -> status 500', '--fault', 'create nth=4 -> outcome failed'];
    // Longer than a slow machine needs to show it.
    const timings = { REELAY_TIMINGS: JSON.stringify({ pollMs: 250, settleMs: 10_000, reconcileForMs: 30 * 60_000 }) };
    const first = await machine.run(['run', manifest, '--sandbox', '-o', 'json', ...faults], timings);
    expect(first.stderr).toMatch(
      /1 row: answer lost, looking for it until \w{3} \d+ \w{3} \d\d:\d\d \(in .+\) at the latest/u,
    );
    expect(first.code).toBe(5);
    expect(JSON.parse(first.stdout)).toMatchObject({ counts: { published: 5, failed: 1 }, lost_answers: null });

    // Into the ledger alone: nothing runs that could carry it out.
    expect((await machine.here(['retry', 'show', '--yes', '--sandbox'])).stdout).toContain('retry in show.2');
    const followed = await machine.run(['retry', 'show.1', '--watch', '--sandbox', '-o', 'json']);
    expect([followed.code, JSON.parse(followed.stdout)]).toMatchObject([
      0,
      { run: { id: 'show.2' }, state: 'ended', counts: { published: 6 } },
    ]);
  });
});

describe('reelay run against a service', () => {
  let service: RunningSandbox;
  afterEach(() => service.close());

  /** The choices that a service may make differently from ours. */
  const other = {
    profileEnvelope: 'bare',
    errorBody: 'html',
    furtherFields: true,
    draftsListed: false,
    privacyOnShort: false,
  } as const;

  it('ends with 5 when some rows failed; results are in the manifest’s order; again creates nothing', async () => {
    service = await startSandbox({
      apiKey: 'key-of-theirs',
      platforms: { short: 'clips', long: 'films' },
      open: other,
      faults: [
        'create title="Episode 7" -> outcome failed',
        'create title="Episode 20" -> outcome failed',
        'create title="Episode 33" -> outcome failed',
      ],
    });
    machine = await UserMachine.create({ REELAY_BASE_URL: `${service.baseUrl}/v1/`, REELAY_API_KEY: 'key-of-theirs' });
    await writeFile(
      machine.path('reelay.config.yaml'),
      'platforms:\n  - { name: clips, kind: short }\n  - { name: films, kind: long }\n',
    );
    const manifest = machine.path('show.csv');
    const titles = await writeCampaign(manifest, 40);
    const first = await machine.run(['run', manifest, '-o', 'json']);
    expect([first.code, JSON.parse(first.stdout).counts]).toEqual([5, { published: 37, failed: 3 }]);

    const results = await machine.here(['results', 'show', '-o', 'json']);
    const { rows } = JSON.parse(results.stdout) as {
      rows: Record<'title' | 'state' | 'publication_id' | 'video_url', string>[];
    };
    expect(rows.map((row) => row.title)).toEqual(titles);
    for (const row of rows) {
      expect(row.publication_id).toMatch(/^[0-9a-f-]{36}$/u);
      expect(row.state).toBe(['Episode 7', 'Episode 20', 'Episode 33'].includes(row.title) ? 'failed' : 'published');
      if (row.state === 'published') expect(row.video_url).toMatch(/^http/u);
    }

    const again = await machine.run(['run', manifest, '-o', 'json']);
    expect(again.code).toBe(5);
    expect(service.log()).toHaveLength(40);
  });

  it('ends with 4 for a refused key, and creates nothing', async () => {
    service = await startSandbox({});
    machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'wrong-key-123' });
    await writeCampaign(machine.path('show.csv'), 2);
    const refused = await machine.run(['run', machine.path('show.csv')]);
    expect(refused.code).toBe(4);
    expect(refused.stderr + refused.stdout).not.toContain('wrong-key-123');
    expect(service.log()).toEqual([]);
  });

  it('parks the account when its key is refused mid-run, and continues with the next run', async () => {
    service = await startSandbox({ faults: ['create title="Episode 2" times=1 -> status 401'] });
    machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: service.apiKey });
    await writeCampaign(machine.path('show.csv'), 4);
    // What was already on its way when the key was refused may still arrive; the refused row waits.
    const parked = await machine.run(['run', machine.path('show.csv'), '-o', 'json']);
    expect(parked.code).toBe(4);
    expect(service.log().map((entry) => entry.title)).not.toContain('Episode 2');
    const again = await machine.run(['run', machine.path('show.csv'), '-o', 'json']);
    expect([again.code, JSON.parse(again.stdout).counts]).toEqual([0, { published: 4 }]);
    expect(service.log()).toHaveLength(4);
  });

  it('rehearses in the sandbox and then publishes for real', async () => {
    service = await startSandbox({ apiKey: 'key-of-theirs' });
    machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 5);
    expect((await machine.run(['run', manifest, '--sandbox'])).code).toBe(0);
    expect(service.log()).toEqual([]);
    expect((await machine.run(['run', manifest])).code).toBe(0);
    expect(service.log()).toHaveLength(5);
  });

  it('rehearses with the profiles that init has just read, in a sandbox that runs since before', async () => {
    const channel = { platform: 'platform_a', account_name: 'a', account_id: 'b' };
    const channels = [{ ...channel, connected_at: '2026-01-02T09:30:00.000Z' }];
    const kitchen = { id: 'p-77', name: 'Kitchen 2', created_at: '2026-01-01T09:00:00.000Z', channels };
    service = await startSandbox({ apiKey: 'key-of-theirs', profiles: [kitchen] });
    machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
    const up = machine.start(['up', '--sandbox']);
    await up.says(/Running\. Ctrl-C/u);
    expect((await machine.run(['init', '--dir', machine.folder])).code).toBe(0);
    const manifest = machine.path('show.csv');
    await writeFile(manifest, 'source,platform,profile,title\nhttps://e.example/1.mp4,short,Kitchen 2,One\n');
    const { code, stdout } = await machine.run(['run', manifest, '--sandbox', '--no-probe']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^published\t1\t/mu)]);
    expect([...(await machine.acceptedBySandbox()).keys()]).toEqual(['One']);
    up.child.kill('SIGINT');
    await up.ended;
  });
});
