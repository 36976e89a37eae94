/** The variables that the Temporal client (grpc-js) reads, in its order; it ignores upper-case names. */
const PROXY_VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const;

/** Connection options for an address: a server on this machine is never behind a proxy, whatever the environment says. */
export function proxyOptions(address: string): { channelArgs?: Record<string, number> } {
  return isLoopback(hostOf(address)) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {};
}

/** The proxy that a connection to this address goes through, for messages: without user name and password. */
export function proxyOf(
  address: string,
  env: NodeJS.ProcessEnv = process.env,
): { variable: string; proxy: string } | null {
  const host = hostOf(address);
  const variable = PROXY_VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isLoopback(host)) return null;
  const excluded = (env.no_grpc_proxy ?? env.no_proxy ?? '').split(',').map((entry) => entry.trim());
  if (excluded.some((entry) => entry !== '' && (host === entry || host.endsWith(entry)))) return null;
  const value = env[variable] ?? '';
  const url = URL.canParse(value) ? new URL(value) : null;
  return { variable, proxy: url === null ? 'a value that is no URL' : `${url.protocol}//${url.host}` };
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/gu, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}
