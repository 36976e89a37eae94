import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, later, temporaryFolder, until } from '../local-servers';
import { ownCertificate } from '../own-certificate';

afterEach(cleanUp);

/** Cuts its upload once the connection has accepted 1 MB, reports how it ended, and stays until its input ends. */
const CHILD = `
const { ServiceClient } = require(${JSON.stringify(join(__dirname, '..', '..', '..', 'service', 'api', 'client.ts'))});
const client = new ServiceClient({ baseUrl: process.argv[1], apiKey: 'k', environment: {} });
const stop = new AbortController();
client.createPublication(
  { platform: 'platform_a', source: { kind: 'file', path: process.argv[2] }, status: 'published' },
  { signal: stop.signal, onProgress: (sent) => void (sent > 1_000_000 && setTimeout(() => stop.abort(), 500)) },
).then(() => console.log('through'), (error) => console.log(error.kind));
process.stdin.resume().on('end', () => process.exit(0));
`;

test.each(['http', 'https'])(
  'an upload that is cut stops at once over %s: what the system holds of it goes nowhere',
  async (scheme) => {
    const path = join(await temporaryFolder(), 'clip.mp4');
    await writeFile(path, '');
    await truncate(path, 40_000_000);
    let upload: IncomingMessage | undefined;
    let received = 0;
    let over = false;
    const take = (request: IncomingMessage): void => {
      upload = request;
      request.on('data', (chunk: Buffer) => (received += chunk.length));
      request.once('data', () => request.pause());
      request.on('error', () => undefined).on('close', () => (over = true));
    };
    const server: Server = scheme === 'http' ? createServer(take) : createTlsServer(ownCertificate(), take);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    later(
      () =>
        new Promise((done) => {
          server.close(done);
          server.closeAllConnections();
        }),
    );
    const { port } = server.address() as AddressInfo;
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '-e', CHILD, `${scheme}://127.0.0.1:${String(port)}`, path],
      {
        cwd: join(__dirname, '..', '..', '..'),
        env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    const gone = new Promise((resolve) => child.once('close', resolve));
    later(async () => {
      child.stdin.end();
      await gone;
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said !== '');
    expect(said.trim()).toBe('aborted');
    upload?.resume();
    await until(() => over);
    // Closed in the usual way, it would be all that the system had taken: over 2 MB.
    expect(received).toBeLessThan(700_000);
  },
);
