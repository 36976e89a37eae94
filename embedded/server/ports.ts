import { createServer } from 'node:net';

export interface ServerPorts {
  grpc: number;
  ui: number;
  /** Of the HTTP API, which answers nobody. @default one that the server chooses */
  http?: number;
}

/** Temporal's usual ports. */
export const USUAL_PORTS: ServerPorts = { grpc: 7233, ui: 8233 };

/** The usual ports where they are free, else any free ones; each on its own. */
export async function choosePorts(usual: ServerPorts = USUAL_PORTS): Promise<ServerPorts> {
  const grpc = (await isFree(usual.grpc)) ? usual.grpc : await freePort();
  const ui = (await isFree(usual.ui)) ? usual.ui : await freePort();
  return { grpc, ui };
}

export async function isFree(port: number): Promise<boolean> {
  return (await listen(port)) !== null;
}

export async function freePort(): Promise<number> {
  const port = await listen(0);
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}

async function listen(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
