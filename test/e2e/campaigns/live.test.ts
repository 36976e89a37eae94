import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { UserMachine, until } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

afterEach(async () => {
  await machine.remove();
  await service.close();
});

async function open(faults: string[] = []): Promise<void> {
  service = await startSandbox({ apiKey: 'key-of-theirs', faults });
  machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
}

describe('a run under way', () => {
  it('parks a channel whose access is refused, ends the others, and finishes it after resume', async () => {
    // The refused row is tried once, and its channel waits then.
    await open(['create title="Episode 1" times=1 -> status 403']);
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 12);
    const first = await machine.run(['run', manifest, '-o', 'json']);
    expect([first.code, first.stderr]).toEqual([9, expect.stringContaining('parked')]);
    const { counts } = JSON.parse(first.stdout);
    expect(counts.planned).toBeGreaterThan(0);
    expect(counts.published).toBeGreaterThanOrEqual(6);
    const resumed = await machine.here(['resume', 'show', '-o', 'json']);
    expect([resumed.code, JSON.parse(resumed.stdout).opened]).toMatchObject([0, [{ kind: 'parked' }]]);
    const again = await machine.run(['run', manifest, '-o', 'json']);
    expect(JSON.parse(again.stdout).counts).toEqual({ published: 12 });
    expect(service.log()).toHaveLength(12);
  });

  it('obeys set, pause and resume, also when all of it is killed meanwhile, and shows them', async () => {
    await open();
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 8, { profiles: ['Garden'] });
    const command = ['run', manifest, '--min-gap', '1h', '-o', 'json'];
    const killed = machine.start(command);
    // One row a channel; the others wait an hour for their turn.
    await until(() => service.log().length === 2);
    const waits = /Garden · long: next .*gap of 1h/u;
    await until(async () => waits.test((await machine.here(['status', 'show'])).stderr));

    expect((await machine.here(['pause', 'show'])).stdout).toContain('paused');
    const set = await machine.run(['set', 'show', 'min_gap=1s', 'jitter=0%', '-o', 'json']);
    expect([set.code, JSON.parse(set.stdout)]).toMatchObject([0, { settings: { min_gap: '1s' }, wasWoken: true }]);
    expect((await machine.here(['status', 'show'])).stderr).toMatch(/paused.*set: min_gap=1s/su);
    killed.killGroup('SIGKILL');
    await killed.ended;
    const running = machine.start(command);
    await running.says(/show\.1: .*paused: the run/u);
    expect(service.log()).toHaveLength(2);

    expect((await machine.here(['resume', 'show'])).code).toBe(0);
    const ended = await running.ended;
    expect([ended.code, JSON.parse(ended.stdout).counts]).toEqual([0, { published: 8 }]);
  });

  it('stops beyond what is tolerated, ends with 8, and leaves the rest planned for another submit', async () => {
    await open(['create title=/Episode/ times=3 -> status 422']);
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 40);
    const stopped = await machine.run(['run', manifest, '--tolerate', '2', '--concurrency', '1', '-o', 'json']);
    expect([stopped.code, stopped.stderr]).toEqual([8, expect.stringContaining('stopped')]);
    const summary = JSON.parse(stopped.stdout);
    expect(summary).toMatchObject({ state: 'stopped', counts: { rejected: 3 } });
    expect(summary.counts.planned).toBeGreaterThan(0);
    const again = await machine.run(['run', manifest, '-o', 'json']);
    expect([again.code, JSON.parse(again.stdout).counts]).toEqual([5, { published: 37, rejected: 3 }]);
  });

  it('refuses a setting that it doesn’t know, and a run that has ended', async () => {
    await open();
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 1);
    expect((await machine.run(['run', manifest])).code).toBe(0);
    const unknown = await machine.run(['set', 'show', 'speed=9']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('min_gap')]);
    expect((await machine.here(['pause', 'show'])).code).toBe(2);
  });
});
