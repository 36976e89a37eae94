import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * How long README's first command takes for someone who has nothing yet, and how large what it installs is: `npm run
 * bench:first`. In a clone of the last commit, with a home and caches of its own, all of them empty (npm, pip and the
 * Temporal executable), so it needs the network.
 */
const ROOT = join(__dirname, '..');

/** Exactly as README has it: its first block of commands. */
function firstCommand(): string {
  const [, command = ''] = /```sh\n([^]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  if (command.trim() === '') throw new Error('README has no block of commands');
  return command.trim();
}

/** Without the settings of reelay and Temporal, and without a `temporal` that would be used instead of a download. */
function environment(folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:REELAY|TEMPORAL|npm_(?!config_registry))/.test(name),
  );
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((one) => !existsSync(join(one, 'temporal')) && !one.startsWith(ROOT));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    npm_config_cache: join(folder, 'npm'),
    PIP_CACHE_DIR: join(folder, 'pip'),
    REELAY_CACHE: join(folder, 'cache'),
    REELAY_HOME: join(folder, 'home'),
  };
}

function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): void {
  // The data of the command isn't the result of the measurement.
  const { status, error } = spawnSync(program, args, { ...options, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ended with ${String(status ?? error)}`);
}

function bytesOf(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'reelay-bench-'));
  try {
    const clone = join(folder, 'reelay');
    run('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone]);
    const command = firstCommand();
    const began = performance.now();
    run('sh', ['-c', command], { cwd: clone, env: environment(folder) });
    const seconds = (performance.now() - began) / 1_000;
    console.log(command);
    console.log(`${seconds.toFixed(1)} s`);
    console.log(`node_modules: ${String(bytesOf(join(clone, 'node_modules')))} bytes`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main();
