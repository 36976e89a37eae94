import { BlockList, isIPv4 } from 'node:net';
import { ServiceConfigError } from '../config-error';

/** A proxy to go through. */
export interface Proxy {
  /** Scheme, host and port, without credentials: safe to show. */
  readonly origin: string;
  /** The header's value, a secret. */
  readonly authorization: string | undefined;
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
}

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the usual variables name for this address: `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, except for
 * what `NO_PROXY` lists; lower-case names take precedence. Undefined: connect directly.
 * @throws ServiceConfigError for a proxy that cannot be used; the message never shows its value
 */
export function findProxy(origin: string, env: Environment): Proxy | undefined {
  const target = new URL(origin);
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  if (value === '' || isExcluded(target, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) throw wrong(name, 'cannot be read as an address; write it as http://host:port');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw wrong(name, `names a ${url.protocol.slice(0, -1)} proxy; only http:// and https:// proxies can be used`);
  }
  return { origin: url.origin, ...credentialsOf(url) };
}

function credentialsOf(url: URL): Pick<Proxy, 'authorization' | 'secrets'> {
  if (url.username === '' && url.password === '') return { authorization: undefined, secrets: [] };
  const password = percentDecoded(url.password);
  const encoded = Buffer.from(`${percentDecoded(url.username)}:${password}`).toString('base64');
  return { authorization: `Basic ${encoded}`, secrets: [encoded, password] };
}

/** Percent-decoded as far as it is percent-encoded: in an address that a person typed, a bare `%` means itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  }
}

/** Entries are separated by commas or spaces: `*`, a host (and all below it), `host:port`, an IPv4 range `10.0.0.0/8`. */
function isExcluded(target: URL, list: string): boolean {
  const host = bare(target.hostname);
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  const range = /^([\d.]+)\/(\d+)$/.exec(entry);
  if (range) return inRange(host, range[1] ?? '', Number(range[2]));
  const withPort = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(entry);
  if (withPort && withPort[2] !== port) return false;
  const name = bare((withPort?.[1] ?? entry).replace(/^\*?\./, ''));
  return host === name || host.endsWith(`.${name}`);
}

function inRange(host: string, network: string, bits: number): boolean {
  if (!isIPv4(host) || !isIPv4(network) || bits > 32) return false;
  const block = new BlockList();
  block.addSubnet(network, bits);
  return block.check(host);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function wrong(name: string, what: string): ServiceConfigError {
  return new ServiceConfigError('proxy', `The environment variable ${name} (or ${name.toLowerCase()}) ${what}.`);
}
