import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { temporal } from '@temporalio/proto';
import { EncryptionCodec, type PayloadKeys } from './payload-codec';

export interface CodecServerOptions {
  keys: PayloadKeys;
  /** Where it listens: an address of this machine. */
  host: string;
  port: number;
  /** Origins of Web UIs whose pages may send requests: `http://127.0.0.1:8233`. */
  origins: readonly string[];
}

/** Maximum size in bytes; a list of payloads is far smaller. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Serves `POST /decode` and `POST /encode` in the format of Temporal's Web UI and CLI: JSON with `payloads`, in and
 * out. It accepts requests from pages of the given origins only, and from programs, which send no origin.
 * @throws if the address is taken
 */
export async function serveCodec(options: CodecServerOptions): Promise<{ port: number; close: () => Promise<void> }> {
  const codec = new EncryptionCodec(options.keys);
  const server = createServer((request, response) => {
    void answer(codec, options.origins, request, response).catch((error: unknown) => {
      reply(response, 400, { message: error instanceof Error ? error.message : String(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : options.port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  codec: EncryptionCodec,
  origins: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined) {
    // Pages of any other site could otherwise read what is decrypted here.
    if (!origins.includes(origin)) {
      reply(response, 403, { message: 'this origin may not ask' });
      return;
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
    response.setHeader('access-control-allow-headers', 'content-type, x-namespace, authorization');
    response.setHeader('vary', 'origin');
  }
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  const action = ACTIONS.find((one) => request.url === `/${one}`);
  if (request.method !== 'POST' || action === undefined) {
    reply(response, 404, { message: 'POST /decode or /encode' });
    return;
  }
  // Without a preflight request, which other sites' pages can avoid too, the content type would be text.
  if (!/^application\/json\b/iu.test(request.headers['content-type'] ?? '')) {
    reply(response, 415, { message: 'application/json is expected' });
    return;
  }
  const { payloads } = temporal.api.common.v1.Payloads.fromObject(JSON.parse(await bodyOf(request)) as object);
  const given = temporal.api.common.v1.Payloads.fromObject({ payloads: await codec[action](payloads) });
  reply(response, 200, temporal.api.common.v1.Payloads.toObject(given, { bytes: String }));
}

const ACTIONS = ['decode', 'encode'] as const;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('more than 16 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
