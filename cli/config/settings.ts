import { type LedgerLocation } from '../../ledger/model/location';
import { dirname, join, resolve } from 'node:path';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { type NoticeSettings } from '../../activities/notices/find-notices';
import { type Timings } from '../../activities/timings';
import { bareEnvironment } from '../../host/child-environment';
import { type TimeLimits } from '../../service/connection/time-limits';
import {
  type AccountSetting,
  DEFAULT_PLATFORMS,
  expandHome,
  type FieldDefaults,
  given,
  missingAccount,
  type PlatformSetting,
  readAccounts,
} from './accounts';
import { type PaceSettings } from '../../manifests/settings/pace';
import type * as workflowIds from '../../workflows/ids';
import { type Config } from './config';
import { ConfigError, UsageError } from '../errors/errors';
import { parseDuration } from '../../wording/duration';
import { type TerminalEnvironment } from '../terminal/output';

/** The flags that most commands share; undefined if not given. */
export interface SharedFlags {
  config?: string;
  home?: string;
  baseUrl?: string;
  sandbox?: boolean;
  /** For commands that have it: the account for rows that don't name one. */
  account?: string;
  /** For commands that have it: accept that an account's address differs from the one in the ledger. */
  confirmBaseUrl?: boolean;
  /** For commands that start the sandbox: faults to inject, in the syntax of `reelay sandbox`. */
  fault?: readonly string[];
  /** For the same commands: named behaviours of the sandbox. */
  behaviour?: readonly string[];
}

export interface TemporalSettings {
  /** A server is configured: none is started. */
  configured: boolean;
  address: string;
  namespace: string;
  /** TLS, API key and so on, from the environment. */
  connection: NativeConnectionOptions;
  /** Keys that encrypt payloads, the first one for new payloads; undefined: they are not encrypted. */
  payloadKeys?: ReadonlyMap<string, Buffer>;
}

/** Everything a command needs to know, with flag > environment > config > default applied. */
export interface Settings {
  sandbox: boolean;
  /** Faults that the sandbox injects, if this command starts it. */
  sandboxFaults: readonly string[];
  sandboxBehaviours: readonly string[];
  /** Absolute folder of this user's ledger, Temporal database and results. */
  home: string;
  ledger: LedgerLocation;
  /** Folder for outcomes that could not be written to the ledger. */
  spoolFolder: string;
  /** The name by which workers on this host identify its files; null: the ledger is used on one host. */
  filesHost: string | null;
  configPath: string | null;
  /** The account for rows that don't name one. */
  account: string;
  /** Every account that is configured. */
  accounts: readonly AccountSetting[];
  /** The platforms of all accounts together, those of `account` first. */
  platforms: readonly PlatformSetting[];
  timezone: string | null;
  defaults: FieldDefaults;
  /** Top-level manifest settings given by the config. */
  campaign: {
    late?: 'publish' | 'hold' | 'skip';
    giveUpAfterMs?: number;
    ambiguous?: 'reconcile' | 'hold';
    repeat?: 'refuse' | 'allow';
    pace?: readonly PaceSettings[];
    dateFormat?: string;
    columns?: Readonly<Record<string, string>>;
  };
  webUi: string | null;
  /** Hosts of the operator's own network that a manifest from a URL may name. */
  privateHosts: readonly string[];
  /** Who is notified of ended runs, parkings and refused firings; null: no one. */
  notify: NoticeSettings | null;
  /** What is wrong with the variable for the address of notices; a sentence without its end. */
  notifyLacks: string | null;
  /** Overridden times, for tests that can't wait for minutes. */
  timings: Partial<Timings>;
  timeLimits: Partial<TimeLimits>;
  /** Name of the variable that holds the key of `account`. */
  keyVariable: string;
  /** Absolute path of the file that contains the key of `account`; null if the variable does, or none is named. */
  keyFile: string | null;
  /** Accept that an account's address differs from the one in the ledger. */
  confirmBaseUrl: boolean;
  /**
   * Absolute path of the file with the profiles that the sandbox adopts from a real service; it exists once `init` has
   * read one.
   */
  adopted: string;
  /** Where the user's confirmations are stored: the home, even in a rehearsal. */
  root: string;
  /** Of `account`. @throws ConfigError when there is none */
  baseUrl(): string;
  /** Reads the key of `account`. @throws ConfigError naming the variable when there is none */
  apiKey(): Promise<string>;
  /** @throws ConfigError when the profile or its file can't be read */
  temporal(): Promise<TemporalSettings>;
}

export const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';
/** The same as in workflows/ids, where it is used in commands that are shown. */
const SANDBOX_NAMESPACE: typeof workflowIds.SANDBOX_NAMESPACE = 'reelay-sandbox';
/** The sandbox's own key: publicly known, and useless elsewhere. */
export const SANDBOX_KEY = 'sandbox-key';

/** They contain keys whatever accounts are configured. */
const KEY_VARIABLE = /^(REELAY|TEMPORAL)_API_KEY/;

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
  const { demandKeyVariable } = await import('./key-variables.js');
  const configured = readAccounts({
    config,
    configPath,
    env,
    cwd,
    flags,
    // A config that the user names is trusted.
    demandKeyVariable: async (variable) => (flags.config === undefined ? demandKeyVariable(variable, root) : undefined),
  });
  const { selected, accounts } = sandbox ? placeholders(configured, config) : configured;
  const own = accounts.find(({ name }) => name === selected) ?? missingAccount(selected, accounts);
  const sandboxOnly = (['fault', 'behaviour'] as const).find((name) => flags[name] !== undefined);
  if (sandboxOnly !== undefined && !sandbox) {
    throw new UsageError(
      `--${sandboxOnly} is for the sandbox`,
      'Add --sandbox: faults can’t be injected into a real service.',
    );
  }
  const ledger = ledgerLocation(given(env.REELAY_DATABASE_URL), home, sandbox, cwd);
  return {
    sandbox,
    sandboxFaults: flags.fault ?? [],
    sandboxBehaviours: flags.behaviour ?? [],
    home,
    spoolFolder: join(home, 'spool'),
    ledger,
    filesHost: 'url' in ledger ? await filesHostOf(given(env.REELAY_FILES_HOST)) : null,
    configPath,
    account: selected,
    accounts,
    platforms: allPlatforms([own, ...accounts]),
    timezone: config.timezone ?? null,
    defaults: config.defaults ?? {},
    campaign: await campaignSettings(config, configPath),
    webUi: config.web_ui ?? null,
    privateHosts: (config.private_hosts ?? []).map((host) => host.toLowerCase()),
    ...notifySettings(config.notify, {
      configPath,
      cwd,
      env,
      sandbox,
      keys: configured.accounts.map(({ keyVariable }) => keyVariable),
    }),
    timings: numbers('REELAY_TIMINGS', env),
    timeLimits: numbers('REELAY_TIME_LIMITS', env),
    keyVariable: own.keyVariable,
    keyFile: own.keyFile,
    confirmBaseUrl: flags.confirmBaseUrl ?? false,
    root,
    adopted: join(root, 'sandbox', 'adopted.json'),
    baseUrl: () => own.baseUrl(),
    apiKey: () => own.apiKey(),
    temporal: () => temporal(env, config, sandbox, cwd),
  };
}

/**
 * The command starts in the config's folder, with the variables that every program needs and those that `env` names.
 * @throws ConfigError if `env` names a key or the address of the notifications
 */
function notifySettings(
  notify: Config['notify'],
  given: { configPath: string | null; cwd: string; env: Environment; sandbox: boolean; keys: readonly string[] },
): Pick<Settings, 'notify' | 'notifyLacks'> {
  if (notify === undefined) return { notify: null, notifyLacks: null };
  const { configPath, cwd, env, sandbox, keys } = given;
  const { command, url, url_env: variable, env: named = [], on = ['ended', 'parked', 'refused'] } = notify;
  const address = url ?? (variable === undefined ? undefined : environmentKey(variable, env));
  const usable = address !== undefined && /^https?:/i.test(address) && URL.canParse(address);
  const secret = named.find((name) => KEY_VARIABLE.test(name) || keys.includes(name) || name === variable);
  if (secret !== undefined) {
    throw new ConfigError(
      'notify-secret',
      `config ${configPath ?? ''}: notify.env names ${secret}, which holds a key or the address of notifications`,
      'The command gets neither; give it a variable of its own.',
    );
  }
  return {
    notify: {
      command: command === undefined ? null : [command].flat(),
      folder: configPath === null ? cwd : dirname(configPath),
      env: bareEnvironment(env, { network: true, named }),
      url: usable ? address : null,
      on,
      sandbox,
    },
    notifyLacks:
      variable === undefined || usable
        ? null
        : `${variable} ${address === undefined ? 'isn’t set' : 'holds no http(s) address'}`,
  };
}

/**
 * In a rehearsal the sandbox, with its key, replaces every account: the configured accounts under their names, so that
 * a manifest that names them can be tried, and their platforms.
 */
function placeholders(
  { accounts, selected }: ReturnType<typeof readAccounts>,
  config: Config,
): ReturnType<typeof readAccounts> {
  const standIn = (
    name: string,
    { platforms, defaults }: Pick<AccountSetting, 'platforms' | 'defaults'>,
  ): AccountSetting => ({
    name,
    keyVariable: 'REELAY_API_KEY',
    keyFile: null,
    exclusive: config.accounts === undefined,
    trust429: false,
    platforms,
    defaults,
    baseUrl: () => '',
    apiKey: () => Promise.resolve(SANDBOX_KEY),
  });
  if (config.accounts === undefined) {
    const platforms = accounts[0]?.platforms ?? DEFAULT_PLATFORMS;
    return { selected: 'sandbox', accounts: [standIn('sandbox', { platforms, defaults: {} })] };
  }
  const named = accounts.map((account) => standIn(account.name, account));
  return { selected, accounts: named };
}

/** Each name once: differences of single accounts are looked up there. */
function allPlatforms(accounts: readonly AccountSetting[]): PlatformSetting[] {
  const byName = new Map<string, PlatformSetting>();
  for (const platform of accounts.flatMap((account) => account.platforms)) {
    if (!byName.has(platform.name)) byName.set(platform.name, platform);
  }
  return [...byName.values()];
}

async function defaultHome(): Promise<string> {
  const { default: envPaths } = await import('env-paths');
  return envPaths('reelay', { suffix: '' }).data;
}

function ledgerLocation(url: string | undefined, home: string, sandbox: boolean, cwd: string): LedgerLocation {
  // The sandbox is isolated: a ledger that is configured for real work is not used.
  if (url === undefined || sandbox) return { path: join(home, 'ledger.db') };
  if (/^postgres(ql)?:/i.test(url)) {
    const name = databaseName(url).replaceAll(/[^A-Za-z0-9._-]+/g, '_');
    return { url, sequenceFile: join(home, `ledger-${name}.seq`) };
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1];
  if (scheme !== undefined && scheme !== 'file' && scheme !== 'sqlite') {
    throw new ConfigError(
      'database-url',
      `REELAY_DATABASE_URL: “${scheme}:” is not a supported database`,
      'Give the path of a file, or postgres://USER@HOST/DATABASE.',
    );
  }
  const path = url.replace(/^(file|sqlite):(\/\/)?/i, '');
  if (path === '') throw new ConfigError('database-url', 'REELAY_DATABASE_URL has no path', 'Give the path of a file.');
  return { path: resolve(cwd, path) };
}

/** @throws ConfigError */
async function filesHostOf(named: string | undefined): Promise<string> {
  const { hostname } = await import('node:os');
  if (named === undefined)
    return hostname()
      .replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 100);
  if (/^[A-Za-z0-9._-]{1,100}$/.test(named)) return named;
  throw new ConfigError(
    'files-host',
    `REELAY_FILES_HOST: “${named}” is not a name of 1 to 100 letters, digits, dots, underscores and hyphens`,
    'Give all hosts that have the same files the same name.',
  );
}

/** `HOST_PORT_DATABASE`. @throws ConfigError, which doesn't quote it because it may contain a password */
function databaseName(url: string): string {
  const fault = (message: string) =>
    new ConfigError(
      'database-url',
      `REELAY_DATABASE_URL: ${message}`,
      'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for an @ in the password.',
    );
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw fault('it can’t be read as an address');
  }
  if (parsed.hostname === '' || parsed.pathname.length < 2) throw fault('it names no host or no database');
  return `${parsed.host}${parsed.pathname}`;
}

async function campaignSettings(config: Config, path: string | null): Promise<Settings['campaign']> {
  const giveUpAfterMs = config.give_up_after === undefined ? undefined : parseDuration(config.give_up_after);
  return {
    ...(config.late === undefined ? {} : { late: config.late }),
    ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    ...(config.date_format === undefined ? {} : { dateFormat: config.date_format }),
    ...(config.columns === undefined ? {} : { columns: config.columns }),
    ...(config.ambiguous === undefined ? {} : { ambiguous: config.ambiguous }),
    ...(config.repeat === undefined ? {} : { repeat: config.repeat }),
    ...(await configuredPace(config, path)),
  };
}

/** The config's pace: first what applies to all, then each account's own, then what names channels. */
async function configuredPace(config: Config, path: string | null): Promise<Pick<Settings['campaign'], 'pace'>> {
  const { pace, tolerate, canary, accounts = {} } = config;
  const given = Object.entries({ pace, tolerate, canary }).filter(([, value]) => value !== undefined && value !== null);
  const own = Object.entries(accounts).filter(([, account]) => account.pace !== undefined);
  if (given.length === 0 && own.length === 0) return {};
  const { readPace, readPaceValue } = await import('../../manifests/settings/pace.js');
  const reading = <T>(name: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw new ConfigError('config-file', `config ${path ?? ''}: ${name} ${(error as Error).message}`);
    }
  };
  const layer: PaceSettings = {};
  for (const [name, value] of given) {
    Object.assign(
      layer,
      reading(name, () => (name === 'pace' ? readPace(value) : readPaceValue(name, value))),
    );
  }
  const read = own.map(([name, account]) => {
    const { channels = [], ...general } = reading(`accounts.${name}.pace`, () => readPace(account.pace));
    const named = channels.map((one) => ({ ...one, match: { ...one.match, account: name } }));
    return { general: { ...general, match: { account: name } }, named };
  });
  const channels = [
    ...read.map(({ general }) => general),
    ...(layer.channels ?? []),
    ...read.flatMap(({ named }) => named),
  ];
  return { pace: [channels.length === 0 ? layer : { ...layer, channels }] };
}

async function temporal(env: Environment, config: Config, sandbox: boolean, cwd: string): Promise<TemporalSettings> {
  const usual: TemporalSettings = {
    configured: false,
    address: DEFAULT_TEMPORAL_ADDRESS,
    namespace: sandbox ? SANDBOX_NAMESPACE : 'default',
    connection: {},
  };
  // The sandbox never uses a real Temporal.
  if (sandbox) return usual;
  const { payloadKeys: keysOf } = await import('./payload-keys.js');
  const keys = await keysOf(env, cwd);
  const encrypted = keys === undefined ? {} : { payloadKeys: keys };
  const configured =
    given(env.TEMPORAL_ADDRESS) !== undefined ||
    given(env.TEMPORAL_PROFILE) !== undefined ||
    config.temporal?.address !== undefined;
  if (!configured)
    return {
      ...usual,
      ...encrypted,
      namespace: given(env.TEMPORAL_NAMESPACE) ?? config.temporal?.namespace ?? usual.namespace,
    };
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => given(entry[1]) !== undefined && entry[0].startsWith('TEMPORAL_'),
    ),
  );
  const profile = given(env.TEMPORAL_PROFILE);
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  try {
    // Unless a profile was requested, Temporal's config file on this machine is ignored.
    const loaded = loadClientConnectConfig({
      overrideEnvVars,
      ...(profile === undefined && given(env.TEMPORAL_CONFIG_FILE) === undefined ? { disableFile: true } : {}),
    });
    const address = given(loaded.connectionOptions.address) ?? config.temporal?.address ?? DEFAULT_TEMPORAL_ADDRESS;
    const namespace = loaded.namespace ?? config.temporal?.namespace ?? 'default';
    return { configured: true, address, namespace, connection: { ...loaded.connectionOptions, address }, ...encrypted };
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
    // Reported below, like any other wrong value.
  }
  throw new ConfigError('timings', `${variable} is not a JSON object of times in ms: ${text}`, `Unset ${variable}.`);
}

/** The key from a variable that a person named. */
export function environmentKey(variable: string, env: Environment = process.env): string | undefined {
  return given(env[variable])?.trim();
}
