import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shellWord } from '../../wording/shell';
import { ConfigError } from '../errors/errors';
import { configPlaces } from './config-file';
import { type Settings } from './settings';

/** What a config says about every manifest; without it, rows are read and sent in another way. */
const ABOUT_MANIFESTS = [
  ...['columns', 'defaults', 'timezone', 'date_format', 'platforms', 'pace', 'tolerate', 'canary'],
  ...['late', 'give_up_after', 'ambiguous', 'repeat'],
] as const satisfies readonly string[];

/**
 * The config of the manifest's folder isn't found from another one: its rows would be sent without its defaults, and its
 * columns not read. It isn't taken by itself, since it also says where keys are sent.
 * @throws ConfigError that names it, unless a flag names the one to use
 */
export async function demandConfigBeside(
  manifest: string,
  { configPath, configNamed }: Pick<Settings, 'configPath' | 'configNamed'>,
): Promise<void> {
  if (configNamed) return;
  const beside = await nearest(dirname(await realpath(manifest).catch(() => manifest)));
  if (beside === null || beside.path === (configPath === null ? null : await realpath(configPath))) return;
  const { parseConfig } = await import('./config.js');
  // One that can't be read is no config of this program's.
  const config: Partial<Record<string, unknown>> = await parseConfig(beside.text, beside.path).catch(() => ({}));
  const named = ABOUT_MANIFESTS.filter((name) => config[name] !== undefined);
  if (named.length === 0) return;
  throw new ConfigError(
    'config-elsewhere',
    `the manifest’s folder has the config ${beside.path}, which this command doesn’t read: its ${named.join(', ')} would not apply`,
    `Add --config ${shellWord(beside.path)}${configPath === null ? '' : `, or --config ${shellWord(configPath)} if that one is meant`}.`,
  );
}

async function nearest(folder: string): Promise<{ path: string; text: string } | null> {
  for (const path of configPlaces(folder)) {
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text !== null) return { path: await realpath(path), text };
  }
  return null;
}
