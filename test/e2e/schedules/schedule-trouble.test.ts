import { rm, utimes, writeFile } from 'node:fs/promises';
import { scheduleId } from '../../../workflows/ids';
import { until } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';
import { BY_HAND, ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

const machine = ScheduleMachine.forTests();

async function campaign(name: string, rows: number): Promise<string> {
  const path = machine.path(`${name}.csv`);
  const title = (index: number): string => `${name} ${index}`;
  await writeCampaign(path, rows, { host: `${name}.example`, profiles: ['Garden'], title });
  return path;
}

/** A manifest whose only row has a file that doesn't exist yet. */
async function waiting(name: string, missing: string): Promise<{ path: string; arrive: () => Promise<void> }> {
  const path = machine.path(`${name}.yaml`);
  const row = `{source: "${name}.mp4", title: ${name}, platform: short, profile: Garden}`;
  await writeFile(path, `campaign: ${name}\ntimezone: UTC\nmissing: ${missing}\nvideos:\n  - ${row}\n`);
  const arrive = async (): Promise<void> => {
    const file = machine.path(`${name}.mp4`);
    await writeFile(file, Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftypisom${name}`)]));
    await utimes(file, 1_700_000_000, 1_700_000_000);
  };
  return { path, arrive };
}

const bad = (found: readonly { outcome: string }[]): number =>
  found.filter(({ outcome }) => outcome === 'refused').length;

describe('a firing that waits for a file', () => {
  it('continues when it exists, even after everything was killed meanwhile; gives up after its time', async () => {
    const never = await waiting('never', 'wait 2s');
    await machine.schedule('create', 'never', never.path, ...BY_HAND);
    await machine.schedule('trigger', 'never');
    const [gone] = await machine.untilFirings('never', ([one]) => one?.outcome === 'refused');
    expect([gone?.code, gone?.reason]).toEqual(['file-missing', expect.stringContaining('never.mp4')]);
    // Long enough for a slow machine to see that it waits.
    const late = await waiting('late', 'wait 40s');
    await machine.schedule('create', 'late', late.path, ...BY_HAND);
    await machine.schedule('trigger', 'late');
    await machine.untilFirings('late', ([one]) => one?.outcome === 'open');
    await machine.powerCut();
    await late.arrive();
    await machine.upAgain();
    await machine.untilFirings('late', ([one]) => one?.outcome === 'done');
    expect(machine.accepted('late')).toEqual(['late']);
    expect(machine.accepted('never')).toEqual([]);
  });
});

describe('a schedule that is changed in Temporal', () => {
  it('is paused and on again for us too when that was done in the Web UI, and its bad firings count anew', async () => {
    const path = await campaign('elsewhere', 1);
    await machine.schedule('create', 'elsewhere', path, ...BY_HAND, '--pause-after', '2');
    await writeFile(path, 'title\nbroken\n');
    const handle = (await machine.temporal()).schedule.getHandle(scheduleId('elsewhere'));
    const untilPaused = (): Promise<void> => until(async () => (await handle.describe()).state.paused);
    await machine.fire('elsewhere');
    await machine.fire('elsewhere');
    await untilPaused();
    await handle.unpause('by hand');
    await machine.fire('elsewhere');
    expect((await machine.untilListed('elsewhere', () => true)).state).toBe('active');
    await machine.fire('elsewhere');
    await untilPaused();
    await handle.unpause('by hand');
    await handle.pause('by hand');
    expect((await machine.untilListed('elsewhere', () => true)).note).toBe('by hand');
    expect(bad(await machine.firings('elsewhere'))).toBe(4);
  });

  it('is shown as gone when it was deleted there, even in the middle of a firing; delete removes it from the list', async () => {
    const path = await campaign('vanished', 1);
    const { path: slow } = await waiting('vanishing', 'wait 30s');
    await machine.schedule('create', 'vanished', path, ...BY_HAND);
    await machine.schedule('create', 'vanishing', slow, ...BY_HAND, '--pause-after', '1');
    const { schedule, workflow } = await machine.temporal();
    await machine.schedule('trigger', 'vanishing');
    await machine.untilFirings('vanishing', ([one]) => one?.outcome === 'open');
    for (const name of ['vanished', 'vanishing']) await schedule.getHandle(scheduleId(name)).delete();
    const [ended] = await machine.untilFirings('vanishing', ([one]) => one?.outcome === 'refused');
    // It doesn't hang on a schedule that can't be paused any more.
    await expect(workflow.getHandle(ended?.workflowId ?? '').result()).rejects.toThrow();
    await machine.untilListed('vanished', ({ state }) => state === 'gone');
    const doctor = JSON.parse((await machine.machine.here(['doctor', '-o', 'json'])).stdout) as {
      checks: { part: string; state: string; message: string }[];
    };
    const said = doctor.checks
      .filter(({ part }) => part === 'schedules')
      .map(({ state, message }) => `${state} ${message}`);
    expect(said).toContain('warning vanished no longer exists in Temporal, so it doesn’t fire');
    expect(said).toContainEqual(expect.stringMatching(/^warning elsewhere is paused \(by hand\)$/));
    expect((await machine.schedule('show', 'vanishing')).answer).toMatchObject({
      gone: true,
      firings: [{ outcome: 'refused' }],
    });
    for (const name of ['vanished', 'vanishing'])
      expect((await machine.schedule('delete', name, '--yes')).answer).toMatchObject({ did: 'deleted' });
    expect((await machine.schedule('show', 'vanished')).answer.error.code).toBe('no-schedule');
  });

  it('counts a firing as stopped whose workflow was terminated', async () => {
    const { path } = await waiting('cut', 'wait 1h');
    await machine.schedule('create', 'cut', path, ...BY_HAND);
    await machine.schedule('trigger', 'cut');
    const [open] = await machine.untilFirings('cut', ([one]) => one?.outcome === 'open');
    await (await machine.temporal()).workflow.getHandle(open?.workflowId ?? '').terminate('by hand');
    const { answer } = await machine.schedule('show', 'cut');
    expect(answer.firings).toMatchObject([{ outcome: 'stopped', code: 'terminated' }]);
  });
});

describe('a schedule that is changed', () => {
  it('fires at its new time also on a day on which it has fired, and never a second time what fired under another key', async () => {
    const path = await campaign('moved', 9);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const flags = ['--at', '07:00', '--timezone', 'UTC', '--take', '1'];
    // Paused, so that it fires when told to alone, whatever time it is.
    await machine.schedule('create', 'moved', path, ...flags, '--paused');
    const backfill = ['backfill', 'moved', '--from', yesterday, '--to', yesterday, '--yes'];
    await machine.schedule(...backfill);
    await machine.untilFirings('moved', ([one]) => one?.key === yesterday && one.outcome === 'done');
    await machine.schedule('update', 'moved', '--at', '15:00');
    await machine.schedule(...backfill);
    await machine.untilFirings('moved', ([one]) => one?.key === `${yesterday}T15:00` && one.outcome === 'done');
    // By time from now on: what fired by date did fire.
    const updated = await machine.schedule('update', 'moved', '--at', '07:00,11:00,15:00');
    expect(updated.answer.changes).toEqual([{ what: 'when', before: 'at 15:00', after: 'at 07:00,11:00,15:00' }]);
    await machine.schedule(...backfill);
    await machine.untilFirings('moved', (found) =>
      found.some(({ key, outcome }) => key === `${yesterday}T11:00` && outcome === 'done'),
    );
    await machine.schedule('update', 'moved', '--every', '1h', '--timezone', 'UTC');
    await machine.schedule(
      'backfill',
      'moved',
      '--from',
      `${yesterday}T10:30Z`,
      '--to',
      `${yesterday}T12:30Z`,
      '--yes',
    );
    const firings = await machine.untilFirings('moved', (found) =>
      found.some(({ key, outcome }) => key === `${yesterday}T12:00:00Z` && outcome === 'done'),
    );
    const years = await machine.schedule('backfill', 'moved', '--from', '2020-01-01', '--yes');
    expect([years.code, years.answer.error.message]).toEqual([2, expect.stringContaining('1,000 firings or more')]);
    const done = firings.filter(({ outcome }) => outcome === 'done').map(({ nominalAt }) => nominalAt.slice(11, 16));
    expect(done.sort()).toEqual(['07:00', '11:00', '12:00', '15:00']);
    expect(machine.accepted('moved')).toEqual(['moved 0', 'moved 1', 'moved 2', 'moved 3']);
  });

  it('begins to count bad firings anew when it is made again, and is paused no later for being paused twice', async () => {
    const path = await campaign('anew', 1);
    const make = () => machine.schedule('create', 'anew', path, ...BY_HAND, '--pause-after', '2');
    await make();
    await rm(path);
    await machine.fire('anew');
    await machine.schedule('delete', 'anew', '--yes');
    await campaign('anew', 1);
    await make();
    await writeFile(path, 'title\nbroken\n');
    await machine.fire('anew');
    expect((await machine.untilListed('anew', () => true)).state).toBe('active');
    await machine.schedule('pause', 'anew', '--note', 'first');
    await machine.schedule('pause', 'anew');
    expect((await machine.schedule('show', 'anew')).answer.paused).toBe(true);
  });
});
