import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { loadPlace } from '../../../activities/schedules/manifest-place';
import { pointReboundHere, REBOUND } from '../../support/rebound-name';

let server: Server;
let port: number;
let location: string;
const asked: string[] = [];

beforeAll(pointReboundHere);
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.headers.host ?? ''}${request.url ?? ''}`);
    if (request.url?.startsWith('/moved') === true) response.writeHead(302, { location }).end();
    else response.end('key,source\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => asked.splice(0));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const load = (path: string, allowed: readonly string[] = []) =>
  loadPlace({ kind: 'url', url: `http://localhost:${String(port)}${path}`, base: '/' }, allowed);

test('what a URL answers with is marked as remote', async () => {
  expect(await load('/feed%2.csv', ['intranet'])).toMatchObject({
    name: 'feed%2.csv',
    remote: { privateHosts: ['intranet'], address: expect.stringMatching(/^http:/u) },
  });
});

test('a redirect into the operator’s own network is not followed, unless its host is allowed', async () => {
  location = `http://127.0.0.1:${String(port)}/secret.csv`;
  await expect(load('/moved')).rejects.toThrow('leads to 127.0.0.1, an address inside your own network');
  location = 'http://169.254.169.254/latest/meta-data';
  await expect(load('/moved')).rejects.toThrow('inside your own network');
  location = 'file:///etc/passwd';
  await expect(load('/moved')).rejects.toThrow('is redirected to a file: address');
  expect(asked).toHaveLength(3);
  location = `http://127.0.0.1:${String(port)}/feed.csv`;
  expect(await load('/moved', ['127.0.0.1'])).toMatchObject({ name: 'moved' });
  location = '/feed.csv';
  expect(await load('/moved')).toMatchObject({ name: 'moved' });
});

test('a public name that resolves to a private address is not read, whether it is the manifest’s own or a redirect’s', async () => {
  const rebound = `http://${REBOUND}:${String(port)}/feed.csv`;
  const own = (allowed: readonly string[] = []) => loadPlace({ kind: 'url', url: rebound, base: '/' }, allowed);
  const refusal = `leads to ${REBOUND}, an address inside your own network (private_hosts in the config allows it)`;
  await expect(own()).rejects.toThrow(refusal);
  expect(asked).toEqual([]);
  location = rebound;
  await expect(load('/moved')).rejects.toThrow(refusal);
  expect(asked).toHaveLength(1);
  expect(await own([REBOUND])).toMatchObject({ name: 'feed.csv' });
});
