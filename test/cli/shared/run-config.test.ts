import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { CapturedStream } from '../capture';
import { Bench, entries, submission } from '../../ledger/support';

let bench: Bench;
let folder: string;
let config: string;

/** A run without a running worker, submitted in a folder with a config. */
async function begin(how: Parameters<typeof submission>[1] = {}): Promise<void> {
  const path = join(folder, 'spring.csv');
  await writeFile(path, '');
  await bench.begin(submission(entries('ep-1', 'ep-2'), { given: [], config, ...how, path }));
}

beforeEach(async () => {
  bench = await new Bench().open();
  folder = join(bench.folder, 'my campaigns');
  await mkdir(folder, { mode: 0o700 });
  config = join(folder, 'reelay.config.yaml');
  await writeFile(config, 'base_url: https://service.example\n', { mode: 0o600 });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await bench.close();
});

/** What a command suggests in a folder: the words of each command as a shell takes them, without those about the home. */
async function next(from: string, ...args: string[]): Promise<string[][]> {
  jest.spyOn(process, 'cwd').mockReturnValue(from);
  const stdout = new CapturedStream();
  const home = dirname(bench.path);
  expect(await runCli([...args, '--home', home, '-o', 'json'], { stdout, stderr: new CapturedStream() })).toBe(0);
  return (JSON.parse(stdout.text) as { next: string[] }).next.map((command) => {
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });
    return words.trimEnd().replace(`\n--home\n${home}`, '').split('\n');
  });
}

test('commands for a run name its config in a folder where another one, or none, is found', async () => {
  await begin();
  expect(await next(folder, 'status', 'spring')).toEqual([
    ['reelay', 'run', 'spring.csv'],
    ['reelay', 'up'],
  ]);
  const named = [
    ['reelay', 'run', join(folder, 'spring.csv'), '--config', config],
    ['reelay', 'up', '--config', config],
  ];
  const elsewhere = join(bench.folder, 'elsewhere');
  await mkdir(elsewhere);
  expect(await next(elsewhere, 'status', 'spring')).toEqual(named);
  await writeFile(join(elsewhere, 'reelay.config.yaml'), 'base_url: https://another.example\n', { mode: 0o600 });
  expect(await next(elsewhere, 'status', 'spring')).toEqual(named);
  // One that the command names counts more.
  const own = join(elsewhere, 'own.yaml');
  await writeFile(own, 'base_url: https://another.example\n');
  expect((await next(folder, 'status', 'spring', '--config', own)).at(-1)).toEqual(['reelay', 'up', '--config', own]);
});

test('a config that was named by a flag is named once', async () => {
  const path = join(folder, 'own.yaml');
  await writeFile(path, 'base_url: https://service.example\n');
  await begin({
    given: [
      ['--late', 'publish'],
      ['--config', path],
    ],
    config: path,
  });
  expect(await next(folder, 'status', 'spring')).toEqual([
    ['reelay', 'run', 'spring.csv', '--late', 'publish', '--config', path],
    ['reelay', 'up', '--config', path],
  ]);
});

test('a config that is gone, or that others can write to, is not named', async () => {
  await begin();
  await chmod(config, 0o666);
  expect((await next(bench.folder, 'status', 'spring')).flat()).not.toContain('--config');
  await rm(config);
  expect((await next(bench.folder, 'status', 'spring')).flat()).not.toContain('--config');
});
