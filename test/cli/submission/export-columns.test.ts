import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../cli/run-cli';
import { CapturedStream } from '../capture';

const FILE = join(__dirname, '..', '..', 'manifests', 'exports', 'publer.csv');
const before = { ...process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-export-'));
  Object.assign(process.env, { REELAY_HOME: folder, REELAY_BASE_URL: 'http://127.0.0.1:9', REELAY_API_KEY: 'a-key' });
});
afterEach(async () => {
  process.env = { ...before };
  await rm(folder, { recursive: true, force: true });
});

async function cli(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const code = await runCli(args, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

interface Refusal {
  error: { code: string; hint: string };
  problems: { code: string; message: string }[];
}

describe('a file of another tool, without a terminal', () => {
  it.each(['check', 'plan', 'submit', 'run'])(
    'is refused by %s with the whole command that reads it',
    async (command) => {
      const { code, stdout } = await cli(command, FILE, '--timezone', 'Europe/Berlin', '-o', 'json');
      const { error, problems } = JSON.parse(stdout) as Refusal;
      expect([code, error.code, problems.map((one) => one.code)]).toEqual([3, 'manifest-refused', ['export-format']]);
      expect(problems[0]?.message).toContain('Publer');
      expect(error.hint).toContain(`reelay ${command} ${FILE} --timezone Europe/Berlin -o json --column '`);
    },
  );

  it('says what else has to be given, unless it is', async () => {
    const hintOf = async (...args: string[]): Promise<string> => {
      const { stdout } = await cli('check', FILE, '-o', 'json', ...args);
      return (JSON.parse(stdout) as { problems: { hint: string }[] }).problems[0]?.hint ?? '';
    };
    const hint = await hintOf();
    expect(hint).toContain('for example --default platform=short --default profile=NAME.');
    expect(hint).toContain('--timezone Europe/Berlin');
    const less = await hintOf('--default', 'platform=long', '--timezone', 'UTC');
    expect(less).toContain('It has no profile: add the column, or for example --default profile=NAME.');
    expect(less).not.toMatch(/timezone|platform=/u);
  });

  it('is refused with a command that confirms nothing', async () => {
    const { stdout } = await cli('run', FILE, '--yes', '--uncancel', '-o', 'json');
    expect((JSON.parse(stdout) as Refusal).error.hint).toContain(`reelay run ${FILE} -o json --column '`);
  });

  it('is read by that command, as a shell takes it', async () => {
    const { stderr } = await cli('check', FILE, '--timezone', 'UTC');
    const [, command = ''] = /: (reelay check .*)/u.exec(stderr) ?? [];
    const words = execFileSync('bash', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });
    const [reelay, ...args] = words.split('\n').slice(0, -1);
    expect(reelay).toBe('reelay');
    const again = await cli(...args, '-o', 'json');
    const codes = (JSON.parse(again.stdout) as Refusal).problems.map(({ code }) => code);
    expect(codes).not.toContain('export-format');
    expect(codes).not.toContain('column-unknown');
    expect(codes).not.toContain('columns-setting');
  });

  it('is read as it is where the configuration maps its columns', async () => {
    const config = join(folder, 'reelay.config.yaml');
    await writeFile(config, 'defaults: {platform: short, profile: Garden}\ncolumns: {Text: title}\ntimezone: UTC\n');
    const csv = join(folder, 'spring.csv');
    await writeFile(csv, readFileSync(FILE, 'utf8'));
    const { stdout } = await cli('check', csv, '--config', config, '-o', 'json');
    expect((JSON.parse(stdout) as Refusal).problems.map(({ code }) => code)).not.toContain('export-format');
  });
});
