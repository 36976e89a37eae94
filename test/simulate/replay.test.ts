import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

jest.setTimeout(300_000);

const ROOT = join(__dirname, '..', '..');

function simulate(...args: string[]): string {
  const command = ['--import', 'tsx', 'simulate/main.ts', '--processes', '1', ...args];
  return execFileSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** Of each seed: what its trace comes to. */
function hashesIn(output: string): Map<string, string> {
  return new Map(
    [...output.matchAll(/^simulate: seed (\d+), \d+ steps, trace ([0-9a-f]{16})$/gmu)].map((found) => [
      found[1]!,
      found[2]!,
    ]),
  );
}

describe('a simulation', () => {
  it('replays exactly, whatever was played before it', () => {
    const together = hashesIn(simulate('--from', '101', '--seeds', '6', '--trace'));
    expect(together.size).toBe(6);
    expect(hashesIn(simulate('--from', '104', '--seeds', '3', '--trace')).get('105')).toBe(together.get('105'));
    expect(hashesIn(simulate('--seed', '106')).get('106')).toBe(together.get('106'));
  });

  it('prints its trace', () => {
    const story = simulate('--seed', '3', '--trace');
    expect(story).toContain('operator: submits campaign-0');
    expect(story).toMatch(/service: takes POST \/v1\/publications/u);
    expect(story).toMatch(/worker-\d\.1: record row/u);
  });
});
