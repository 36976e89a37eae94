import { type IncomingMessage } from 'node:http';
import { ServiceError, UnreadableError } from '../../../service/errors';
import { cleanUp, clientFor, failure, KEY, serve, serveJson } from '../local-servers';

afterEach(cleanUp);

const ID = '0b9f8f4e-6c1d-4b6e-9a6f-1f2e3d4c5b6a';
const SHOWN = { id: ID, platform: 'platform_b', status: 'published', video_id: 'v1', video_url: 'https://v/1', privacy: 'public', published_at: '2026-01-01T00:00:00.000Z' }; // prettier-ignore
const READ = { id: ID, platform: 'platform_b', status: 'published', videoId: 'v1', videoUrl: 'https://v/1', privacy: 'public', publishedAt: '2026-01-01T00:00:00.000Z', extra: {} }; // prettier-ignore

type Seen = { request: IncomingMessage; body: Buffer }[];

describe('creating', () => {
  test('a URL is sent as JSON with only what was given, the key, and on a connection that is closed after', async () => {
    const seen: Seen = [];
    const url = await serveJson(202, { publication: { id: ID, platform: 'platform_b', status: 'processing', video_id: null, video_url: null }, message: `poll /v1/publications/${ID}` }, {}, seen); // prettier-ignore
    const created = await clientFor(url).createPublication({
      platform: 'platform_b',
      source: { kind: 'url', url: 'https://videos.example/a.mp4?sig=1' },
      title: 'Grüße "1"',
      profileId: 'p 1',
    });
    expect(created).toEqual({
      publication: { id: ID, platform: 'platform_b', status: 'processing', videoId: null, videoUrl: null, privacy: null, publishedAt: null, extra: {} }, // prettier-ignore
      message: `poll /v1/publications/${ID}`,
      httpStatus: 202,
    });
    expect(JSON.parse(String(seen[0]?.body))).toEqual({
      platform: 'platform_b',
      title: 'Grüße "1"',
      profile_id: 'p 1',
      video_url: 'https://videos.example/a.mp4?sig=1',
    });
    expect(seen[0]?.request.headers).toMatchObject({ authorization: `Bearer ${KEY}`, connection: 'close' });
    expect(seen[0]?.request.method).toBe('POST');
  });

  test('a draft needs no video, anything else does', async () => {
    const seen: Seen = [];
    const client = clientFor(await serveJson(202, { publication: { id: ID, status: 'draft' } }, {}, seen));
    const none = { platform: 'platform_b', source: { kind: 'none' } } as const;
    const created = await client.createPublication({ ...none, status: 'draft' });
    expect(created).toMatchObject({ publication: { id: ID, status: 'draft' }, message: null });
    expect(JSON.parse(String(seen[0]?.body))).toEqual({ platform: 'platform_b', status: 'draft' });
    await expect(client.createPublication(none)).rejects.toThrow(RangeError);
    expect(seen).toHaveLength(1);
  });

  test('200 or 201 with a readable publication is a success that shows its status', async () => {
    const client = clientFor(await serveJson(201, { publication: SHOWN }));
    const created = await client.createPublication({
      platform: 'platform_b',
      source: { kind: 'url', url: 'https://v/a' },
    });
    expect(created).toEqual({ publication: READ, message: null, httpStatus: 201 });
  });

  test('an id that is a number beyond 2^53 keeps all its digits', async () => {
    const client = clientFor(await serveJson(202, '{"publication":{"id":90071992547409931234,"status":"processing"}}'));
    const created = await client.createPublication({
      platform: 'platform_b',
      source: { kind: 'url', url: 'https://v/a' },
    });
    expect(created.publication.id).toBe('90071992547409931234');
  });

  test('a whole publication is taken even if the connection breaks right after it', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(202, { 'content-length': 5000 });
      response.write(JSON.stringify({ publication: SHOWN }), () => response.destroy());
    });
    const created = await clientFor(url).createPublication({ platform: 'platform_b', source: { kind: 'url', url: 'https://v/a' } }); // prettier-ignore
    expect(created.publication.id).toBe(ID);
  });
});

describe('reading', () => {
  test('a page keeps unknown statuses and further fields, and says what the query asked', async () => {
    const seen: Seen = [];
    const odd = {
      id: 7,
      status: 'PUBLISHED ',
      title: 'T',
      profile_id: 'p',
      created_at: 'c',
      error: { message: 'no' },
      more: 1,
    };
    const url = await serveJson(200, { publications: [SHOWN, odd], total: 2, limit: 100, offset: 0 }, {}, seen);
    const page = await clientFor(url).listPublications({
      limit: 100,
      offset: 0,
      profileId: 'p&1',
      platform: 'platform_a',
    });
    expect(page).toMatchObject({ total: 2, limit: 100, offset: 0 });
    expect(page.publications[0]).toEqual(READ);
    expect(page.publications[1]).toMatchObject({
      id: '7', platform: null, status: 'PUBLISHED ', title: 'T', profileId: 'p', createdAt: 'c', failureReason: 'no', extra: { more: 1 },
    }); // prettier-ignore
    expect(seen[0]?.request.url).toBe('/v1/publications?profile_id=p%261&platform=platform_a&limit=100&offset=0');
  });

  test('an entry without an id makes the whole page unreadable', async () => {
    const client = clientFor(await serveJson(200, { publications: [SHOWN, { status: 'processing' }], total: 2 }));
    expect(await failure(client.listPublications(), ServiceError)).toMatchObject({ kind: 'unreadable', status: 200 });
  });

  test.each([{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { offset: -1 }])('%j is no page', async (query) => {
    await expect(clientFor('http://127.0.0.1:9').listPublications(query)).rejects.toThrow(RangeError);
  });

  test.each(['', ' ', '.', '..'])('"%s" is no id', async (id) => {
    await expect(clientFor('http://127.0.0.1:9').getPublication(id)).rejects.toThrow(UnreadableError);
  });

  test('an id is one part of the path, whatever is in it', async () => {
    const seen: Seen = [];
    const client = clientFor(
      `${await serveJson(200, { publication: { ...SHOWN, id: 'a/../b?c' } }, {}, seen)}/api/v1/`,
    );
    expect((await client.getPublication('a/../b?c')).id).toBe('a/../b?c');
    expect(seen[0]?.request.url).toBe('/api/v1/publications/a%2F..%2Fb%3Fc');
  });

  test('an answer about another publication is unreadable', async () => {
    const client = clientFor(await serveJson(200, { publication: SHOWN }));
    expect((await client.getPublication(ID.toUpperCase())).id).toBe(ID);
    expect(await failure(client.getPublication('other'), ServiceError)).toMatchObject({ kind: 'unreadable' });
  });

  test('a status that is missing or no text is null', async () => {
    for (const status of [undefined, null, 3]) {
      const client = clientFor(await serveJson(200, { publication: { ...SHOWN, status } }));
      expect((await client.getPublication(ID)).status).toBeNull();
    }
  });

  const PROFILE = { id: 'p1', name: 'Main', created_at: 'c', channels: [{ platform: 'platform_a', account_name: 'n', account_id: 'a', connected_at: 'c', x: 1 }] }; // prettier-ignore
  test.each([[{ profile: PROFILE }], [PROFILE]])('a profile is read with and without an envelope', async (answer) => {
    expect(await clientFor(await serveJson(200, answer)).getProfile('p1')).toEqual({
      id: 'p1', name: 'Main', createdAt: 'c', extra: {},
      channels: [{ platform: 'platform_a', accountName: 'n', accountId: 'a', connectedAt: 'c', extra: { x: 1 } }],
    }); // prettier-ignore
  });

  test('profiles are listed, also without channels and total', async () => {
    const client = clientFor(await serveJson(200, { profiles: [PROFILE, { id: 'p2' }] }));
    const list = await client.listProfiles();
    expect(list.total).toBeNull();
    expect(list.profiles[1]).toEqual({ id: 'p2', name: null, createdAt: null, channels: [], extra: {} });
  });

  test('a list over the bound is not read on for ever', async () => {
    const url = await serve((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await failure(clientFor(url).listPublications(), ServiceError)).toMatchObject({ kind: 'unreadable' });
  });

  test('an error page without end is judged by its status', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(500);
      const more = () => {
        while (response.write('word '.repeat(9999)));
        response.once('drain', more);
      };
      more();
    });
    expect(await failure(clientFor(url).listPublications(), ServiceError)).toMatchObject({
      kind: 'server',
      status: 500,
    });
  });

  test('an answer that trickles ends at the limit', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const client = clientFor(url, { limits: { answerMs: 1_500 } });
    expect(await failure(client.listPublications(), ServiceError)).toMatchObject({ kind: 'lost', sent: 'answered' });
  });
});

describe('redirects of reads', () => {
  test('one within the origin is followed', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/v1/profiles') response.writeHead(308, { location: '/other' }).end();
      else response.end(JSON.stringify({ profiles: [{ id: request.headers.authorization }] }));
    });
    expect((await clientFor(url).listProfiles()).profiles[0]?.id).toBe(`Bearer ${KEY}`);
  });

  test('one to another origin is not, and both are named', async () => {
    let reached = 0;
    const other = await serve(() => reached++);
    const url = await serveJson(302, '', { location: `${other}/v1/profiles?sig=1` });
    const error = await failure(clientFor(url).listProfiles(), ServiceError);
    expect(error).toMatchObject({ kind: 'redirect', sent: 'answered' });
    expect(error.message).toContain(`${url} redirects to ${other} (302)`);
    expect(reached).toBe(0);
  });

  test('one in a circle ends', async () => {
    const url = await serveJson(307, '', { location: '/v1/profiles' });
    expect(await failure(clientFor(url).listProfiles(), ServiceError)).toMatchObject({
      kind: 'ambiguous',
      status: 307,
    });
  });
});

describe('changing and deleting', () => {
  test('a change is a PATCH that gives back the new record', async () => {
    const seen: Seen = [];
    const client = clientFor(await serveJson(200, { publication: { ...SHOWN, status: 'draft' } }, {}, seen));
    expect((await client.updatePublication(ID, { title: 'N', status: 'draft' })).status).toBe('draft');
    expect(seen[0]?.request.method).toBe('PATCH');
    expect(JSON.parse(String(seen[0]?.body))).toEqual({ title: 'N', status: 'draft' });
  });

  test('a delete accepts its message, or nothing', async () => {
    const seen: Seen = [];
    expect(await clientFor(await serveJson(200, { ok: true, message: 'deleted' }, {}, seen)).deletePublication(ID)).toEqual({ ok: true, message: 'deleted' }); // prettier-ignore
    expect(seen[0]?.request.method).toBe('DELETE');
    expect(await clientFor(await serveJson(204, '')).deletePublication(ID)).toEqual({ ok: true, message: null });
    expect(await failure(clientFor(await serveJson(404, '')).deletePublication(ID), ServiceError)).toMatchObject({ kind: 'not-found' }); // prettier-ignore
  });

  test('a redirected change is not repeated elsewhere', async () => {
    const client = clientFor(await serveJson(307, '', { location: '/x' }));
    expect(await failure(client.updatePublication(ID, {}), ServiceError)).toMatchObject({ kind: 'redirect' });
  });
});
