import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What happens to a connection when a client sends certain bytes: they don't arrive, or their answer doesn't come back. */
export type Cut = 'before' | 'after';

/** A proxy on 127.0.0.1 that cuts a connection at the next bytes which contain a text. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #armed: { text: string; cut: Cut } | null = null;
  cuts = 0;

  constructor(target: number) {
    this.#server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      let silent = false;
      const end = () => {
        client.destroy();
        upstream.destroy();
      };
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', end).on('close', () => {
          this.#sockets.delete(socket);
          end();
        });
      }
      client.on('data', (bytes) => {
        const armed = this.#armed;
        if (armed === null || !bytes.includes(armed.text)) {
          upstream.write(bytes);
          return;
        }
        this.#armed = null;
        this.cuts += 1;
        if (armed.cut === 'before') {
          end();
          return;
        }
        silent = true;
        upstream.write(bytes);
        upstream.once('data', end);
      });
      upstream.on('data', (bytes) => {
        if (!silent) client.write(bytes);
      });
    });
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  arm(text: string, cut: Cut): void {
    this.#armed = { text, cut };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
