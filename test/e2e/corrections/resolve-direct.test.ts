import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox } from '../../../sandbox/server';
import { type UserMachine } from '../support/cli-process';
import { closeSettling, openSettling, printedCommands, recordsOf } from '../support/settling';

jest.setTimeout(600_000);

let machine: UserMachine;
let service: RunningSandbox;

async function begin(faults: string[]): Promise<void> {
  ({ machine, service } = await openSettling(faults));
}

afterEach(async () => expect(await closeSettling({ machine, service })).toEqual([]));

/** The words of a printed command as a shell gives them. */
function shellWords(words: readonly string[]): string[] {
  return words.map((word) => word.replace(/^'(.*)'$/u, '$1'));
}

describe('a direct publish whose answer was lost', () => {
  it('is settled without an id by the printed commands, or given up, and is not created again', async () => {
    await begin(['direct times=3 -> lost', 'create times=1 -> lost']);
    const clip = join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4');
    for (const key of ['-out', 'sheet', 'left']) await copyFile(clip, machine.path(`tour${key}.mp4`));
    const row = (key: string) => `${key},Tour ${key},tour${key}.mp4,short,Garden,direct`;
    const url = 'url,Url,https://videos.example/1.mp4,short,Garden,';
    const head = 'key,title,source,platform,profile,via';
    await writeFile(machine.path('show.csv'), [head, row('-out'), row('sheet'), row('left'), url, ''].join('\n'));
    const first = await machine.run(['run', 'show.csv', '--no-probe', '--concurrency', '1']);
    expect([first.code, first.stderr]).toEqual([6, expect.not.stringContaining('PUBLICATION_ID')]);
    const report = await readFile(join(machine.home, 'results/show.1/report.html'), 'utf8');
    expect(report).toContain('<code>reelay resolve show.1 sheet --published</code>');
    expect(report).not.toContain('PUBLICATION_ID');

    const commands = printedCommands((await machine.here(['status', 'show'])).stderr).map(shellWords);
    const out = commands.find((words) => words.includes('--published') && words.includes('-out')) ?? [];
    const settled = await machine.run([...out.slice(0, 2), '--yes', '-o', 'json', ...out.slice(2)]);
    expect([settled.code, JSON.parse(settled.stdout)]).toMatchObject([
      0,
      { rows: [{ key: '-out', state: 'submitted', decision: 'submitted', publish_id: null, by: expect.any(String) }] },
    ]);
    const bare = await machine.here(['resolve', 'show', 'url', '--published', '--yes', '-o', 'json']);
    expect([bare.code, JSON.parse(bare.stdout).error.code]).toEqual([2, 'publication-id-missing']);
    const wrong = await machine.here(['resolve', 'show', '--published', 'sheet', '--yes']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('put it before --published')]);

    const urlId = service.log().find(({ title }) => title === 'Url')?.id ?? '';
    expect((await machine.here(['resolve', 'show', 'url', '--published', urlId, '--yes'])).code).toBe(0);
    const others = await machine.here(['resolve', 'show', 'sheet', '--published', urlId, '--yes']);
    expect([others.code, others.stderr]).toEqual([2, expect.stringContaining('(key url) of campaign show')]);
    expect(others.stderr).not.toContain('is out as');
    await writeFile(machine.path('settle.csv'), `key,resolve\nsheet,published\nleft,give-up\n`);
    expect((await machine.here(['resolve', 'show', '--from', 'settle.csv', '--yes'])).code).toBe(0);
    expect(await recordsOf(machine)).toMatchObject([
      {
        key: '-out',
        state: 'submitted',
        code: 'said-published',
        message: expect.stringContaining('no outcome can be'),
      },
      { key: 'sheet', state: 'submitted', code: 'said-published' },
      {
        key: 'left',
        state: 'cancelled',
        code: 'given-up',
        message: expect.stringContaining('may have been published'),
      },
      { key: 'url', state: 'published', code: null },
    ]);
    const after = await machine.here(['status', 'show']);
    expect(after.stdout).toContain('given up by a person; may be live');
    const summary = JSON.parse((await machine.here(['status', 'show', '-o', 'json'])).stdout);
    expect([summary.counts.cancelled, summary.given_up]).toEqual([1, 1]);
    expect((await machine.here(['list'])).stdout).toContain('1 cancelled (1 given up, may be live)');

    const sent = service.stats().requests.direct;
    await machine.run(['run', 'show.csv', '--no-probe']);
    expect([service.stats().requests.direct, service.log().length]).toEqual([sent, 4]);
  });
});
