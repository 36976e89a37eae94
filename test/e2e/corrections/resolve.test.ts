import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox } from '../../../sandbox/server';
import { type UserMachine } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';
import { closeSettling, openSettling, printedCommands, recordsOf } from '../support/settling';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

async function begin(faults: string[]): Promise<void> {
  ({ machine, service } = await openSettling(faults));
}

afterEach(async () => expect(await closeSettling({ machine, service })).toEqual([]));

describe('a create whose answer was lost', () => {
  it('is settled with the printed commands alone: one exists, one does not', async () => {
    await begin(['create title="Episode 2" times=1 -> lost', 'create title="Episode 1" times=1 -> lost accept=false']);
    const manifest = machine.path('show.csv');
    await writeCampaign(manifest, 4);
    const first = await machine.run(['run', manifest]);
    expect([first.code, first.stderr]).toEqual([6, expect.stringContaining('reelay resolve show.1')]);

    const status = await machine.here(['status', 'show']);
    const commands = printedCommands(status.stderr);
    const candidate = commands.find((words) => words.includes('--published') && words.includes('ep-2'));
    const absent = commands.find((words) => words.includes('--not-published') && words.includes('ep-1'));
    expect([candidate, absent]).toEqual([expect.any(Array), expect.any(Array)]);

    const unasked = await machine.run(candidate ?? []);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const settled = await machine.run([...(candidate ?? []), '--yes']);
    expect([settled.code, settled.stdout]).toEqual([0, expect.stringMatching(/ep-2\t.*\tpublished/u)]);

    const again = await machine.run([...(absent ?? []), '--yes']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('reelay retry show.2 --watch')]);
    const last = await machine.run(['retry', 'show.2', '--watch', '-o', 'json']);
    expect([last.code, JSON.parse(last.stdout).counts]).toEqual([0, { published: 4 }]);

    const titles = service.log().map((entry) => entry.title);
    expect(titles.sort()).toEqual(['Episode 1', 'Episode 2', 'Episode 3', 'Episode 4']);
  });

  it('starts a run where a worker is running, and says which', async () => {
    await begin(['create title="Episode 1" times=1 -> lost accept=false']);
    await writeCampaign(machine.path('show.csv'), 2);
    expect((await machine.run(['run', machine.path('show.csv')])).code).toBe(6);
    const up = machine.start(['up']);
    try {
      await up.says(/Running\. Ctrl-C/u);
      const settled = await machine.here(['resolve', 'show', 'ep-1', '--not-published', '--yes']);
      expect([settled.code, settled.stderr]).toEqual([
        0,
        expect.stringContaining(
          'Started run show.2; a worker is running it.\nNext:\n  reelay watch show.2\n      follows it in a terminal\n',
        ),
      ]);
      const watched = await machine.run(['watch', 'show.2']);
      expect([watched.code, watched.stdout]).toEqual([
        0,
        expect.stringContaining('show.2 ended: 2 of 2 rows succeeded'),
      ]);
      const again = await machine.run(['run', machine.path('show.csv')]);
      expect([again.code, again.stdout]).toEqual([
        0,
        expect.stringContaining('show.3 ended, nothing to send: 2 of 2 rows were already published'),
      ]);
    } finally {
      up.child.kill('SIGTERM');
      await up.ended;
    }
  });

  it('is not settled by an id that doesn’t exist, or is another row’s', async () => {
    await begin(['create title="Episode 2" times=1 -> lost']);
    await writeCampaign(machine.path('show.csv'), 3);
    expect((await machine.run(['run', machine.path('show.csv')])).code).toBe(6);
    const nowhere = await machine.here(['resolve', 'show', 'ep-2', '--published', 'no-such-id', '--yes', '-o', 'json']);
    expect([nowhere.code, JSON.parse(nowhere.stdout).error.code]).toEqual([2, 'no-such-publication']);
    const [first] = await recordsOf(machine);
    const other = ['resolve', 'show', 'ep-2', '--published', String(first?.publication_id), '--yes', '-o', 'json'];
    const taken = await machine.run(other);
    expect([taken.code, JSON.parse(taken.stdout).error.code]).toEqual([2, 'publication-owned']);
    const retried = await machine.here(['retry', 'show', '--state', 'unconfirmed', '--yes']);
    expect([retried.code, retried.stderr]).toEqual([2, expect.stringContaining('reelay resolve')]);
    expect((await recordsOf(machine)).map((row) => row.state)).toEqual(['published', 'unconfirmed', 'published']);
  });

  it('is settled in numbers from a results CSV with a column more', async () => {
    await begin(['create title="Episode 1" times=1 -> lost', 'create title="Episode 4" times=1 -> lost']);
    await writeCampaign(machine.path('show.csv'), 5);
    expect((await machine.run(['run', machine.path('show.csv')])).code).toBe(6);
    const { stdout } = await machine.here(['results', 'show', '--state', 'unconfirmed', '-o', 'csv']);
    const [header = '', ...rows] = stdout.trimEnd().split('\r\n');
    const lost = service.log().filter(({ title }) => title === 'Episode 1' || title === 'Episode 4');
    const idOf = (title: string) => lost.find((entry) => entry.title === title)?.id ?? '';
    const settle = machine.path('settle.csv');
    const write = (first: string, second: string) =>
      writeFile(settle, [`${header},resolve`, `${rows[0]},${first}`, `${rows[1]},${second}`].join('\r\n'));

    await write(idOf('Episode 1'), 'no-such-id');
    const refused = await machine.here(['resolve', 'show', '--from', settle, '--yes', '-o', 'json']);
    expect([refused.code, JSON.parse(refused.stdout).problems]).toEqual([2, [expect.objectContaining({ line: 3 })]]);
    expect((await recordsOf(machine)).filter((row) => row.state === 'unconfirmed')).toHaveLength(2);

    await write(idOf('Episode 1'), 'give-up');
    const done = await machine.here(['resolve', 'show', '--from', settle, '--yes', '-o', 'json']);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout).rows).toMatchObject([
      { key: 'ep-1', state: 'published', by: expect.any(String), at: expect.any(String) },
      { key: 'ep-4', state: 'cancelled' },
    ]);
    expect(service.log()).toHaveLength(5);
  });
});

describe('reelay retry', () => {
  it('works, as do results, when Temporal has lost its history', async () => {
    await begin(['create title="Episode 2" times=1 -> outcome failed']);
    await writeCampaign(machine.path('show.csv'), 3);
    expect((await machine.run(['run', machine.path('show.csv')])).code).toBe(5);
    const history = (await readdir(machine.home)).filter((name) => /^temporal\.sqlite/u.test(name));
    expect(history).toContain('temporal.sqlite');
    for (const name of history) await rm(join(machine.home, name));
    expect((await recordsOf(machine)).map((row) => row.state)).toEqual(['published', 'failed', 'published']);
    expect((await machine.here(['status', 'show'])).code).toBe(0);
    const retried = await machine.run(['retry', 'show', '--yes', '--watch', '-o', 'json']);
    expect([retried.code, JSON.parse(retried.stdout).counts]).toEqual([0, { published: 3 }]);
    expect(service.log()).toHaveLength(4);
  });
});
