import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../errors/errors';
import { expandHome, given } from './accounts';

const FILE = 'REELAY_PAYLOAD_KEYS_FILE';
const VARIABLE = 'REELAY_PAYLOAD_KEYS';
const HINT =
  'Write ID:KEY, one per line or separated by commas; a KEY is 32 bytes in Base64: openssl rand -base64 32. The first one encrypts.';

/**
 * The payload keys from `REELAY_PAYLOAD_KEYS` or its file, by id; undefined if neither is set.
 * @throws ConfigError, which never quotes a key
 */
export async function payloadKeys(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
  const file = given(env[FILE]);
  const text = given(env[VARIABLE]) ?? (file === undefined ? undefined : await read(resolve(cwd, expandHome(file))));
  if (text === undefined) return undefined;
  const keys = new Map<string, Buffer>();
  for (const line of text.split(/[\n,]/u).map((part) => part.trim())) {
    if (line === '') continue;
    const [, id = '', encoded = ''] = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/u.exec(line) ?? [];
    const place = `${VARIABLE}: key ${String(keys.size + 1)}`;
    if (id === '') throw new ConfigError('payload-keys', `${place} is not an id, a colon and 32 bytes in Base64`, HINT);
    if (keys.has(id)) throw new ConfigError('payload-keys', `${VARIABLE}: two keys have the id ${id}`, HINT);
    keys.set(id, Buffer.from(encoded, 'base64'));
  }
  if (keys.size === 0) throw new ConfigError('payload-keys', `${VARIABLE} has no key`, HINT);
  return keys;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError('payload-keys', `${FILE}: ${path} can’t be read (${code ?? 'unknown reason'})`, HINT);
  }
}
