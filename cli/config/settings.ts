import { type LedgerLocation } from '../../ledger/model/location';
import { dirname, join, resolve } from 'node:path';
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
import { type Config } from './config';
import { ConfigError, UsageError } from '../errors/errors';
import { type Environment, environmentKey, numbers } from './environment';
import { refuseSharedKeys } from './shared-keys';
import { defaultHome, filesHostOf, ledgerLocation } from './ledger-place';
import { temporal, type TemporalSettings } from './temporal-settings';
import { campaignSettings, type ConfiguredCampaign } from './campaign-settings';

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
  /** It was named by a flag. */
  configNamed: boolean;
  /** The account for rows that don't name one. */
  account: string;
  /** Every account that is configured. */
  accounts: readonly AccountSetting[];
  /** The platforms of all accounts together, those of `account` first. */
  platforms: readonly PlatformSetting[];
  timezone: string | null;
  defaults: FieldDefaults;
  campaign: ConfiguredCampaign;
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

/** The sandbox's own key: publicly known, and useless elsewhere. */
export const SANDBOX_KEY = 'sandbox-key';

/** They contain keys whatever accounts are configured. */
const KEY_VARIABLE = /^(REELAY|TEMPORAL)_API_KEY/;

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
  // In a rehearsal no key is used.
  await refuseSharedKeys(configured.accounts, { config, env, values: !sandbox });
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
    configNamed: flags.config !== undefined,
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
