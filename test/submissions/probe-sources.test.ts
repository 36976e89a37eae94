import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { probeSources } from '../../submissions/probe-sources';
import { readManifest } from '../../manifests/read-manifest';
import { pointReboundHere, REBOUND } from '../support/rebound-name';

let server: Server;
let base: string;
let asked: string[];
/** Where `/inside` leads. */
let inside: string;

beforeAll(pointReboundHere);
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(`${request.method ?? ''} ${path}`);
    if (path.startsWith('/slow')) return;
    if (path.startsWith('/moved')) return void response.writeHead(302, { location: '/page' }).end();
    if (path.startsWith('/inside')) return void response.writeHead(302, { location: `${inside}/secret` }).end();
    if (path.startsWith('/gone')) return void response.writeHead(404).end();
    if (path.startsWith('/login')) return void response.writeHead(403).end();
    if (path.startsWith('/get-only') && request.method === 'HEAD') return void response.writeHead(405).end();
    if (path.startsWith('/get-only')) {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      // More than anybody should read: it goes on until the other side hangs up.
      const pour = setInterval(() => response.write(Buffer.alloc(65_536)), 5);
      response.on('close', () => clearInterval(pour));
      return;
    }
    response.writeHead(200, { 'content-type': path.startsWith('/page') ? 'text/html' : 'video/mp4' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function probe(urls: readonly string[], boundMs?: number): Promise<(string | number | null)[][]> {
  const text = `source,platform\n${urls.map((url) => `${url},short\n`).join('')}`;
  const reading = await readManifest(
    { text: Buffer.from(text), name: 'spring.csv', base: '/nonexistent' },
    { platforms: [{ name: 'platform_a', kind: 'short' }], now: Date.now() },
  );
  return (await probeSources(reading.rows, boundMs)).map(({ line, severity, code }) => [line, severity, code]);
}

describe('a look at source URLs', () => {
  test.each([
    ['/video.mp4', []],
    ['/get-only', []],
    ['/page', [[2, 'warning', 'url-page']]],
    ['/moved', [[2, 'warning', 'url-page']]],
    ['/gone', [[2, 'warning', 'url-answer']]],
    ['/login', [[2, 'warning', 'url-answer']]],
  ])('judges what is at %s', async (path, expected) => {
    expect(await probe([`${base}${path}`])).toEqual(expected);
  });

  test.each([
    ['a redirect', () => `${base}/inside`, () => base.replace('127.0.0.1', 'localhost')],
    ['a redirect to an address of metadata', () => `${base}/inside`, () => 'http://169.254.169.254'],
    ['a redirect to a name', () => `${base}/inside`, () => base.replace('127.0.0.1', REBOUND)],
    ['a name', () => base.replace('127.0.0.1', REBOUND), () => ''],
  ])('asks nothing of the own network where %s leads there', async (_, source, target) => {
    inside = target();
    expect(await probe([source()])).toContainEqual([2, 'warning', 'url-not-public']);
    expect(asked).toEqual(inside === '' ? [] : ['HEAD /inside']);
  });

  test('warns where nothing listens', async () => {
    const port = new URL(base).port;
    await new Promise((resolve) => server.close(resolve));
    expect(await probe([`http://127.0.0.1:${port}/a.mp4`])).toEqual([[2, 'warning', 'url-answer']]);
    server.listen(0);
  });

  test('asks a host for three URLs at most', async () => {
    await probe(Array.from({ length: 50 }, (_, at) => `${base}/video-${at}.mp4`));
    expect(asked).toEqual(['HEAD /video-0.mp4', 'HEAD /video-1.mp4', 'HEAD /video-2.mp4']);
  });

  test('ends in its time and says nothing about a host that is slow', async () => {
    expect(await probe([`${base}/slow`, `${base}/gone`], 3_000)).toEqual([[3, 'warning', 'url-answer']]);
  });
});
