import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Config, type ConfiguredAccount } from './config';
import { ConfigError } from '../errors/errors';

export interface PlatformSetting {
  name: string;
  kind: 'short' | 'long';
  /** Characters; stricter than the interface's. */
  titleLimit?: number;
  descriptionLimit?: number;
}

export const DEFAULT_PLATFORMS: readonly PlatformSetting[] = [
  { name: 'platform_a', kind: 'short' },
  { name: 'platform_b', kind: 'long' },
];

export type FieldDefaults = Readonly<Record<string, string | readonly string[] | boolean>>;

/** One configured account of the service: its address, and where its key is found. */
export interface AccountSetting {
  name: string;
  /** Name of the variable that holds its key. */
  keyVariable: string;
  /** Absolute path of the file that contains its key; null if the variable does, or none is named. */
  keyFile: string | null;
  exclusive: boolean;
  /** The service is known to answer 429 only to creates it has not stored. */
  trust429: boolean;
  platforms: readonly PlatformSetting[];
  defaults: FieldDefaults;
  /** @throws ConfigError when there is none */
  baseUrl(): string;
  /** Reads the key. @throws ConfigError naming the variable when there is none */
  apiKey(): Promise<string>;
}

export interface AccountsInput {
  config: Config;
  configPath: string | null;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  flags: { account?: string; baseUrl?: string };
  /** @throws ConfigError for a variable that was never confirmed to contain a key */
  demandKeyVariable: (variable: string) => Promise<void>;
}

/** The account that the top level of the config and REELAY_BASE_URL describe. */
const TOP = 'default';

/**
 * Every configured account, and the one for rows that don't name one: `--account` > REELAY_ACCOUNT > `account` > the
 * only one of `accounts` > `default`. A key is read only from the place that its own account names.
 * @throws ConfigError for an unknown name
 */
export function readAccounts(input: AccountsInput): { selected: string; accounts: AccountSetting[] } {
  const { config, env, flags } = input;
  const named = Object.entries(config.accounts ?? {});
  const accounts = named.map(([name, one]) => namedAccount(input, name, one));
  const asked = flags.account ?? given(env.REELAY_ACCOUNT) ?? config.account;
  const topNeeded = named.length === 0 || asked === TOP || hasTopKey(input);
  if (topNeeded && !accounts.some(({ name }) => name === TOP)) accounts.unshift(topAccount(input));
  if (asked !== undefined && !accounts.some(({ name }) => name === asked)) throw unknownAccount(asked, accounts, flags);
  const [only] = accounts;
  const selected = asked ?? (accounts.length === 1 && only !== undefined ? only.name : TOP);
  if (flags.baseUrl !== undefined && config.accounts?.[selected]?.base_url !== undefined) {
    throw new ConfigError(
      'base-url-owned',
      `--base-url: account ${selected} has its own address in the config`,
      `Leave --base-url out, or change accounts.${selected}.base_url.`,
    );
  }
  return { selected, accounts };
}

/** A placeholder for an account that isn't configured, so that the error appears only when the account is needed. */
export function missingAccount(name: string, accounts: readonly AccountSetting[]): AccountSetting {
  const refuse = (): never => {
    const names = accounts.map((account) => account.name).join(', ');
    throw new ConfigError(
      'no-account',
      `several accounts are configured (${names}), and none of them is named here`,
      'Give --account NAME, or `account: NAME` in reelay.config.yaml.',
    );
  };
  return {
    name,
    keyVariable: variableOf(name),
    keyFile: null,
    exclusive: false,
    trust429: false,
    platforms: DEFAULT_PLATFORMS,
    defaults: {},
    baseUrl: refuse,
    apiKey: async () => refuse(),
  };
}

function namedAccount(input: AccountsInput, name: string, own: ConfiguredAccount): AccountSetting {
  const keyVariable = own.api_key_env ?? variableOf(name);
  const file = own.api_key_file === undefined ? null : fileOf(input, own.api_key_file);
  return {
    ...common(input.config, own),
    name,
    keyVariable,
    keyFile: given(input.env[keyVariable]) === undefined ? file : null,
    baseUrl: () => demandBaseUrl(own.base_url ?? topBaseUrl(input), ` of account ${name}`),
    apiKey: async () =>
      (await keyFromVariable(input, keyVariable)) ??
      (await keyFromFile(file, `accounts.${name}.api_key_file`)) ??
      noKey(keyVariable, ` of account ${name}`, `or accounts.${name}.api_key_file to a file that holds the key`),
  };
}

function topAccount(input: AccountsInput): AccountSetting {
  const { config, env, cwd } = input;
  const keyVariable = config.api_key_env ?? 'REELAY_API_KEY';
  const fromEnv = given(env.REELAY_API_KEY_FILE);
  const file =
    fromEnv !== undefined
      ? resolve(cwd, expandHome(fromEnv))
      : config.api_key_file === undefined
        ? null
        : fileOf(input, config.api_key_file);
  return {
    ...common(config, {}),
    name: TOP,
    keyVariable,
    keyFile: given(env[keyVariable]) === undefined ? file : null,
    baseUrl: () => demandBaseUrl(topBaseUrl(input), ''),
    apiKey: async () =>
      (await keyFromVariable(input, keyVariable)) ??
      (await keyFromFile(file, fromEnv === undefined ? '`api_key_file`' : 'REELAY_API_KEY_FILE')) ??
      noKey(keyVariable, '', 'or REELAY_API_KEY_FILE to a file that holds the key'),
  };
}

function common(config: Config, own: ConfiguredAccount) {
  const platforms = own.platforms ?? config.platforms;
  return {
    exclusive: own.exclusive ?? config.exclusive ?? false,
    trust429: own.trust_429 ?? config.trust_429 ?? false,
    platforms: platforms?.map(platformSetting) ?? DEFAULT_PLATFORMS,
    defaults: own.defaults ?? {},
  };
}

function platformSetting(written: NonNullable<Config['platforms']>[number]): PlatformSetting {
  const { name, kind, title_limit, description_limit } = written;
  return {
    name,
    kind,
    ...(title_limit === undefined ? {} : { titleLimit: title_limit }),
    ...(description_limit === undefined ? {} : { descriptionLimit: description_limit }),
  };
}

function variableOf(name: string): string {
  return name === TOP ? 'REELAY_API_KEY' : `REELAY_API_KEY_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

function hasTopKey({ config, env }: AccountsInput): boolean {
  const given_ = [env[config.api_key_env ?? 'REELAY_API_KEY'], env.REELAY_API_KEY_FILE, config.api_key_file];
  return given_.some((text) => given(text) !== undefined);
}

function unknownAccount(asked: string, accounts: readonly AccountSetting[], flags: { account?: string }): ConfigError {
  const where = flags.account !== undefined ? '--account' : 'account';
  return new ConfigError(
    'no-account',
    `${where}: there is no account “${asked}”`,
    `Configured are: ${accounts.map(({ name }) => name).join(', ')}.`,
  );
}

function topBaseUrl({ config, env, flags }: AccountsInput): string | undefined {
  return flags.baseUrl ?? given(env.REELAY_BASE_URL) ?? config.base_url;
}

function demandBaseUrl(text: string | undefined, whose: string): string {
  if (text !== undefined) return text.trim();
  throw new ConfigError(
    'no-base-url',
    `there is no base URL of the publishing service${whose}`,
    'Set REELAY_BASE_URL, or `base_url` in reelay.config.yaml (`reelay init --base-url URL` writes one). To try things out: --sandbox.',
  );
}

function noKey(variable: string, whose: string, file: string): never {
  throw new ConfigError(
    'no-api-key',
    `there is no API key${whose}: the environment variable ${variable} is not set`,
    `Set ${variable}, ${file}. To try things out without one: --sandbox.`,
  );
}

function fileOf({ configPath, cwd }: AccountsInput, written: string): string {
  return resolve(configPath === null ? cwd : dirname(configPath), expandHome(written));
}

/** @throws ConfigError for a variable that was never confirmed to contain a key */
async function keyFromVariable(
  { env, demandKeyVariable }: AccountsInput,
  variable: string,
): Promise<string | undefined> {
  const key = given(env[variable])?.trim();
  if (key !== undefined) await demandKeyVariable(variable);
  return key;
}

/** @throws ConfigError if there is a file without a key in it */
async function keyFromFile(file: string | null, where: string): Promise<string | undefined> {
  if (file === null) return undefined;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      'api-key-file',
      `${where}: ${file} can't be read (${code ?? 'unknown reason'})`,
      'Check the path and its permissions.',
    );
  });
  if (text.trim() !== '') return text.trim();
  throw new ConfigError('api-key-file', `${where}: ${file} is empty`, 'Put the key into it, on one line.');
}

export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** An empty environment variable counts as not set. */
export function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
