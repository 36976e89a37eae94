import { placeOf } from '../../../../ledger/model/location';
import { type Config } from '../../../config/config';
import { type Settings, type SharedFlags } from '../../../config/settings';

/** A setting's effective value, and where it came from. Never contains secrets. */
export interface ShownSetting {
  name: string;
  value: string;
  /** `flag --base-url`, `REELAY_BASE_URL`, the config's path, or `default`. */
  from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface SourceInput {
  flags: SharedFlags;
  env: Environment;
  config: Config;
  settings: Settings;
}

/**
 * All settings, in the order in which people meet them; only those that differ from their default, and those that every
 * run needs.
 */
export function shownSettings(input: SourceInput): ShownSetting[] {
  const { flags, env, config, settings } = input;
  const file = settings.configPath ?? 'config';
  const from = (flag: string | null, variable: string | null, configured: unknown): string => {
    if (flag !== null) return `flag ${flag}`;
    if (variable !== null && given(env[variable])) return variable;
    return configured === undefined ? 'default' : file;
  };
  const shown: ShownSetting[] = [
    {
      name: 'config',
      value: settings.configPath ?? 'none',
      from: flags.config === undefined ? 'searched upward' : 'flag --config',
    },
    {
      name: 'home',
      value: settings.home,
      from: from(flags.home === undefined ? null : '--home', 'REELAY_HOME', undefined),
    },
    {
      name: 'ledger',
      value: placeOf(settings.ledger),
      from: settings.sandbox ? 'home' : from(null, 'REELAY_DATABASE_URL', undefined),
    },
    {
      name: 'base_url',
      value: baseUrlOf(settings),
      from: from(flags.baseUrl === undefined ? null : '--base-url', 'REELAY_BASE_URL', config.base_url),
    },
    { name: 'api_key', ...keyOf(input, file) },
  ];
  if (settings.sandbox)
    return [
      ...shown.filter((one) => one.name !== 'base_url'),
      { name: 'sandbox', value: 'yes', from: 'flag --sandbox' },
    ];
  shown.push({
    name: 'platforms',
    value: settings.platforms.map((platform) => `${platform.name} (${platform.kind})`).join(', '),
    from: from(null, null, config.platforms),
  });
  for (const [name, value] of Object.entries(config)) {
    if (value !== undefined && !SHOWN_APART.has(name))
      shown.push({ name, value: typeof value === 'string' ? value : JSON.stringify(shownValue(value)), from: file });
  }
  for (const [name, value] of Object.entries(config.temporal ?? {})) {
    if (!given(env[`TEMPORAL_${name.toUpperCase()}`]))
      shown.push({ name: `temporal.${name}`, value: value ?? '', from: file });
  }
  return [...shown, ...fromEnvironment(env)];
}

/** The whole address of notices is often a secret. */
function shownValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('url' in value) || typeof value.url !== 'string') return value;
  return { ...value, url: new URL(value.url).origin };
}

/** Settings of the config that are shown by their effect, or in parts. */
const SHOWN_APART = new Set(['base_url', 'api_key_env', 'api_key_file', 'platforms', 'temporal']);

function baseUrlOf(settings: Settings): string {
  try {
    return maskAddress(settings.baseUrl());
  } catch {
    return 'not set';
  }
}

function keyOf({ env, config, settings }: SourceInput, file: string): Omit<ShownSetting, 'name'> {
  if (settings.sandbox) return { value: '***', from: 'the sandbox’s own' };
  if (given(env[settings.keyVariable])) return { value: '***', from: settings.keyVariable };
  if (given(env.REELAY_API_KEY_FILE))
    return { value: '***', from: `REELAY_API_KEY_FILE ${env.REELAY_API_KEY_FILE ?? ''}` };
  if (config.api_key_file !== undefined) return { value: '***', from: `api_key_file ${config.api_key_file} (${file})` };
  return { value: 'not set', from: settings.keyVariable };
}

/** Variables that other code reads: Temporal's, the proxies, and ours for tests and binaries. */
const VARIABLES =
  /^(TEMPORAL_\w+|REELAY_(TEMPORAL_BIN|TEMPORAL_DOWNLOAD|CACHE|TIMINGS|TIME_LIMITS)|https?_proxy|no_proxy)$/i;
/** Only their names are shown. */
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|_DATA$|GRPC_META/i;

function fromEnvironment(env: Environment): ShownSetting[] {
  return Object.entries(env)
    .filter(([name, value]) => VARIABLES.test(name) && given(value))
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value = '']) => ({
      name,
      value: SECRET.test(name) && !/_PATH$/i.test(name) ? '***' : maskAddress(value),
      from: 'environment',
    }));
}

/** An address without its user, password and query. */
function maskAddress(text: string): string {
  return text.replace(/(:\/\/)[^\s/@]+@/g, '$1***@').replace(/https?:\/\/\S+/gi, withoutQuery);
}

function withoutQuery(address: string): string {
  const query = address.indexOf('?');
  return query === -1 ? address : `${address.slice(0, query)}?***`;
}

function given(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}
