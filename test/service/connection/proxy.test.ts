import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { ServiceError } from '../../../service/errors';
import { findProxy } from '../../../service/connection/proxy';
import { cleanUp, clientFor, failure, serveJson, serveTcp, thrownBy } from '../local-servers';

afterEach(cleanUp);

const INPUT = { platform: 'platform_a', source: { kind: 'url', url: 'https://videos.example/a.mp4' } } as const;
const CREATED = { publication: { id: 'p1', status: 'processing' } };

/** A proxy that knows CONNECT only; the heads it got. */
async function serveProxy(answer: (target: string) => string): Promise<{ url: string; heads: string[] }> {
  const heads: string[] = [];
  const url = await serveTcp((socket: Socket) => {
    socket.once('data', (chunk: Buffer) => {
      const head = chunk.toString('latin1');
      heads.push(head);
      const target = head.split(' ')[1]!;
      const status = answer(target);
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      if (!status.startsWith('200')) return socket.end();
      const [host, port] = target.split(':');
      const onward = connect(Number(port), host).on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
      socket.on('close', () => onward.destroy());
      return undefined;
    });
  });
  return { url, heads };
}

test('creates and reads go through the proxy, each create by a tunnel of its own', async () => {
  const url = await serveJson(200, { ...CREATED, profiles: [] });
  const proxy = await serveProxy(() => '200 OK');
  const withLogin = proxy.url.replace('http://', 'http://me:p%40ss-hush@');
  const client = clientFor(url, { environment: { HTTP_PROXY: withLogin } });
  await client.createPublication(INPUT);
  await client.createPublication(INPUT);
  await client.listProfiles();
  expect(proxy.heads).toHaveLength(3);
  expect(proxy.heads[0]).toContain(`CONNECT ${new URL(url).host} HTTP/1.1`);
  const login = Buffer.from('me:p@ss-hush').toString('base64');
  expect(proxy.heads[0]?.toLowerCase()).toContain(`proxy-authorization: basic ${login.toLowerCase()}`);
  expect(proxy.heads.join('')).not.toContain('Bearer');
});

test.each([
  ['407 Login', /asks for a user name and password \(407\)/],
  ['502 Bad', /the proxy refused to \(502\)/],
])('a proxy that answers %s means that nothing was sent', async (status, says) => {
  const proxy = await serveProxy(() => status);
  const HTTP_PROXY = proxy.url.replace('http://', 'http://me:hush-hush@');
  const error = await failure(
    clientFor('http://127.0.0.1:9', { environment: { HTTP_PROXY } }).createPublication(INPUT),
    ServiceError,
  );
  expect(error).toMatchObject({ kind: 'connect', sent: 'never' });
  expect(error.message).toMatch(says);
  expect(error.message).toContain(`127.0.0.1:9 through the proxy ${new URL(proxy.url).host}`);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hush');
});

test('a proxy that doesn’t exist, or doesn’t answer, means that nothing was sent', async () => {
  const silent = await serveTcp(() => undefined);
  for (const HTTP_PROXY of ['http://me:hush-hush@127.0.0.1:9', silent.replace('//', '//me:hush-hush@')]) {
    const client = clientFor('http://v.example', { environment: { HTTP_PROXY }, limits: { connectMs: 300 } });
    const error = await failure(client.createPublication(INPUT), ServiceError);
    expect(error).toMatchObject({ kind: 'connect', sent: 'never' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hush');
  }
});

describe('which proxy', () => {
  const P = 'http://proxy:3128';
  test.each([
    ['https://v.example', { HTTPS_PROXY: P }, P],
    ['https://v.example', { HTTP_PROXY: P }, undefined],
    ['http://v.example', { HTTP_PROXY: P }, P],
    ['http://v.example', { http_proxy: 'proxy:3128', HTTP_PROXY: 'http://other' }, P],
    ['http://v.example', { HTTP_PROXY: '' }, undefined],
    ['http://v.example', { HTTP_PROXY: P, NO_PROXY: '*' }, undefined],
    ['http://v.example', { HTTP_PROXY: P, NO_PROXY: 'a, V.example' }, undefined],
    ['http://x.v.example', { HTTP_PROXY: P, no_proxy: '.v.example' }, undefined],
    ['http://x.v.example', { HTTP_PROXY: P, no_proxy: '*.v.example' }, undefined],
    ['http://xv.example', { HTTP_PROXY: P, no_proxy: 'v.example' }, P],
    ['http://v.example:81', { HTTP_PROXY: P, no_proxy: 'v.example:80' }, P],
    ['http://v.example', { HTTP_PROXY: P, no_proxy: 'v.example:80' }, undefined],
    ['http://10.1.2.3', { HTTP_PROXY: P, no_proxy: '10.0.0.0/8' }, undefined],
    ['http://11.1.2.3', { HTTP_PROXY: P, no_proxy: '10.0.0.0/8' }, P],
    ['http://[::1]:80', { HTTP_PROXY: P, no_proxy: '[::1]' }, undefined],
  ])('for %s with %j it is %s', (origin, environment, proxy) => {
    expect(findProxy(origin, environment)?.origin).toBe(proxy);
  });

  test.each(['socks5://me:hush@p', 'http://me:hush@p:99999'])('%s is refused unseen', (value) => {
    const error = thrownBy(() => findProxy('http://v.example', { HTTP_PROXY: value }));
    expect(error).toMatchObject({ name: 'ServiceConfigError', field: 'proxy' });
    expect(error.message).not.toContain('hush');
  });
});

test('a bare % in the password of a proxy’s address is meant as one', () => {
  const proxy = findProxy('https://service.example', { https_proxy: 'http://me:100%25%zz%@proxy.example:3128' });
  expect(proxy?.authorization).toBe(`Basic ${Buffer.from('me:100%%zz%').toString('base64')}`);
});
