import { type NativeConnectionOptions } from '@temporalio/worker';
import { given } from './accounts';
import type * as workflowIds from '../../workflows/ids';
import { type Config } from './config';
import { ConfigError } from '../errors/errors';
import { type Environment } from './environment';

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

export const DEFAULT_TEMPORAL_ADDRESS = '127.0.0.1:7233';
/** The same as in workflows/ids, where it is used in commands that are shown. */
const SANDBOX_NAMESPACE: typeof workflowIds.SANDBOX_NAMESPACE = 'reelay-sandbox';

export async function temporal(
  env: Environment,
  config: Config,
  sandbox: boolean,
  cwd: string,
): Promise<TemporalSettings> {
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
