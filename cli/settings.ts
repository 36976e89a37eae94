import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { type Timings } from '../activities/timings';
import { type TimeLimits } from '../service/time-limits';
import { type PaceSettings } from '../manifests/pace';
import { type Config } from './config';
import { ConfigError } from './errors';
import { parseDuration } from './durations';
import { type TerminalEnvironment } from './output';

/** The flags that most commands share; undefined where not given. */
export interface SharedFlags {
  config?: string;
  home?: string;
  baseUrl?: string;
  sandbox?: boolean;
}

export interface PlatformSetting {
  name: string;
  kind: 'short' | 'long';
}

export interface TemporalSettings {
  /** A server is configured: none is started. */
  configured: boolean;
  address: string;
  namespace: string;
  /** TLS, API key and the like, as the environment gives them. */
  connection: NativeConnectionOptions;
}

/** Everything a command needs to know, with flag > environment > config > default applied. */
export interface Settings {
  sandbox: boolean;
  /** Absolute folder of this user's ledger, Temporal database and results. */
  home: string;
  ledgerPath: string;
  configPath: string | null;
  account: string;
  exclusive: boolean;
  /** The service is known to keep 429 for creates it has not stored. */
  trust429: boolean;
  platforms: readonly PlatformSetting[];
  timezone: string | null;
  defaults: Readonly<Record<string, string | readonly string[] | boolean>>;
  /** Top-level manifest settings given by the config. */
  campaign: {
    late?: 'publish' | 'hold' | 'skip';
    giveUpAfterMs?: number;
    ambiguous?: 'reconcile' | 'hold';
    repeat?: 'refuse' | 'allow';
    pace?: readonly PaceSettings[];
  };
  webUi: string | null;
  /** Other times than the usual ones, for tests that can't wait for minutes. */
  timings: Partial<Timings>;
  timeLimits: Partial<TimeLimits>;
  /** Name of the variable that holds the key. */
  keyVariable: string;
  /** Absolute path of the file that holds the key; null where the variable does. */
  keyFile: string | null;
  /** @throws ConfigError when there is none */
  baseUrl(): string;
  /** Reads the key. @throws ConfigError naming the variable when there is none */
  apiKey(): Promise<string>;
  /** @throws ConfigError when the profile or its file can't be read */
  temporal(): Promise<TemporalSettings>;
}

export const DEFAULT_PLATFORMS: readonly PlatformSetting[] = [
  { name: 'platform_a', kind: 'short' },
  { name: 'platform_b', kind: 'long' },
];
export const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';
export const SANDBOX_NAMESPACE = 'reelay-sandbox';
/** The sandbox's own key: known to all, worth nothing elsewhere. */
export const SANDBOX_KEY = 'sandbox-key';

type Environment = Readonly<Record<string, string | undefined>>;

/** How the terminal wants to be written to. */
export function terminalEnvironment(env: Environment = process.env): TerminalEnvironment {
  return { noColor: given(env.NO_COLOR) !== undefined, dumb: env.TERM === 'dumb' };
}

/** Who runs the command: `user@host`. */
export async function whoAmI(env: Environment = process.env): Promise<string> {
  const { hostname, userInfo } = await import('node:os');
  let user = given(env.USER) ?? given(env.USERNAME);
  try {
    user ??= userInfo().username;
  } catch {
    // A container's user may have no name.
  }
  return `${user ?? 'unknown'}@${hostname()}`;
}

/** The environment for a child process of ours, without the keys it has no use for. */
export function childEnvironment(env: Environment = process.env): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(REELAY_API_KEY|TEMPORAL_API_KEY)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

/**
 * Flag > environment > config > default, in this one place; the only reader of the environment.
 * @throws ConfigError
 */
export async function loadSettings(
  flags: SharedFlags,
  env: Environment = process.env,
  cwd: string = process.cwd(),
): Promise<Settings> {
  const { loadConfig } = await import('./config.js');
  const { path: configPath, config } = await loadConfig({ path: flags.config ?? null, cwd });
  const sandbox = flags.sandbox ?? false;
  const root = resolve(cwd, expandHome(flags.home ?? given(env.REELAY_HOME) ?? (await defaultHome())));
  const home = sandbox ? join(root, 'sandbox') : root;
  return {
    sandbox,
    home,
    ledgerPath: ledgerPath(given(env.REELAY_DATABASE_URL), home, sandbox, cwd),
    configPath,
    account: sandbox ? 'sandbox' : 'default',
    exclusive: sandbox || (config.exclusive ?? false),
    trust429: config.trust_429 ?? false,
    platforms: config.platforms && !sandbox ? config.platforms : DEFAULT_PLATFORMS,
    timezone: config.timezone ?? null,
    defaults: config.defaults ?? {},
    campaign: await campaignSettings(config, configPath),
    webUi: config.web_ui ?? null,
    timings: numbers('REELAY_TIMINGS', env),
    timeLimits: numbers('REELAY_TIME_LIMITS', env),
    keyVariable: config.api_key_env ?? 'REELAY_API_KEY',
    keyFile: sandbox ? null : keyFile(env, config, configPath, cwd),
    baseUrl: () => baseUrl(flags.baseUrl ?? given(env.REELAY_BASE_URL) ?? config.base_url),
    apiKey: () => (sandbox ? Promise.resolve(SANDBOX_KEY) : apiKey(env, config, configPath, cwd)),
    temporal: () => temporal(env, config, sandbox),
  };
}

async function defaultHome(): Promise<string> {
  const { default: envPaths } = await import('env-paths');
  return envPaths('reelay', { suffix: '' }).data;
}

function ledgerPath(url: string | undefined, home: string, sandbox: boolean, cwd: string): string {
  // The sandbox keeps to itself: a ledger named for real work is not its own.
  if (url === undefined || sandbox) return join(home, 'ledger.db');
  if (/^postgres(ql)?:/i.test(url)) {
    throw new ConfigError(
      'database-url',
      'REELAY_DATABASE_URL names a PostgreSQL database, but this version keeps its ledger in SQLite',
      'Unset REELAY_DATABASE_URL, or give the path of a file.',
    );
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1];
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'sqlite') {
    throw new ConfigError(
      'database-url',
      `REELAY_DATABASE_URL: “${scheme}:” is not a database this version knows`,
      'Give the path of a file.',
    );
  }
  const path = url.replace(/^(file|sqlite):(\/\/)?/i, '');
  if (path === '') throw new ConfigError('database-url', 'REELAY_DATABASE_URL has no path', 'Give the path of a file.');
  return resolve(cwd, path);
}

async function campaignSettings(config: Config, path: string | null): Promise<Settings['campaign']> {
  const giveUpAfterMs = config.give_up_after === undefined ? undefined : parseDuration(config.give_up_after);
  return {
    ...(config.late === undefined ? {} : { late: config.late }),
    ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    ...(config.ambiguous === undefined ? {} : { ambiguous: config.ambiguous }),
    ...(config.repeat === undefined ? {} : { repeat: config.repeat }),
    ...(await configuredPace(config, path)),
  };
}

async function configuredPace(config: Config, path: string | null): Promise<Pick<Settings['campaign'], 'pace'>> {
  const { pace, tolerate, canary } = config;
  const given = Object.entries({ pace, tolerate, canary }).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return {};
  const { readPace, readPaceValue } = await import('../manifests/pace.js');
  const layer: PaceSettings = {};
  for (const [name, value] of given) {
    try {
      Object.assign(layer, name === 'pace' ? readPace(value) : readPaceValue(name, value));
    } catch (error) {
      throw new ConfigError('config-file', `config ${path ?? ''}: ${name} ${(error as Error).message}`);
    }
  }
  return { pace: [layer] };
}

function baseUrl(text: string | undefined): string {
  if (text === undefined) {
    throw new ConfigError(
      'no-base-url',
      'there is no base URL of the publishing service',
      'Set REELAY_BASE_URL, or `base_url` in reelay.config.yaml (`reelay init` writes one). To try things out: --sandbox.',
    );
  }
  return text.trim();
}

async function apiKey(env: Environment, config: Config, configPath: string | null, cwd: string): Promise<string> {
  const variable = config.api_key_env ?? 'REELAY_API_KEY';
  const key = given(env[variable]);
  if (key !== undefined) return key.trim();
  const fromEnv = given(env.REELAY_API_KEY_FILE);
  const file = keyFile(env, config, configPath, cwd);
  if (file === null) {
    throw new ConfigError(
      'no-api-key',
      `there is no API key: the environment variable ${variable} is not set`,
      `Set ${variable}, or REELAY_API_KEY_FILE to a file that holds the key. To try things out without one: --sandbox.`,
    );
  }
  const where = fromEnv === undefined ? '`api_key_file`' : 'REELAY_API_KEY_FILE';
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      'api-key-file',
      `${where}: ${file} can't be read (${code ?? 'unknown reason'})`,
      'Check the path and its permissions.',
    );
  });
  if (text.trim() === '')
    throw new ConfigError('api-key-file', `${where}: ${file} is empty`, 'Put the key into it, on one line.');
  return text.trim();
}

function keyFile(env: Environment, config: Config, configPath: string | null, cwd: string): string | null {
  if (given(env[config.api_key_env ?? 'REELAY_API_KEY']) !== undefined) return null;
  const fromEnv = given(env.REELAY_API_KEY_FILE);
  if (fromEnv !== undefined) return resolve(cwd, expandHome(fromEnv));
  if (config.api_key_file === undefined) return null;
  return resolve(configPath === null ? cwd : dirname(configPath), expandHome(config.api_key_file));
}

async function temporal(env: Environment, config: Config, sandbox: boolean): Promise<TemporalSettings> {
  const usual = {
    configured: false,
    address: DEFAULT_TEMPORAL_ADDRESS,
    namespace: sandbox ? SANDBOX_NAMESPACE : 'default',
    connection: {},
  };
  // The sandbox never uses somebody's real Temporal.
  if (sandbox) return usual;
  const configured =
    given(env.TEMPORAL_ADDRESS) !== undefined ||
    given(env.TEMPORAL_PROFILE) !== undefined ||
    config.temporal?.address !== undefined;
  if (!configured)
    return { ...usual, namespace: given(env.TEMPORAL_NAMESPACE) ?? config.temporal?.namespace ?? usual.namespace };
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => given(entry[1]) !== undefined && entry[0].startsWith('TEMPORAL_'),
    ),
  );
  const profile = given(env.TEMPORAL_PROFILE);
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    // Without a profile asked for, a config file on this machine is somebody else's business.
    const loaded = loadClientConnectConfig({
      overrideEnvVars,
      ...(profile === undefined && given(env.TEMPORAL_CONFIG_FILE) === undefined ? { disableFile: true } : {}),
    });
    const address = given(loaded.connectionOptions.address) ?? config.temporal?.address ?? DEFAULT_TEMPORAL_ADDRESS;
    const namespace = loaded.namespace ?? config.temporal?.namespace ?? 'default';
    return { configured: true, address, namespace, connection: { ...loaded.connectionOptions, address } };
  } catch (error) {
    throw new ConfigError(
      'temporal-config',
      `TEMPORAL_*: ${(error as Error).message}`,
      'Check TEMPORAL_PROFILE and its config file.',
    );
  }
}

/** A JSON object of times in ms, in a variable that only tests set. */
function numbers(variable: string, env: Environment): Record<string, number> {
  const text = given(env[variable]);
  if (text === undefined) return {};
  try {
    const read = JSON.parse(text) as Record<string, number>;
    if (Object.values(read).every((ms) => typeof ms === 'number' && ms > 0)) return read;
  } catch {
    // Said below, as any other wrong value.
  }
  throw new ConfigError('timings', `${variable} is not a JSON object of times in ms: ${text}`, `Unset ${variable}.`);
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** An environment variable that is set to nothing is not set. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The key in a variable named by a person. */
export function environmentKey(variable: string, env: Environment = process.env): string | undefined {
  return given(env[variable])?.trim();
}
