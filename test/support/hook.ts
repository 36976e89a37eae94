import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** An address that receives notices: answers as configured (0: never), 200 after that, and records what it received. */
export class Hook {
  readonly got: { path: string; id: string | undefined; body: string; answered: number }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly answers: number[],
  ) {}

  static async start(answers: number[] = []): Promise<Hook> {
    const server = createServer();
    const hook = new Hook(server, answers);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const answered = answers.shift() ?? 200;
        const id = request.headers['idempotency-key'];
        hook.got.push({ path: request.url ?? '', id: typeof id === 'string' ? id : undefined, body, answered });
        if (answered > 0) response.writeHead(answered).end('noted');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hook;
  }

  /** What the next requests get. */
  next(...answers: number[]): void {
    this.answers.push(...answers);
  }

  url(path: string): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}${path}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
