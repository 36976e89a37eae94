import { spawn } from 'node:child_process';
import { join } from 'node:path';

jest.setTimeout(900_000);

const ROOT = join(__dirname, '..', '..');

describe('npm run chaos', () => {
  it.each([
    ['titles shown,whole run', 5],
    ['schedule', 2],
  ])('publishes no row twice and loses none, whatever is killed: %s', async (only, kills) => {
    const args = ['chaos/main.ts', '--rows', '200', '--kills', '8', '--seed', '11', '--only', only];
    const chaos = spawn(process.execPath, ['--import', 'tsx', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    chaos.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    chaos.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise((resolve) => chaos.once('close', resolve));
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/\nduplicates 0, lost 0\n$/u),
      expect.any(String),
    ]);
    expect(stderr.match(/ kill \d+:/gu)?.length).toBeGreaterThanOrEqual(kills);
  });
});
