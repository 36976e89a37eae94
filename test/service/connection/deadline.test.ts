import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Asks once with a limit of 5 s and prints what came. */
const CHILD = `
const { ServiceClient } = require(${JSON.stringify(join(__dirname, '..', '..', '..', 'service', 'api', 'client.ts'))});
const client = new ServiceClient({ baseUrl: process.argv[1], apiKey: 'k', environment: {}, limits: { createAnswerMs: 5000 } });
client.createPublication({ platform: 'platform_a', source: { kind: 'url', url: 'https://v.example/1.mp4' }, status: 'published' })
  .then((made) => console.log(made.publication.id), (error) => console.log(error.kind))
  .then(() => process.exit(0));
`;

describe('a process that was stopped over its time limit', () => {
  it('still reads the answer that arrived meanwhile', async () => {
    const answer = { publication: { id: 'p-1', platform: 'platform_a', status: 'processing' }, message: 'ok' };
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        child.kill('SIGSTOP');
        setTimeout(() => {
          response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
          setTimeout(() => child.kill('SIGCONT'), 7_000);
        }, 300);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const child = spawn(process.execPath, ['--import', 'tsx', '-e', CHILD, `http://127.0.0.1:${port}`], {
      cwd: join(__dirname, '..', '..', '..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => server.close(resolve));
    expect(said.trim()).toBe('p-1');
  });
});
