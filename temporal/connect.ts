import { connect } from 'node:net';
import { Client, Connection, isGrpcServiceError, type ConnectionOptions } from '@temporalio/client';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { dataConverterFor, type PayloadKeys, WITHOUT_KEYS } from './payload-codec';
import { proxyOf, proxyOptions } from '../host/grpc-proxy';

/** How to reach Temporal. The caller, which reads the environment and its config file, provides all of it. */
export interface TemporalOptions {
  /** host:port */
  address: string;
  namespace: string;
  /** TLS, API key and so on, in the shape that client and worker share. */
  connection?: NativeConnectionOptions;
  /** Keys that encrypt payloads; none: they are not encrypted. */
  payloadKeys?: PayloadKeys;
}

export interface TemporalConnection {
  client: Client;
  address: string;
  namespace: string;
  close(): Promise<void>;
}

/** Temporal can't be used as configured: one line with address, namespace and the likely cause. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
  readonly code = 'temporal-unreachable';

  constructor(
    readonly address: string | null,
    readonly namespace: string,
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(address === null ? `Temporal: ${why}` : `Temporal at ${address} (namespace ${namespace}): ${why}`, options);
  }
}

const CONNECT_MS = 8_000;

/** @throws TemporalUnreachableError within 10 s */
export async function connectTemporal(options: TemporalOptions): Promise<TemporalConnection> {
  const { address, namespace } = options;
  let connection: Connection;
  try {
    connection = await Connection.connect({
      ...proxyOptions(address),
      ...(options.connection as ConnectionOptions | undefined),
      address,
      connectTimeout: CONNECT_MS,
    });
  } catch (error) {
    const proxy = proxyOf(address);
    // Behind a proxy, the result of a direct connection says nothing.
    const cause = likelyCause(error) ?? (proxy === null ? await tcpProblem(address) : undefined) ?? NO_ANSWER;
    if (proxy !== null)
      throw new TemporalUnreachableError(address, namespace, `${cause}; ${throughText(proxy, address)}`, {
        cause: error,
      });
    throw new TemporalUnreachableError(address, namespace, cause, { cause: error });
  }
  try {
    await connection.withDeadline(Date.now() + CONNECT_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    await connection.close();
    throw new TemporalUnreachableError(address, namespace, likelyCause(error) ?? NO_ANSWER, { cause: error });
  }
  return {
    client: new Client({
      connection,
      namespace,
      ...(options.payloadKeys === undefined ? WITHOUT_KEYS : dataConverterFor(options.payloadKeys)),
    }),
    address,
    namespace,
    close: () => connection.close(),
  };
}

function throughText({ variable, proxy }: { variable: string; proxy: string }, address: string): string {
  const host = address.slice(0, address.lastIndexOf(':'));
  return `the connection goes through the proxy ${proxy} (${variable}); if it should not, add ${host} to no_proxy`;
}

/** gRPC status codes, as the wire has them. */
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

function likelyCause(error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : String(error);
  const code = grpcCode(error);
  if (code === NOT_FOUND) return 'this namespace does not exist there';
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED)
    return 'it refuses the credentials (TEMPORAL_API_KEY or TLS certificate)';
  if (/ECONNREFUSED|connection refused/iu.test(text)) return 'nothing listens on this address';
  if (/ENOTFOUND|EAI_AGAIN|name resolution/iu.test(text)) return 'this host name is not known';
  if (/certificate|self.signed|unable to verify/iu.test(text))
    return 'its TLS certificate is not trusted (TEMPORAL_TLS_SERVER_CA_CERT_PATH)';
  if (/wrong version number|EPROTO|ECONNRESET|protocol error|socket hang up/iu.test(text)) {
    return 'the connection breaks at once: TLS on one side only? (TEMPORAL_TLS)';
  }
  return undefined;
}

const NO_ANSWER =
  'no answer in time: nothing there, a firewall, or TLS on one side only (TEMPORAL_ADDRESS, TEMPORAL_TLS)';
const LOOK_MS = 1_000;

/** The network's result for an address; gRPC silently keeps trying when a connection is refused at once. */
async function tcpProblem(address: string): Promise<string | undefined> {
  const at = address.lastIndexOf(':');
  const port = Number(address.slice(at + 1));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  const socket = connect({ host: address.slice(0, at).replace(/^\[|\]$/gu, ''), port, timeout: LOOK_MS });
  try {
    return await new Promise<string | undefined>((resolve) => {
      socket.once('error', (error) => resolve(likelyCause(error)));
      socket.once('connect', () => resolve(undefined));
      socket.once('timeout', () => resolve(undefined));
    });
  } finally {
    socket.destroy();
  }
}
