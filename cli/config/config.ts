import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type NoticeKind } from '../../manifests/settings/notify-setting';
import { ConfigError } from '../errors/errors';
import { configPlaces } from './config-file';
import { demandOwnConfig } from './config-owner';
import { parseDuration } from '../../wording/duration';

const NOTICES = ['ended', 'parked', 'refused'] as const satisfies readonly NoticeKind[];

const duration = z.string().refine((text) => parseDuration(text) !== undefined, {
  error: 'is not a duration such as 24h, 90m or 2d',
});

const platform = z.strictObject({
  name: z.string().min(1).describe('Wire value of the platform, as the service names it.'),
  kind: z.enum(['short', 'long']),
  title_limit: z.int().min(1).optional().describe('In characters; stricter than the interface’s.'),
  description_limit: z.int().min(1).optional(),
});

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable');
const fieldDefaults = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));

/** One account of `accounts`, with the settings that can differ per account. */
const account = z.strictObject({
  base_url: z.string().min(1).optional(),
  api_key_env: variable.optional(),
  api_key_file: z.string().min(1).optional(),
  exclusive: z.boolean().optional(),
  trust_429: z.boolean().optional(),
  platforms: z.array(platform).min(1).optional(),
  defaults: fieldDefaults.optional(),
  pace: z.record(z.string(), z.unknown()).optional(),
});

const accountName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'is a name of letters, digits, “.”, “_”, “-”');

/** The contents of `reelay.config.yaml`. Never a secret. */
export const configSchema = z.strictObject({
  base_url: z.string().min(1).optional(),
  api_key_env: variable.optional(),
  api_key_file: z.string().min(1).optional(),
  exclusive: z.boolean().optional(),
  trust_429: z.boolean().optional(),
  platforms: z.array(platform).min(1).optional(),
  account: accountName.optional(),
  accounts: z.record(accountName, account).optional(),
  timezone: z.string().min(1).optional(),
  date_format: z.string().min(1).optional(),
  columns: z.record(z.string(), z.string()).optional(),
  defaults: fieldDefaults.optional(),
  late: z.enum(['publish', 'hold', 'skip']).optional(),
  give_up_after: duration.optional(),
  ambiguous: z.enum(['reconcile', 'hold']).optional(),
  repeat: z.enum(['refuse', 'allow']).optional(),
  // Checked by the same rules as in manifests, which give the error messages.
  pace: z.record(z.string(), z.unknown()).optional(),
  tolerate: z.unknown().optional(),
  canary: z.unknown().optional(),
  temporal: z
    .strictObject({ address: z.string().min(1).optional(), namespace: z.string().min(1).optional() })
    .optional(),
  notify: z
    .strictObject({
      command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
      url: z.url({ protocol: /^https?$/, error: 'is not an http(s) address' }).optional(),
      url_env: variable.optional(),
      env: z.array(variable).min(1).optional(),
      on: z.array(z.enum(NOTICES)).min(1).optional(),
    })
    .optional(),
  private_hosts: z
    .array(z.string().regex(/^[^\s\/:@]+$|^\[[0-9a-f:.]+\]$/i, 'is a host, without scheme and port'))
    .optional(),
  web_ui: z.url({ protocol: /^https?$/, error: 'is not an http(s) address' }).optional(),
});

export type Config = z.infer<typeof configSchema>;
export type ConfiguredAccount = z.infer<typeof account>;

export interface LoadedConfig {
  /** Absolute; null when there is no config file. */
  path: string | null;
  config: Config;
}

/**
 * Reads the config file: the one that was named, or the first `reelay.config.yaml` from `cwd` upward, if only its user
 * can write to it.
 * @throws ConfigError with every problem of the file, each with its line
 */
export async function loadConfig(input: { path: string | null; cwd: string }): Promise<LoadedConfig> {
  const found = input.path === null ? await searchUpward(input.cwd) : await readNamed(resolve(input.cwd, input.path));
  if (found === null) return { path: null, config: {} };
  return { path: found.path, config: await parseConfig(found.text, found.path) };
}

async function readNamed(path: string): Promise<{ path: string; text: string }> {
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new ConfigError('config-file', `config ${path}: ${reason}`, 'Check --config.');
  }
}

async function searchUpward(from: string): Promise<{ path: string; text: string } | null> {
  for (const path of configPlaces(from)) {
    try {
      const text = await readFile(path, 'utf8');
      await demandOwnConfig(path);
      return { path, text };
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new ConfigError('config-file', `config ${path}: ${message}`);
    }
  }
  return null;
}

/** @throws ConfigError */
export async function parseConfig(text: string, path: string): Promise<Config> {
  const { parseDocument, LineCounter } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  const [broken] = document.errors;
  if (broken) {
    const { line } = lineCounter.linePos(broken.pos[0]);
    throw new ConfigError('config-file', `config ${path}, line ${line}: ${broken.message}`, 'Fix the YAML.');
  }
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch (error) {
    // An alias without its anchor, or aliases that expand without bound, are found only here.
    throw new ConfigError('config-file', `config ${path}: ${(error as Error).message}`, 'Fix the YAML.');
  }
  const checked = configSchema.safeParse(value);
  const loose = checked.success ? await looseLimits(checked.data) : [];
  if (checked.success && loose.length === 0) return checked.data;

  const found: { at: number; text: string }[] = [];
  for (const { path: keys, what } of loose) found.push(problem(keys, what));
  for (const issue of checked.error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) found.push(problem([...issue.path, key], await unknownKey(key, issue.path)));
    } else found.push(problem(issue.path, wordsOf(issue.message)));
  }
  const lines = found.sort((a, b) => a.at - b.at).map(({ text }) => text);
  const first = lines.length === 1 ? (lines[0] ?? '') : `${lines.length} problems\n  ${lines.join('\n  ')}`;
  throw new ConfigError(
    'config',
    `config ${path}, ${first}`,
    `Allowed keys: ${Object.keys(configSchema.shape).join(', ')}.`,
  );

  function problem(keys: readonly PropertyKey[], what: string): { at: number; text: string } {
    const name = keys.map(String).join('.') || 'the file';
    const node = document.getIn(keys.slice(0, -1), true);
    const items = (node as { items?: { key?: { value?: unknown; range?: [number, number, number] } }[] } | undefined)
      ?.items;
    const offset = items?.find((item) => item.key?.value === keys.at(-1))?.key?.range?.[0];
    const at = offset === undefined ? 0 : lineCounter.linePos(offset).line;
    return { at, text: `${at === 0 ? '' : `line ${String(at)}, `}${name}: ${what}` };
  }
}

/** Limits that would allow what the interface refuses (section 8). */
async function looseLimits(config: Config): Promise<{ path: PropertyKey[]; what: string }[]> {
  const { DESCRIPTION_LIMIT, TITLE_LIMIT } = await import('../../service/limits.js');
  const lists: [PropertyKey[], Config['platforms']][] = [[['platforms'], config.platforms]];
  for (const [name, { platforms }] of Object.entries(config.accounts ?? {})) {
    lists.push([['accounts', name, 'platforms'], platforms]);
  }
  return lists.flatMap(([path, platforms]) =>
    (platforms ?? []).flatMap(({ kind, title_limit = 0, description_limit = 0 }, at) => {
      const above = (field: string, limit: number): { path: PropertyKey[]; what: string } => ({
        path: [...path, at, field],
        what: `is above the interface’s ${String(limit)} for ${kind} platforms; only a stricter one can be set`,
      });
      return [
        ...(title_limit > TITLE_LIMIT[kind] ? [above('title_limit', TITLE_LIMIT[kind])] : []),
        ...(description_limit > DESCRIPTION_LIMIT ? [above('description_limit', DESCRIPTION_LIMIT)] : []),
      ];
    }),
  );
}

async function unknownKey(key: string, at: readonly PropertyKey[]): Promise<string> {
  if (/^(api_?key|key|token|secret)$/i.test(key)) {
    return 'never put a key into this file; name its environment variable with `api_key_env`, or its file with `api_key_file`';
  }
  if (at.length > 0) return 'is not known here';
  const { closest, distance } = await import('fastest-levenshtein');
  const near = closest(key, Object.keys(configSchema.shape));
  return distance(key, near) <= 3 ? `is not known; did you mean “${near}”?` : 'is not known';
}

function wordsOf(message: string): string {
  return message.replace(/^Invalid input: /, '').replace(/^Invalid option: /, '');
}
