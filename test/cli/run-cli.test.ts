import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { noteHome, placeFlags, withPlace } from '../../cli/terminal/texts/command-text';
import { commandText, shellWord } from '../../wording/shell';
import { buildProgram } from '../../cli/program';
import { askedFormat, runCli } from '../../cli/run-cli';
import { CapturedStream } from './capture';

const cli = async (...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const code = await runCli(argv, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reelay-cli-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

describe('the command line', () => {
  test('help starts with examples, lists every command and the exit codes, and ends with 0', async () => {
    const { code, stdout, stderr } = await cli('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.startsWith('Examples:')).toBe(true);
    for (const name of 'init run check plan submit watch status list results cancel worker up sandbox schema'.split(
      ' ',
    )) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
    expect(stdout).toMatch(/^ +130 {2}interrupted$/m);
  });

  test('help fits 80 columns, of all commands, their groups and each of them', async () => {
    const every = buildProgram(async () => undefined, { stdout: new CapturedStream(), stderr: new CapturedStream() });
    const wide: string[] = [];
    const look = async (...words: string[]): Promise<void> => {
      const { stdout } = await cli(...words, '--help');
      wide.push(...stdout.split('\n').filter((line) => stringWidth(line) > 80));
    };
    await look();
    for (const command of every.commands) {
      await look(command.name());
      for (const inner of command.commands) await look(command.name(), inner.name());
    }
    expect(wide).toEqual([]);
  });

  test('schedule without an action shows its help', async () => {
    const { code, stdout } = await cli('schedule');
    expect([code, stdout]).toEqual([2, (await cli('schedule', '--help')).stdout]);
    expect(stdout).toContain('schedule create weekly');
    const data = await cli('schedule', '-o', 'json');
    expect([data.code, JSON.parse(data.stdout).error.message]).toEqual([2, 'schedule needs an action']);
  });

  test('help for an unknown command is a usage error with the nearest name', async () => {
    const { code, stdout, stderr } = await cli('help', 'pln');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('unknown command “pln”');
    expect(stderr).toContain('Did you mean plan?');
    expect((await cli('help', 'plan')).code).toBe(0);
    // A guess that is no better than any other is none.
    expect((await cli('help', 'nope')).stderr).not.toContain('Did you mean');
  });

  test('an unknown word after a group is reported with the nearest of its commands', async () => {
    const { code, stderr } = await cli('publications', 'lst');
    expect(code).toBe(2);
    expect(stderr).toContain('unknown command “publications lst”');
    expect(stderr).toContain('Did you mean publications list?');
  });

  test.each([
    ['resume', 'unpause'],
    ['triger', 'trigger'],
  ])('schedule %s suggests the action that was meant', async (word, meant) => {
    const { code, stderr } = await cli('schedule', word, 'weekly');
    expect(code).toBe(2);
    expect(stderr).toContain(`“${word}” is not an action of schedule\n  Did you mean ${meant}? One of: create, `);
  });

  test('several manifests, and the sheet of a YAML beside it, are recognised as such', async () => {
    const several = await cli('run', 'one.csv', 'two.csv', '--sandbox');
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('run takes one manifest at a time')]);
    const sheet = join(__dirname, '..', '..', 'manifests', 'examples', 'with-sheet.csv');
    const refused = await cli('run', sheet, '--sandbox', '--home', home);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('with-sheet.yaml beside it reads this sheet');
  });

  test('commands that an error names are for the sandbox where it was asked for', async () => {
    const missing = ['status', 'nosuch', '--home', home];
    expect((await cli(...missing, '--sandbox')).stderr).toContain(`\`reelay run MANIFEST --sandbox --home ${home}\``);
    expect((await cli(...missing)).stderr).toContain(`\`reelay run MANIFEST --home ${home}\``);
    noteHome(undefined);
    expect(withPlace('`reelay list` or `reelay up --sandbox`; see `reelay publications --help`', true)).toBe(
      '`reelay list --sandbox` or `reelay up --sandbox`; see `reelay publications --help`',
    );
  });

  test('commands that are shown are for the home that was named by a flag, quoted as a shell needs', async () => {
    const own = join(home, "Ada's home");
    expect((await cli('status', 'nosuch', '--home', own)).stderr).toContain(
      `\`reelay run MANIFEST --home ${shellWord(own)}\``,
    );
    const place = `--sandbox --home ${shellWord(own)}`;
    expect(placeFlags(true)).toBe(` ${place}`);
    expect(withPlace(`\`reelay up\` or \`reelay list --home /x\``, true)).toBe(
      `\`reelay up ${place}\` or \`reelay list --home /x --sandbox\``,
    );
    // The next command line names none.
    await cli('--version');
    expect(placeFlags(false)).toBe('');
  });

  test('faults are ordered of the sandbox alone', async () => {
    const { code, stderr } = await cli('run', 'spring.csv', '--home', home, '--fault', 'create nth=2 -> lost');
    expect(code).toBe(2);
    expect(stderr).toContain('--fault is for the sandbox');
  });

  test('a command is shown with shell quoting', () => {
    const argv = ['run', "Ada's sheet.csv", '--sandbox', '--limit', '3', '--key=ep 1', '--column=A b=title'];
    expect(commandText(argv)).toBe(
      "reelay run 'Ada'\\''s sheet.csv' --sandbox --limit 3 --key='ep 1' --column='A b=title'",
    );
  });

  test.each('init run check plan submit watch status list results cancel worker up sandbox schema'.split(' '))(
    '%s has a help with examples first, takes -o and no flag for a secret',
    async (name) => {
      const { code, stdout } = await cli(name, '--help');
      expect(code).toBe(0);
      expect(stdout.startsWith(`Examples:\n  $ reelay ${name}`)).toBe(true);
      expect(stdout).toContain('-o, --output <format>');
      expect(stdout).not.toMatch(/--(api-key|token|password)/);
    },
  );

  test('an unknown command is a usage error with a suggestion, on standard error', async () => {
    const { code, stdout, stderr } = await cli('chekc');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("error: unknown command 'chekc'\n  Did you mean check?\n");
  });

  test('--out, which plan doesn’t have, is answered with how its answer is written to a file', async () => {
    const { code, stderr } = await cli('plan', 'spring.csv', '--out', 'plan.html');
    expect([code, stderr]).toEqual([
      2,
      "error: unknown option '--out'\n  The answer goes to standard output: redirect it, as in `-o html > plan.html`.\n",
    ]);
  });

  test('an unknown flag is one as well, as data where JSON is asked for', async () => {
    const { code, stdout, stderr } = await cli('run', 'x.csv', '--limt', '3', '-o', 'json');
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      error: { code: 'usage', message: "unknown option '--limt'", hint: 'Did you mean --limit?' },
    });
  });

  test.each([
    [['check'], /missing required argument/],
    [['list', '-o', 'xml'], /xml/],
    [['run', 'x.csv', '--prune', '--keep'], /--keep/],
    [['run', 'x.csv', '--limit', '0'], /whole number/],
    [['run', 'x.csv', '--timeout', '90'], /not a duration/],
    [['list', '--limit', 'many'], /whole number/],
    [['results', 'spring', '--since', '7d'], /not both/],
    [['results', 'spring', '--all'], /not both/],
    [['results', '--all', '--since', '7d'], /not both/],
    [['results', '--state', 'lost'], /not a state/],
    [['results', '--since', 'yesterday'], /neither a duration nor a date/],
    [['init', '--key-env', 'sk-123', '--base-url', 'https://x.example'], /name of an environment variable/],
    [[], /no command given/],
  ])('%j is refused with exit code 2', async (argv, words) => {
    const { code, stderr } = await cli(...argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('sk-123');
  });

  test('a run without a key ends with 2 and names the variable, before anything is started', async () => {
    const { code, stdout } = await cli(
      'run',
      'x.csv',
      '--home',
      home,
      '--config',
      join(home, 'none.yaml'),
      '-o',
      'json',
    );
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('config-file');
    const { REELAY_API_KEY: kept } = process.env;
    delete process.env.REELAY_API_KEY;
    const second = await cli('run', 'x.csv', '--home', home, '-o', 'json');
    if (kept !== undefined) process.env.REELAY_API_KEY = kept;
    expect(second.code).toBe(2);
    expect(JSON.parse(second.stdout).error).toMatchObject({
      code: 'no-api-key',
      message: expect.stringContaining('REELAY_API_KEY'),
    });
  });

  test('looking at runs where there are none makes no ledger', async () => {
    expect(await cli('list', '--home', home, '-o', 'json')).toMatchObject({
      code: 0,
      stdout: '{\n  "version": 1,\n  "runs": []\n}\n',
    });
    const { code, stdout } = await cli('status', '--home', home, '-o', 'json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('no-runs');
  });

  test.each([
    [['list', '-o', 'json'], 'json'],
    [['list', '-ojsonl'], 'jsonl'],
    [['--output=json', 'list'], 'json'],
    [['check', '--', '-o', 'json'], 'text'],
    [['results', '-o', 'csv'], 'text'],
  ])('%j asks for errors as %s', (argv, format) => {
    expect(askedFormat(argv)).toBe(format);
  });
});
