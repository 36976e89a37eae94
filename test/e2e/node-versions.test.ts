import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UserMachine } from './support/cli-process';

jest.setTimeout(600_000);

const SPRING = join(__dirname, '..', '..', 'manifests', 'examples', 'spring.csv');
const execute = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-node-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The program of a Node.js version, as npm has it. */
async function nodeOf(major: number): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  await execute('npm', [
    'install',
    '--no-save',
    '--no-audit',
    '--prefix',
    join(folder, String(major)),
    `${name}@${major}`,
  ]);
  return join(folder, String(major), 'node_modules', name, 'bin', 'node');
}

it.each([22, 24])(
  'on Node.js %i a campaign is published, a workbook written, and nothing deprecated warned of',
  async (major) => {
    const node = await nodeOf(major);
    const machine = await UserMachine.create({}, node);
    try {
      const { stdout: version } = await execute(node, ['--version']);
      expect(version).toMatch(new RegExp(`^v${major}\\.`, 'u'));
      const ran = await machine.run(['run', SPRING, '--sandbox', '-o', 'json']);
      expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringMatching(/DeprecationWarning|ExperimentalWarning/u)]);
      const results = await machine.run(['results', 'spring', '--sandbox', '-o', 'json']);
      const { rows } = JSON.parse(results.stdout) as { rows: { state: string }[] };
      expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['published']));
      expect(rows).toHaveLength(18);
      expect((await machine.run(['results', 'spring', '--sandbox', '--out', machine.path('all.xlsx')])).code).toBe(0);
      expect((await machine.acceptedBySandbox()).size).toBe(18);
      // The workbook is read again.
      const checked = await machine.run(['check', machine.path('all.xlsx')]);
      expect([checked.code, checked.stderr]).toEqual([0, expect.any(String)]);
    } finally {
      await machine.remove();
    }
  },
);
