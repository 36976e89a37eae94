import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { type RunningCommand, UserMachine, until } from '../support/cli-process';

jest.setTimeout(600_000);

interface Line {
  key: string;
  title: string;
  note: string;
}

/** 32 episodes on four channels; 7 of them fail at the service as long as their title says so. */
const FAILING = [3, 8, 13, 18, 22, 25, 31];

function lines(): Line[] {
  return Array.from({ length: 32 }, (_, index) => ({
    key: `ep-${index + 1}`,
    title: FAILING.includes(index) ? `Broken ${index + 1}` : `Episode ${index + 1}`,
    note: `ask Kim about ${index + 1}`,
  }));
}

/** As a spreadsheet with a European locale saves it: a byte order mark, semicolons, CRLF, an unknown column. */
async function writeSheet(path: string, rows: readonly Line[]): Promise<void> {
  const text = rows.map(({ key, title, note }) => {
    const n = Number(key.slice(3)) - 1;
    const platform = n % 4 >= 2 ? 'long' : 'short';
    return [key, title, `https://videos.example/${key}.mp4`, platform, n % 2 ? 'Kitchen' : 'Garden', note].join(';');
  });
  await writeFile(path, `\uFEFF${['Key;Title;Video URL;Platform;Profile;Notes', ...text].join('\r\n')}\r\n`);
}

describe('a week with one campaign', () => {
  let service: RunningSandbox;
  let machine: UserMachine;

  beforeAll(async () => {
    service = await startSandbox({ apiKey: 'key-of-theirs', faults: ['create title=/^Broken/ -> outcome failed'] });
    machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'key-of-theirs' });
  });
  afterAll(async () => {
    await machine.remove();
    await service.close();
  });

  const json = async (...args: string[]) => {
    const all = [...args, '-o', 'json'];
    const { code, stdout, stderr } = await (args[0] === 'run' ? machine.run(all) : machine.here(all));
    try {
      return { code, stderr, data: JSON.parse(stdout) };
    } catch {
      throw new Error(`${args.join(' ')} ended with ${String(code)} and no JSON: ${stdout}\n${stderr}`);
    }
  };
  const titles = () => service.log().map(({ title }) => title);
  const sheet = () => machine.path('week.csv');
  let rows = lines();
  let rest: RunningCommand;

  it('all mistakes of a messy sheet are reported, and nothing is sent', async () => {
    await writeFile(
      machine.path('messy.csv'),
      'key;title;video url;platform;profile;privcy\r\n' +
        'a;One;https://videos.example/a.mp4;short;Garden;\r\n' +
        'a;Two;ftp://videos.example/b.mp4;medium;Garden;\r\n',
    );
    const { code, data } = await json('check', machine.path('messy.csv'));
    expect([code, data.ok]).toEqual([3, false]);
    const problems = data.problems as { line: number; column: string }[];
    const wrong = problems.map(({ line, column }) => `${line} ${column}`);
    expect(wrong).toEqual(expect.arrayContaining(['1 privcy', '3 platform']));
    expect(wrong.length).toBeGreaterThanOrEqual(3);
  });

  it('is rehearsed in the sandbox: the service hears nothing', async () => {
    await writeSheet(sheet(), rows);
    const { code, data } = await json('run', sheet(), '--sandbox');
    expect([code, data.counts]).toEqual([0, { published: 32 }]);
    expect(titles()).toEqual([]);
  });

  it('three go first', async () => {
    const { data } = await json('run', sheet(), '--limit', '3');
    expect(data.counts).toEqual({ published: 3, planned: 29 });
    expect(titles().sort()).toEqual(['Episode 1', 'Episode 2', 'Episode 3']);
  });

  it('the rest goes, and twelve titles are edited meanwhile', async () => {
    rest = machine.start(['run', sheet(), '--min-gap', '1h', '-o', 'json']);
    // One of each channel; the channels of the trial had theirs and wait as well.
    await until(async () => (await json('status', 'week')).data.counts.planned <= 29);
    await rest.says(/waits|next /u);
    await copyFile(sheet(), machine.path('colleagues.csv'));
    const edited = rows.slice(20).map(({ key }) => key);
    const sent = new Set(titles());
    rows = rows.map((row) =>
      edited.includes(row.key) && !sent.has(row.title) ? { ...row, title: `${row.title} (new)` } : row,
    );
    await writeSheet(sheet(), rows);
    const { code, data } = await json('submit', sheet(), '--min-gap', '1h');
    expect([code, data.run.attached]).toEqual([0, true]);
  });

  it('the colleague’s copy of yesterday is refused', async () => {
    const { code, data } = await json('submit', machine.path('colleagues.csv'), '--campaign', 'week');
    expect([code, JSON.stringify(data)]).toEqual([3, expect.stringContaining('--force-old')]);
  });

  it('three rows are pulled: only when asked for', async () => {
    rows = rows.filter(({ key }) => !['ep-29', 'ep-30', 'ep-31'].includes(key));
    await writeSheet(sheet(), rows);
    const refused = await json('submit', sheet(), '--min-gap', '1h');
    expect([refused.code, JSON.stringify(refused.data)]).toEqual([3, expect.stringContaining('--prune')]);
    expect((await json('submit', sheet(), '--min-gap', '1h', '--prune')).code).toBe(0);
  });

  it('it is let go, and ends: the new titles are out, the pulled rows are not, seven failed', async () => {
    expect((await json('set', 'week', 'min_gap=0s', 'jitter=0%')).code).toBe(0);
    const ended = await rest.ended;
    expect([ended.code, JSON.parse(ended.stdout).counts]).toEqual([5, { published: 22, failed: 7, cancelled: 3 }]);
    expect(titles().sort()).toEqual(rows.map(({ title }) => title).sort());
  });

  it('the failed rows are corrected in their result file', async () => {
    const toCorrect = machine.path('corrected.csv');
    await machine.here(['results', 'week', '--state', 'failed', '-o', 'csv', '--out', toCorrect]);
    await writeFile(toCorrect, (await readFile(toCorrect, 'utf8')).replaceAll('Broken', 'Mended'));
    // The sheet has the pace of its manifest, unless another one is given.
    const { code, data } = await json('run', toCorrect, '--min-gap', '0s');
    expect([code, data.run.campaign, data.counts.published]).toEqual([0, 'week', 7]);
    expect(titles()).toHaveLength(36);
    rows = rows.map((row) => ({ ...row, title: row.title.replace('Broken', 'Mended') }));
  });

  it('from another folder, under another name, and after Temporal forgot everything: nothing goes twice', async () => {
    await mkdir(machine.path('elsewhere'));
    const renamed = join('elsewhere', 'week-final (2).csv');
    await writeSheet(machine.path(renamed), rows);
    expect((await json('run', renamed, '--campaign', 'week')).code).toBe(0);
    const temporal = (await readdir(machine.home, { recursive: true })).filter((name) =>
      /temporal\.sqlite/u.test(name),
    );
    expect(temporal).not.toEqual([]);
    for (const name of temporal) await rm(join(machine.home, name), { force: true });
    const { code, data } = await json('run', renamed, '--campaign', 'week');
    expect([code, data.counts.published]).toEqual([0, 29]);
    expect(titles()).toHaveLength(36);
    expect(new Set(titles()).size).toBe(36);
  });

  it('“what went out since yesterday?” has every video once, with its id', async () => {
    const { data } = await json('results', '--since', '1d', '--state', 'published');
    const out = data.rows as { title: string; publication_id: string }[];
    expect(out.map(({ title }) => title).sort()).toEqual(rows.map(({ title }) => title).sort());
    expect(new Set(out.map((row) => row.publication_id)).size).toBe(29);
  });
});
