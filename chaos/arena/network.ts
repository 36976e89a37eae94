import { execFileSync, spawnSync } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'ignore' });

/** Whether this machine allows us to create network namespaces. */
export function canMakeHosts(): boolean {
  return process.getuid?.() === 0 && spawnSync('unshare', ['--net', '--uts', 'ip', 'link']).status === 0;
}

const number = process.pid % 10_000;

/** An address of this machine that its hosts reach by their links; what is shared listens there. */
export class SharedAddress {
  readonly address = `10.213.${200 + (number % 50)}.1`;

  constructor() {
    ip('addr', 'add', `${this.address}/32`, 'dev', 'lo');
  }

  remove(): void {
    spawnSync('ip', ['addr', 'del', `${this.address}/32`, 'dev', 'lo']);
  }
}

/** A network namespace with its own name, like another host, and one link to this machine. */
export class Host {
  private readonly namespace: string;
  private readonly link: string;

  constructor(
    readonly name: string,
    index: number,
  ) {
    this.namespace = `reelay-${number}-${index}`;
    this.link = `rl${number}-${index}`;
    const at = (last: number): string => `10.213.${number % 200}.${index * 4 + last}`;
    ip('netns', 'add', this.namespace);
    ip('link', 'add', this.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.namespace);
    ip('addr', 'add', `${at(1)}/30`, 'dev', this.link);
    ip('link', 'set', this.link, 'up');
    for (const args of [
      ['addr', 'add', `${at(2)}/30`, 'dev', 'eth0'],
      ['link', 'set', 'eth0', 'up'],
      ['link', 'set', 'lo', 'up'],
      ['route', 'add', 'default', 'via', at(1)],
    ])
      ip('-n', this.namespace, ...args);
  }

  /** The command prefix that runs a command in it. */
  get through(): string[] {
    const named = ['sh', '-c', 'hostname "$0" && exec "$@"', this.name];
    return ['ip', 'netns', 'exec', this.namespace, 'unshare', '--uts', ...named];
  }

  cut(): void {
    ip('link', 'set', this.link, 'down');
  }

  reconnect(): void {
    ip('link', 'set', this.link, 'up');
  }

  remove(): void {
    spawnSync('ip', ['link', 'del', this.link]);
    spawnSync('ip', ['netns', 'del', this.namespace]);
  }
}

/** Forwards connections to a port of this machine, which can change, like an address that moves with the primary. */
export class Forwarder {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();

  constructor(private target: number) {}

  /** Listens on a free port of an address, and returns it. */
  async listen(address: string): Promise<number> {
    const server = createServer((client) => {
      const upstream = connect(this.target, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    this.servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const listening = server.address();
    if (listening === null || typeof listening === 'string') throw new Error('no port');
    return listening.port;
  }

  /** Open connections are closed. */
  moveTo(target: number): void {
    this.target = target;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
