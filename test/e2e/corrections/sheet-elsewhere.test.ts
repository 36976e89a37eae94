import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processesNaming, UserMachine } from '../support/cli-process';

jest.setTimeout(600_000);

let machine: UserMachine;
beforeEach(async () => (machine = await UserMachine.create()));
afterEach(async () => {
  const left = await processesNaming(machine.folder);
  await machine.remove();
  expect(left).toEqual([]);
});

const HEADER = 'title,source,platform,privacy\n';

function row(title: string, file: string, platform = 'long'): string {
  return `${title},clips/${file}.mp4,${platform},private\n`;
}

async function clips(...names: string[]): Promise<void> {
  await mkdir(machine.path('clips'), { recursive: true });
  const clip = join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4');
  for (const [index, name] of names.entries()) {
    await copyFile(clip, machine.path(`clips/${name}.mp4`));
    // Files of one size and one modification time would be taken for one that was renamed.
    await utimes(machine.path(`clips/${name}.mp4`), 1_700_000_000, 1_700_000_000 + index);
  }
}

async function correct(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

/** The words of a printed command, without the program's name. */
function printed(text: string, pattern: RegExp): string[] {
  const [, words = ''] = pattern.exec(text) ?? [];
  expect(words).not.toBe('');
  return [...words.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

async function sent(): Promise<{ key: string; state: string; attempts: number }[]> {
  const { stdout } = await machine.here(['results', 'rel', '--sandbox', '-o', 'json']);
  const { rows } = JSON.parse(stdout) as { rows: { key: string; state: string; attempts: number }[] };
  return rows.map(({ key, state, attempts }) => ({ key, state, attempts }));
}

test('rows that were left out are corrected in rejected.csv, where their relative paths still name the same files', async () => {
  await clips('f1', 'f2', 'f3');
  // The second row names a platform that isn't there, the third a file.
  const manifest = machine.path('rel.csv');
  await writeFile(manifest, HEADER + row('One', 'f1') + row('Two', 'f2', 'lnog') + row('Three', 'f33'));
  const first = await machine.run(['run', 'rel.csv', '--sandbox', '--skip-invalid']);
  expect(first.code).toBe(5);
  const command = printed(first.stderr, /reelay (run \S*rejected\.csv .*)/u);
  const rejected = command[1] ?? '';
  await correct(rejected, 'lnog', 'long');
  await correct(rejected, 'f33', 'f3');
  const second = await machine.run(command);
  expect(second.code === 0 ? '' : second.stderr).toBe('');
  const published = ['clips/f1.mp4', 'clips/f2.mp4', 'clips/f3.mp4'].map((key) => ({
    ...{ key, state: 'published', attempts: 1 },
  }));
  expect((await sent()).sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(published);

  await writeFile(manifest, HEADER + row('One', 'f1') + row('Two', 'f2') + row('Three', 'f3'));
  expect(await machine.run(['run', 'rel.csv', '--sandbox'])).toMatchObject({ code: 0 });
  expect(await sent()).toEqual(published);
});

test.each(['csv', 'xlsx'])(
  'failed rows are corrected in a %s in another folder, where their relative paths still name the same files',
  async (format) => {
    await clips('f1', 'f2');
    const manifest = machine.path('rel.csv');
    await writeFile(manifest, HEADER + row('One', 'f1') + row('Two', 'f2'));
    const fault = ['--fault', 'create title="Two" times=1 -> outcome failed'];
    expect(await machine.run(['run', 'rel.csv', '--sandbox', ...fault])).toMatchObject({ code: 5 });
    const out = `out/fix.${format}`;
    const results = ['results', 'rel', '--sandbox', '--state', 'failed,rejected', '-o', format, '--out', out];
    const wrote = await machine.here(results);
    if (format === 'csv') await correct(machine.path(out), 'Two,', 'Two anew,');
    const command = printed(wrote.stderr, /reelay (run out\/fix.*)/u);
    const corrected = await machine.run(format === 'csv' ? command : ['check', ...command.slice(1)]);
    expect(corrected.code === 0 ? '' : corrected.stderr).toBe('');
    if (format === 'xlsx') return;
    const published = [
      { key: 'clips/f1.mp4', state: 'published', attempts: 1 },
      { key: 'clips/f2.mp4', state: 'published', attempts: 2 },
    ];
    expect(await sent()).toEqual(published);
    await machine.run(['run', 'rel.csv', '--sandbox', '--accept-differences']);
    expect(await sent()).toEqual(published);
  },
);
