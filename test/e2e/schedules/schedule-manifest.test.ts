import { copyFile, mkdir, open, rename, utimes, writeFile } from 'node:fs/promises';
import { BY_HAND, HALF_A_DAY_AWAY, ScheduleMachine } from '../support/schedule-machine';

jest.setTimeout(600_000);

const machine = ScheduleMachine.forTests();

async function manifest(name: string, top: string, titles: readonly string[]): Promise<string> {
  const path = machine.path(`${name}.yaml`);
  const videos = titles.map((title) => `  - {title: ${title}, source: "https://${name}.example/${title}.mp4"}`);
  const text = `campaign: ${name}\ntimezone: UTC\ndefaults: {platform: short, profile: Garden}\n${top}\nvideos:\n`;
  await writeFile(path, `${text}${videos.join('\n')}\n`);
  return path;
}

async function answer(...args: string[]) {
  const ended = await machine.machine.here([...args, '-o', 'json']);
  return { code: ended.code, answer: JSON.parse(ended.stdout) };
}

describe('a manifest with a schedule', () => {
  it('creates the schedule when it is submitted, publishes nothing by itself, and shows what changed', async () => {
    const titles = ['kept-1', 'kept-2', 'kept-3'];
    const path = await manifest('kept', `take: 2\nschedule: {at: "${HALF_A_DAY_AWAY}", overlap: wait}`, titles);
    const made = await answer('submit', path);
    expect([made.code, made.answer.did, made.answer.next.length]).toEqual([0, 'created', 10]);
    expect(made.answer.settings).toMatchObject({ take: '2 (as the manifest says)', overlap: 'wait', timezone: 'UTC' });
    expect((await answer('submit', path)).answer.did).toBe('nothing');
    await manifest('kept', 'take: 2\nschedule: {at: mon 09:00, catch_up: 2h}', titles);
    expect((await answer('submit', path)).answer).toMatchObject({
      did: 'updated',
      changes: [
        { what: 'when', before: `at ${HALF_A_DAY_AWAY}`, after: 'at mon 09:00' },
        { what: 'overlap', before: 'wait', after: 'skip' },
        { what: 'catch-up', before: '60 min', after: '2 h' },
      ],
    });
    expect(machine.accepted('kept')).toEqual([]);
    await machine.schedule('trigger', 'kept');
    await machine.untilFirings('kept', ([one]) => one?.outcome === 'done');
    expect(machine.accepted('kept')).toEqual(['kept-1', 'kept-2']);
    // By hand, once: the next two of it, which is one.
    expect((await machine.machine.here(['submit', path, '--once', '--watch'])).code).toBe(0);
    expect(machine.accepted('kept')).toEqual(titles);
  });

  it('is refused where it can’t be meant: by run, from another file, with flags of publishing', async () => {
    const path = await manifest('meant', 'schedule: {every: 365d}', ['meant-1']);
    const run = await answer('run', path);
    expect([run.code, run.answer.error.message, run.answer.error.hint]).toEqual([
      2,
      expect.stringContaining('has a schedule'),
      expect.stringContaining('--once'),
    ]);
    expect((await answer('submit', path, '--limit', '1')).answer.error.message).toContain('--limit');
    expect((await answer('submit', path)).answer.did).toBe('created');
    const other = await manifest('other', 'schedule: {name: meant, every: 365d}', ['meant-2']);
    expect((await answer('submit', other)).answer.error.message).toContain('reads another manifest');
    const plain = await manifest('plain', '', ['plain-1']);
    expect((await answer('submit', plain, '--once')).answer.error.message).toContain('has no schedule');
    expect(machine.accepted('')).not.toContain('meant-1');
  });

  it('with a template publishes each day’s own file, reports a missing one, and publishes it once it exists', async () => {
    const path = machine.path('daily.yaml');
    const top = 'campaign: daily\ntimezone: Europe/Paris\ntemplate: true\nmissing: skip\nschedule: {at: "02:30"}\n';
    const row =
      '{source: "daily-{date:yyyy-MM-dd}.mp4", title: "daily {date:d MMM}", platform: short, profile: Garden}';
    await writeFile(path, `${top}videos:\n  - ${row}\n`);
    const file = async (day: string): Promise<void> => {
      const name = machine.path(`daily-${day}.mp4`);
      await writeFile(name, Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftypisom${day}`)]));
      await utimes(name, 1_700_000_000, 1_700_000_000);
    };
    await file('2026-10-24');
    await file('2026-10-26');
    await machine.machine.here(['submit', path]);
    const planned = await answer('plan', path, '--at', '2026-10-26', '--rows');
    expect([planned.answer.at, planned.answer.actions]).toEqual(['2026-10-25T23:00:00.000Z', { create: 1 }]);
    // The clocks go back on the 25th.
    await machine.schedule('backfill', 'daily', '--from', '2026-10-24', '--to', '2026-10-26', '--yes');
    const firings = await machine.untilFirings('daily', ([one]) => one?.key === '2026-10-26' && one.outcome === 'done');
    expect(firings.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual([
      '2026-10-26 done',
      '2026-10-25 nothing',
      '2026-10-24 done',
    ]);
    expect(firings[1]?.reason).toContain('daily-2026-10-25.mp4');
    await file('2026-10-25');
    await machine.schedule('backfill', 'daily', '--from', '2026-10-24', '--to', '2026-10-26', '--yes');
    await machine.untilFirings('daily', (found) => found.every(({ outcome }) => outcome === 'done'));
    expect(machine.accepted('daily')).toEqual(['daily 24 Oct', 'daily 26 Oct', 'daily 25 Oct']);
  });

  it('that no longer has one is warned of the schedule that still fires, until that is deleted', async () => {
    const path = await manifest('removed', `schedule: {at: "${HALF_A_DAY_AWAY}"}`, ['removed-1']);
    await machine.machine.here(['submit', path]);
    await manifest('removed', '', ['removed-1']);
    const words = new RegExp(
      `the schedule “removed” was created from this file.*still fires, at ${HALF_A_DAY_AWAY}.*schedule delete removed`,
    );
    expect((await machine.machine.here(['plan', path])).stderr).toMatch(words);
    expect((await machine.machine.here(['submit', path, '--watch'])).stderr).toMatch(words);
    expect(machine.accepted('removed')).toEqual(['removed-1']);
    await machine.schedule('delete', 'removed', '--yes');
    expect((await machine.machine.here(['plan', path])).stderr).not.toMatch(/schedule/);
    // One that was made beside its manifest is meant to be there.
    await machine.schedule('create', 'beside', path, ...BY_HAND);
    expect((await machine.machine.here(['plan', path])).stderr).not.toMatch(/schedule/);
  });

  it('that is a CSV takes the settings of templates from flags', async () => {
    const path = machine.path('sheet.csv');
    const row = 'sheet {date:d MMM},https://sheet.example/{date}.mp4,short,Garden';
    await writeFile(path, `title,source,platform,profile\n${row}\nno file yet,sheet-{date}.mp4,short,Garden\n`);
    const flags = ['--template', '--missing', 'skip', '--timezone', 'UTC'];
    const planned = await answer('plan', path, '--at', '2026-10-25', ...flags);
    expect(planned.answer).toMatchObject({ ok: true, actions: { create: 1 } });
    await machine.schedule('create', 'sheet', path, '--at', HALF_A_DAY_AWAY, ...flags);
    await machine.schedule('backfill', 'sheet', '--from', '2026-10-24', '--to', '2026-10-25', '--yes');
    await machine.untilFirings('sheet', (found) => found.filter(({ outcome }) => outcome === 'done').length === 2);
    expect(machine.accepted('sheet')).toEqual(['sheet 24 Oct', 'sheet 25 Oct']);
  });

  it('repeats the same rows each time only where it says so', async () => {
    const path = machine.path('jingle.yaml');
    const text = `campaign: jingle\ntimezone: UTC\ntemplate: true\nrepeat: every-run\nschedule: {at: "${HALF_A_DAY_AWAY}"}\nvideos:\n`;
    const row = (key: string): string =>
      `  - {key: "${key}", source: "https://jingle.example/a.mp4", title: jingle, platform: short, profile: Garden}\n`;
    await writeFile(path, text + row('always'));
    expect((await answer('submit', path)).answer.problems).toMatchObject([{ code: 'template-key', line: 7 }]);
    await writeFile(path, text + row('{date}'));
    const twiceADay = ['schedule', 'create', 'twice', path, '--at', '09:00,17:00', '--dry-run'];
    expect((await machine.machine.here(twiceADay)).stderr).toMatch(
      /Key “.*” is the same at .* the later firing would publish/u,
    );
    expect((await machine.machine.here(['submit', path])).stderr).not.toContain('is the same at');
    await machine.schedule('backfill', 'jingle', '--from', '2026-10-24', '--to', '2026-10-26', '--yes');
    await machine.untilFirings('jingle', (found) => found.filter(({ outcome }) => outcome === 'done').length === 3);
    expect(machine.accepted('jingle')).toEqual(['jingle', 'jingle', 'jingle']);
  });

  it('of a folder publishes each new video once, also when one is renamed, copied or exported again', async () => {
    const path = machine.path('filling.yaml');
    const top = 'campaign: filling\ntimezone: UTC\ndefaults: {platform: short, profile: Garden}\n';
    await mkdir(machine.path('incoming'));
    await writeFile(path, `${top}schedule: {every: 365d}\nvideos: {folder: incoming, title: "filling {name}"}\n`);
    const video = async (name: string, content = name): Promise<void> => {
      const file = machine.path(`incoming/${name}.mp4`);
      await writeFile(file, Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftypisom${content}`)]));
      // Long ago, so that it counts as complete; each at a different time, because size and time identify a renamed
      // file.
      const changed = 1_700_000_000 + content.charCodeAt(0);
      await utimes(file, changed, changed);
    };
    const fire = async (): Promise<string> => {
      const newest = await machine.fire('filling');
      return `${newest?.outcome ?? ''} ${newest?.code ?? ''}`;
    };
    await machine.machine.here(['submit', path]);
    expect(await fire()).toBe('nothing nothing-left');
    await video('a');
    await video('b');
    // Still being written.
    const growing = await open(machine.path('incoming/c.mp4'), 'w');
    await growing.write('half');
    expect(await fire()).toBe('done run-done');
    await growing.close();
    await video('c');
    await rename(machine.path('incoming/a.mp4'), machine.path('incoming/renamed.mp4'));
    await copyFile(machine.path('incoming/b.mp4'), machine.path('incoming/copy.mp4'));
    await utimes(machine.path('incoming/copy.mp4'), 1_700_000_000, 1_700_000_000);
    await video('b', 'exported again');
    const planned = await answer('plan', path);
    expect(planned.answer.actions).toEqual({ create: 1, differs: 1, keep: 1 });
    const problems = planned.answer.problems as { code: string }[];
    expect(problems.filter(({ code }) => code === 'folder-again')).toHaveLength(2);
    expect(await fire()).toBe('done run-done');
    // The first two were sent side by side.
    expect(machine.accepted('filling').sort()).toEqual(['filling a', 'filling b', 'filling c']);
  });
});
