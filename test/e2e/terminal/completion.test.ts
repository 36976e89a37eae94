import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { completionScript } from '../../../cli/commands/operate/completion/scripts';
import { commandTree } from '../../../cli/commands/operate/completion/command-tree';
import { ROW_STATES } from '../../../ledger/model/states';
import { buildProgram } from '../../../cli/program';
import { Bench, entry, submission } from '../../ledger/support';
import { Terminal, tmuxIsThere } from '../../support/tmux';
import { until } from '../support/cli-process';

jest.setTimeout(600_000);

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'cli', 'main.js');

/**
 * Keys and a profile as someone else's sheet or the service may have them: each would do something if a shell
 * interpreted it.
 */
const HOSTILE = ['$(touch pwned)', '`touch pwned`', "it's; touch pwned", 'a\u001b]0;pwned\u0007b', '"; touch pwned; "'];
const KEYS = ['ep 1', 'ep-2', 'https://media.example/a.mp4?v=1&w=2', '🎬-take-1', '🎬-take-2', ...HOSTILE];

let bench: Bench;

beforeAll(async () => {
  bench = new Bench();
  bench.time = Date.now();
  await bench.open();
  const rows = KEYS.map((key, position) => entry(position, key, { values: { source: `https://media.example/${String(position)}.mp4`, profileName: 'Garden $(touch pwned)' } })); // prettier-ignore
  await bench.begin(submission(rows));
  await bench.begin(submission([entry(0, 'x', { values: { source: 'https://media.example/x.mp4', profileId: 'p-2', profileName: 'Kitchen' } })], { campaign: 'autumn', path: '/manifests/autumn.csv' })); // prettier-ignore
  await bench.ledger.firings.keep('weekly', 'ana@desk');
  const tree = commandTree(
    buildProgram(async () => undefined, process),
    ROW_STATES,
  );
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(join(bench.folder, `reelay.${shell}`), completionScript(shell, tree));
  writeFileSync(join(bench.folder, 'reelay'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => bench.close());
/** Of the test under way; one that timed out leaves it open. */
let terminal: Terminal | null = null;
// Whatever is completed, nothing of a name is run.
afterEach(() => {
  terminal?.close();
  terminal = null;
  expect(existsSync(join(bench.folder, 'pwned'))).toBe(false);
});

const environment = (): Record<string, string> => ({
  PATH: `${bench.folder}:${process.env.PATH ?? ''}`,
  HOME: bench.folder,
  REELAY_HOME: dirname(bench.path),
  LC_ALL: 'C.UTF-8',
});

function inShell(shell: string, args: readonly string[]): string[] {
  const { stdout } = spawnSync(shell, args, { encoding: 'utf8', cwd: bench.folder, env: environment() });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('reelay complete', () => {
  it.each<[string[], string[]]>([
    [['run'], ['autumn', 'autumn.1', 'latest', 'spring', 'spring.1']],
    [['campaign'], ['autumn', 'spring']],
    [['schedule'], ['weekly']],
    [['channel', '--of=autumn'], ['Kitchen · long']],
    [
      ['key', '--of=spring.1', '--begins=ep'],
      ['ep 1', 'ep-2'],
    ],
    [['key', '--of=spring', "--begins='ep "], ['ep 1']],
    [['key', '--of=spring', '--begins=ep\\ '], ['ep 1']],
    [['key', '--of=spring', '--begins=🎬-take-2'], ['🎬-take-2']],
    [['key', '--of=spring', '--begins=a'], []],
    [['key', '--of=nothing'], []],
    [['run', '--home=/nonexistent'], []],
    [['run', '--config=/nonexistent.yaml'], []],
  ])('%j names %j, and nothing else', (args, names) => {
    const { status, stdout, stderr } = spawnSync(join(bench.folder, 'reelay'), ['complete', ...args], {
      encoding: 'utf8',
      env: environment(),
    });
    expect([
      status,
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .sort(),
      stderr,
    ]).toEqual([0, names, '']);
  });
});

describe('completion in bash', () => {
  /** What stands at the prompt for a line, as words that the shell would hand over. */
  function completed(line: string): string[] {
    // Breaks words as readline does.
    const words = line.split(/(\s+|[:=])/u).filter((word) => word !== '' && !/^\s+$/u.test(word));
    if (/\s$/u.test(line)) words.push('');
    const script = `source "$1"; COMP_LINE="$2"; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=\${#COMP_LINE}; _reelay
      for one in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $one"; done`;
    return inShell('bash', ['--norc', '-c', script, 'bash', join(bench.folder, 'reelay.bash'), line, ...words]);
  }

  it.each<[string, string[]]>([
    ['reelay status ', ['autumn', 'autumn.1', 'spring', 'spring.1', 'latest']],
    ['reelay status spring.', ['spring.1']],
    ['reelay list --campaign sp', ['spring']],
    ['reelay list --campaign=sp', ['spring']],
    ['reelay schedule show ', ['weekly']],
    ['reelay results spring --state fa', ['failed']],
    ['reelay retry spring --state ', ['failed', 'rejected', 'overdue']],
    ['reelay cancel autumn --channel ', ['Kitchen · long']],
    ['reelay cancel spring --channel ', ['Garden $(touch pwned) · long']],
    ['reelay resolve spring ep', ['ep 1', 'ep-2']],
    ['reelay resolve spring 🎬-', ['🎬-take-1', '🎬-take-2']],
    ['reelay resolve spring https://med', ['//media.example/a.mp4?v=1&w=2']],
    ['reelay status --home /nonexistent ', []],
  ])('%j offers %j', (line, offered) => {
    expect(completed(line)).toEqual(offered);
  });

  it('offers names that a shell would act on as one word each, and none that acts on the terminal', () => {
    const offered = completed('reelay resolve spring ');
    expect(offered.sort()).toEqual(KEYS.filter((key) => !key.includes('\u001b')).sort());
  });
});

const inTmux = tmuxIsThere ? it : it.skip;
inTmux('bash at a prompt completes a hostile key to one word, and runs nothing', async () => {
  const env = { ...environment(), PS1: '> ' };
  const shell = new Terminal(`bash --norc -i`, { columns: 200, env });
  terminal = shell;
  await until(() => shell.screen().some((line) => line.startsWith('>')));
  shell.type(`cd ${bench.folder}; source reelay.bash; printf '[%s]' ready`);
  shell.press('Enter');
  await until(() => shell.screen().some((line) => line.startsWith('[ready]')));
  shell.type('reelay resolve spring \\$');
  shell.press('Tab');
  await until(() => shell.screen().some((line) => line.includes('\\$\\(touch\\ pwned\\)')));
  shell.press('Home');
  shell.type("printf '[%s]' ");
  shell.press('Enter');
  await until(() => shell.screen().some((line) => line.startsWith('[reelay][resolve][spring][$(touch pwned)]')));
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit']).status === 0;

(tmuxIsThere && has('zsh') ? it : it.skip)('zsh at a prompt completes runs and a hostile key', async () => {
  const shell = new Terminal('zsh -f -i', { columns: 200, env: environment() });
  terminal = shell;
  const shows = (text: string) => until(() => shell.screen().some((line) => line.includes(text)));
  await until(() => shell.screen().length > 0);
  shell.type(`cd ${bench.folder}; PS1='> '; autoload -U compinit; compinit -u; source reelay.zsh; printf '[%s]' ready`);
  shell.press('Enter');
  await until(() => shell.screen().some((line) => line.startsWith('[ready]')));
  shell.type('reelay status sp');
  shell.press('Tab');
  await shows('reelay status spring');
  shell.type('.');
  shell.press('Tab');
  await shows('reelay status spring.1');
  shell.press('C-u');
  shell.type('reelay resolve spring \\$');
  shell.press('Tab');
  await shows('\\$\\(touch\\ pwned\\)');
});

(has('fish') ? it : it.skip).each<[string, string[]]>([
  ['reelay status sp', ['spring', 'spring.1']],
  ['reelay results spring --state fa', ['failed']],
  ['reelay schedule show w', ['weekly']],
  ['reelay cancel autumn --channel K', ['Kitchen · long']],
  ['reelay resolve spring ep', ['ep 1', 'ep-2']],
  ['reelay resolve spring \\$', ['$(touch pwned)']],
])('fish offers for %j: %j', (line, offered) => {
  const script = 'source $argv[1]; complete -C $argv[2]';
  const lines = inShell('fish', ['--no-config', '-c', script, join(bench.folder, 'reelay.fish'), line]);
  // After a tab stands what the flag is for.
  expect(lines.map((one) => one.split('\t')[0])).toEqual(offered);
});
