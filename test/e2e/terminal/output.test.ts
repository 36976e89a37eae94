import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UserMachine } from '../support/cli-process';

jest.setTimeout(600_000);

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');
const shell = promisify(execFile);

let machine: UserMachine;
beforeEach(async () => (machine = await UserMachine.create({})));
afterEach(() => machine.remove());

const broken = (): Promise<void> =>
  writeFile(machine.path('bad.csv'), `key,title,platform,video_url\n${'a,b,nowhere,ftp://x\n'.repeat(3_000)}`);

test('a reader that has gone takes nothing from the exit code', async () => {
  await broken();
  const command = `node ${MAIN} check bad.csv -o jsonl --home ${machine.home} 2>err | head -n 1 >first; echo "\${PIPESTATUS[0]}"`;
  const { stdout } = await shell('bash', ['-c', command], { cwd: machine.folder });
  expect(stdout.trim()).toBe('3');
  expect(await readFile(machine.path('err'), 'utf8')).not.toContain('at ');
});

test('a full disk behind standard output is one clean error', async () => {
  const { stdout } = await shell('bash', ['-c', `node ${MAIN} schema >/dev/full 2>err; echo $?`], {
    cwd: machine.folder,
  });
  expect(stdout.trim()).toBe('7');
  const said = await readFile(machine.path('err'), 'utf8');
  expect(said).toMatch(/^error: no space left on device/u);
  expect(said).not.toMatch(/\n\s+at /u);
});
