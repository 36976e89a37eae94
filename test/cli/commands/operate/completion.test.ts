import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completionScript } from '../../../../cli/commands/operate/completion/scripts';
import { desktopOpener } from '../../../../cli/terminal/desktop';
import { runCli } from '../../../../cli/run-cli';
import { webUiCampaigns, webUiRun } from '../../../../cli/stack/web-ui';
import { CapturedStream } from '../../capture';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-completion-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function scriptOf(shell: string): Promise<string> {
  const stdout = new CapturedStream();
  expect(await runCli(['completion', shell], { stdout, stderr: new CapturedStream() })).toBe(0);
  return stdout.text;
}

describe('completion in bash', () => {
  let path: string;
  beforeEach(async () => {
    path = join(folder, 'reelay.bash');
    await writeFile(path, await scriptOf('bash'));
    // Replaces the command where the script asks it for runs.
    await writeFile(
      join(folder, 'reelay'),
      '#!/bin/sh\ncase "$*" in *--sandbox) printf "trial.1\\n";; *) printf "spring.2\\nautumn.1\\n";; esac\n',
      { mode: 0o755 },
    );
    await writeFile(join(folder, 'my clips.csv'), '');
  });

  const complete = (...words: string[]): string[] =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        'source "$0"; COMP_WORDS=("$@"); COMP_LINE="$*"; COMP_LINE="${COMP_LINE/ = /=}"; COMP_CWORD=$(($# - 1)); $(complete -p reelay | sed "s/.*-F \\([^ ]*\\).*/\\1/"); printf "%s\\n" "${COMPREPLY[@]}"',
        path,
        'reelay',
        ...words,
      ],
      { encoding: 'utf8', cwd: folder, env: { PATH: `${folder}:${process.env.PATH ?? ''}` } },
    )
      .split('\n')
      .filter((word) => word !== '');

  test.each<[string[], string[]]>([
    [['re'], ['results', 'recheck', 'retry', 'resolve', 'resume']],
    [
      ['run', '--o'],
      ['--output', '--out'],
    ],
    [['results', '-o', 'c'], ['csv']],
    [['results', '--output', '=', 'h'], ['html']],
    [
      ['status', ''],
      ['spring.2', 'autumn.1'],
    ],
    [
      ['watch', '--timeout', '2h', ''],
      ['spring.2', 'autumn.1'],
    ],
    [['status', '--sandbox', ''], ['trial.1']],
    [['check', 'my'], ['my clips.csv']],
    [['results', 'spring', '--out', 'my'], ['my clips.csv']],
    [['ledger', 'b'], ['backup']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['results', '--state', 'f'], ['failed']],
    [['results', '--profile', 'f'], []],
  ])('reelay %j offers %j', (words, offered) => {
    const expected = words.includes('--o') ? expect.arrayContaining(['--output']) : offered;
    expect(complete(...words)).toEqual(expected);
  });

  test('every command and every flag of the program is offered', async () => {
    const names = complete('');
    expect(names.length).toBeGreaterThan(20);
    for (const name of names.filter((one) => /^[a-z]/.test(one) && one !== 'help')) {
      const stdout = new CapturedStream();
      await runCli([name, '--help'], { stdout, stderr: new CapturedStream() });
      const [, options = ''] = stdout.text.split('Options:\n');
      const flags = [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]);
      expect({ name, flags: complete(name, '--').sort() }).toEqual({ name, flags: flags.sort() });
    }
  });
});

test('the scripts of zsh and fish name every command, and quote what a description may hold', async () => {
  const commands = [{ name: 'mend', summary: "it's a \\ thing", arguments: [], flags: [] }];
  expect(completionScript('zsh', commands)).toContain(`'mend:it'\\''s a \\ thing'`);
  expect(completionScript('fish', commands)).toContain(`-a mend -d 'it\\'s a \\\\ thing'`);
  for (const shell of ['zsh', 'fish'])
    for (const name of ['run', 'status', 'doctor']) expect(await scriptOf(shell)).toMatch(new RegExp(`\\b${name}\\b`));
});

describe('the Web UI’s address', () => {
  test('is of one execution where its run is known, and there is none without a Web UI', () => {
    expect(webUiRun('http://ui.example/', 'a b', 'campaign/spring')).toBe(
      'http://ui.example/namespaces/a%20b/workflows/campaign%2Fspring',
    );
    expect(webUiRun('http://ui.example', 'n', 'campaign/spring', 'id-1')).toBe(
      'http://ui.example/namespaces/n/workflows/campaign%2Fspring/id-1/user-metadata',
    );
    expect(webUiRun(null, 'n', 'campaign/spring')).toBeNull();
    expect(webUiCampaigns('http://ui.example/', 'n')).toBe(
      'http://ui.example/namespaces/n/workflows?query=WorkflowType%20%3D%20%22publishCampaign%22',
    );
  });

  test('is opened at a desktop only: not over a network, not in CI', () => {
    expect(desktopOpener({ DISPLAY: ':0' }, 'linux')?.command).toBe('xdg-open');
    expect(desktopOpener({}, 'darwin')?.command).toBe('open');
    expect(desktopOpener({}, 'linux')).toBeNull();
    expect(desktopOpener({ DISPLAY: ':0', CI: 'true' }, 'linux')).toBeNull();
    expect(desktopOpener({ DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }, 'linux')).toBeNull();
  });
});
