import { writeFile } from 'node:fs/promises';
import { ScheduleMachine } from './schedule-machine';

jest.setTimeout(120_000);

let machine: ScheduleMachine;

beforeAll(async () => {
  machine = await ScheduleMachine.start();
});

afterAll(async () => {
  await machine.stop();
});

async function manifest(name: string, top: string, titles: readonly string[]): Promise<string> {
  const path = machine.path(`${name}.yaml`);
  const videos = titles.map((title) => `  - {title: ${title}, source: "https://${name}.example/${title}.mp4"}`);
  const text = `campaign: ${name}\ntimezone: UTC\ndefaults: {platform: short, profile: Garden}\n${top}\nvideos:\n`;
  await writeFile(path, `${text}${videos.join('\n')}\n`);
  return path;
}

async function answer(...args: string[]) {
  const ended = await machine.machine.run([...args, '-o', 'json']);
  return { code: ended.code, answer: JSON.parse(ended.stdout) };
}

describe('a manifest with a schedule', () => {
  it('makes the schedule when it is submitted, publishes nothing by itself, and says what changed', async () => {
    const titles = ['kept-1', 'kept-2', 'kept-3'];
    const path = await manifest('kept', 'take: 2\nschedule: {at: "00:00", overlap: wait}', titles);
    const made = await answer('submit', path);
    expect([made.code, made.answer.did, made.answer.next.length]).toEqual([0, 'created', 10]);
    expect(made.answer.settings).toMatchObject({ take: 'as the manifest says', overlap: 'wait', timezone: 'UTC' });
    expect((await answer('submit', path)).answer.did).toBe('nothing');
    await manifest('kept', 'take: 2\nschedule: {at: mon 09:00, catch_up: 2h}', titles);
    expect((await answer('submit', path)).answer).toMatchObject({
      did: 'updated',
      changes: [
        { what: 'when', before: 'at 00:00', after: 'at mon 09:00' },
        { what: 'overlap', before: 'wait', after: 'skip' },
        { what: 'catch-up', before: '60 min', after: '2 h' },
      ],
    });
    expect(machine.accepted('kept')).toEqual([]);
    await machine.schedule('trigger', 'kept');
    await machine.untilFirings('kept', ([one]) => one?.outcome === 'done');
    expect(machine.accepted('kept')).toEqual(['kept-1', 'kept-2']);
    // By hand, once: the next two of it, which is one.
    expect((await machine.machine.run(['submit', path, '--once', '--watch'])).code).toBe(0);
    expect(machine.accepted('kept')).toEqual(titles);
  });

  it('is refused where it can’t be meant: by run, from another file, with flags of publishing', async () => {
    const path = await manifest('meant', 'schedule: {every: 6h}', ['meant-1']);
    const run = await answer('run', path);
    expect([run.code, run.answer.error.message, run.answer.error.hint]).toEqual([
      2,
      expect.stringContaining('has a schedule'),
      expect.stringContaining('--once'),
    ]);
    expect((await answer('submit', path, '--limit', '1')).answer.error.message).toContain('--limit');
    expect((await answer('submit', path)).answer.did).toBe('created');
    const other = await manifest('other', 'schedule: {name: meant, every: 6h}', ['meant-2']);
    expect((await answer('submit', other)).answer.error.message).toContain('reads another manifest');
    const plain = await manifest('plain', '', ['plain-1']);
    expect((await answer('submit', plain, '--once')).answer.error.message).toContain('has no schedule');
    expect(machine.accepted('')).not.toContain('meant-1');
  });
});
