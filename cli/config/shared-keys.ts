import { readFile } from 'node:fs/promises';
import { ConfigError } from '../errors/errors';
import { type AccountSetting } from './accounts';
import { type Config } from './config';

/**
 * Two accounts with one key would be one account under two names: its rows could be published twice. `values` compares
 * the keys themselves too, for accounts with the same address. Keys are only read here, not sent, so their variables
 * needn't be confirmed.
 * @throws ConfigError, without the key
 */
export async function refuseSharedKeys(
  accounts: readonly AccountSetting[],
  { config, env, values }: { config: Config; env: Readonly<Record<string, string | undefined>>; values: boolean },
): Promise<void> {
  const places = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const account of accounts) {
    const { name, keyVariable } = account;
    const file = name in (config.accounts ?? {}) ? config.accounts?.[name]?.api_key_file : config.api_key_file;
    for (const place of file === undefined ? [keyVariable] : [keyVariable, file]) {
      const before = places.get(place);
      if (before !== undefined) throw samePlace(before, name, place);
      places.set(place, name);
    }
    const access = values && accounts.length > 1 ? await accessOf(account, env) : null;
    if (access === null) continue;
    const before = keys.get(access);
    if (before !== undefined) throw sameKey(before, name);
    keys.set(access, name);
  }
}

function samePlace(one: string, other: string, place: string): ConfigError {
  return new ConfigError(
    'key-shared',
    `accounts ${one} and ${other} take their key from the same place (${place})`,
    'Give each account a variable (`api_key_env`) or file (`api_key_file`) of its own.',
  );
}

function sameKey(one: string, other: string): ConfigError {
  return new ConfigError(
    'key-shared',
    `accounts ${one} and ${other} have the same key for the same address: they are one account under two names`,
    'Remove one of them. If it has published already, keep the name under which it did.',
  );
}

/** Its address and key in one text; null if it lacks one of them, which is reported once the account is used. */
async function accessOf(
  account: AccountSetting,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const { keyVariable, keyFile } = account;
  const written = env[keyVariable]?.trim() ?? '';
  const key = written !== '' || keyFile === null ? written : (await readFile(keyFile, 'utf8').catch(() => '')).trim();
  if (key === '') return null;
  const { parseBaseUrl } = await import('../../service/connection/base-url.js');
  try {
    return JSON.stringify([parseBaseUrl(account.baseUrl()).service, key]);
  } catch {
    return null;
  }
}
