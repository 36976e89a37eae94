import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readManifest } from '../../manifests/read-manifest';
import { type ManifestReading, type PlatformConfig, type ReadOptions } from '../../manifests/types';

export const PLATFORMS: readonly PlatformConfig[] = [
  { name: 'platform_a', kind: 'short' },
  { name: 'platform_b', kind: 'long' },
];
export const NOW = Date.parse('2026-06-01T00:00:00Z');

/** What a file needs to be taken for an MP4. */
export const MP4 = Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('ftypisom'), Buffer.alloc(4)]);

/**
 * Reads a text as a manifest in a folder that has nothing in it, unless `base` says otherwise. Few tests need a profile, so
 * the note on rows without one is left out, unless `defaultChannel` asks for it.
 */
export async function read(
  text: string | Buffer,
  options: Partial<ReadOptions> & { name?: string; base?: string; defaultChannel?: boolean } = {},
): Promise<ManifestReading> {
  const { name = 'spring.csv', base = '/nonexistent', defaultChannel = false, ...rest } = options;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const reading = await readManifest({ text: bytes, name, base }, { platforms: PLATFORMS, now: NOW, ...rest });
  if (defaultChannel) return reading;
  return { ...reading, problems: reading.problems.filter((one) => one.code !== 'profile-default') };
}

export function readYaml(text: string, options: Parameters<typeof read>[1] = {}): Promise<ManifestReading> {
  return read(text, { name: 'spring.yaml', ...options });
}

/** Problems as `severity line column code`, the form the tables of the tests are written in. */
export function list(reading: { problems: ManifestReading['problems'] }): string[] {
  return reading.problems.map(
    ({ severity, line, column, code }) => `${severity} ${line ?? '-'} ${column ?? '-'} ${code}`,
  );
}

export function errors(reading: { problems: ManifestReading['problems'] }): string[] {
  return list(reading).filter((one) => one.startsWith('error'));
}

/**
 * Whether reading a file takes more than ten times the processor's time that an ordinary one of its size takes. Both are
 * measured here, one after the other, so a slow machine slows both.
 */
export async function isSlow(text: string, options: Parameters<typeof read>[1] = {}): Promise<boolean> {
  const row = `Season opener,https://example.com/clips/opener.mp4,x\n`;
  const ordinary = `title,file,description\n${row.repeat(Math.ceil(Math.max(text.length, 100_000) / row.length))}`;
  const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await read(ordinary);
  const usual = await timeOf(() => read(ordinary));
  return (await timeOf(() => read(text, options))) > 10 * usual;
}

const folders: string[] = [];

/** A temporary folder with the given files; removed by `removeFolders`. */
export function folder(files: Record<string, string | Buffer> = {}): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reelay-manifests-')));
  folders.push(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

export function removeFolders(): void {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
}
