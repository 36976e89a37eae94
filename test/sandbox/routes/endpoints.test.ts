import { call, createUrl, sandboxes, until, videoForm } from '../client';

const start = sandboxes();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('profiles', () => {
  it('lists profiles with their channels on every platform', async () => {
    const { json, status } = await call(await start(), 'GET', '/v1/profiles');
    expect(status).toBe(200);
    expect(json.total).toBe(3);
    expect(json.profiles.map((profile) => profile.name)).toEqual(['Garden', 'Kitchen', 'Travel']);
    const platforms = json.profiles[0]?.channels.map((channel) => channel.platform);
    expect(platforms).toEqual(['platform_a', 'platform_b', 'platform_c']);
  });

  it('offers up to a hundred profiles with names and ids of their own', async () => {
    const { json } = await call(await start({ profiles: 100 }), 'GET', '/v1/profiles');
    expect(new Set(json.profiles.map((profile) => profile.id)).size).toBe(100);
    expect(new Set(json.profiles.map((profile) => profile.name)).size).toBe(100);
  });

  it('answers one profile wrapped or bare, as chosen, and 404 for an unknown one', async () => {
    const wrapped = await start();
    const id = '5a5d0000-0000-4000-8000-000000000002';
    expect((await call(wrapped, 'GET', `/v1/profiles/${id}`)).json.profile.name).toBe('Kitchen');
    expect((await call(wrapped, 'GET', '/v1/profiles/none')).status).toBe(404);
    const bare = await start({ open: { profileEnvelope: 'bare' } });
    expect((await call(bare, 'GET', `/v1/profiles/${id}`)).json.name).toBe('Kitchen');
  });
});

describe('creating', () => {
  it('answers 202 with the five fields of the interface and a message that names the polling path', async () => {
    const sandbox = await start();
    const { status, json } = await createUrl(sandbox, 'One');
    expect(status).toBe(202);
    const { id } = json.publication;
    expect(id).toMatch(UUID);
    expect(json.publication).toEqual({
      id,
      platform: 'platform_a',
      status: 'processing',
      video_id: null,
      video_url: null,
    });
    expect(json.message).toContain(`/v1/publications/${id}`);
  });

  it('takes a file, counts its bytes and keeps its name', async () => {
    const sandbox = await start({ hash: true });
    const form = videoForm({ platform: 'platform_b', title: 'Über', privacy: 'unlisted' }, 100_000, '東京 散歩.mp4');
    expect((await call(sandbox, 'POST', '/v1/publications', form)).status).toBe(202);
    const [publication] = sandbox.publications();
    expect(publication).toMatchObject({ title: 'Über', privacy: 'unlisted' });
    expect(publication?.source).toMatchObject({ kind: 'file', bytes: 100_000, fileName: '東京 散歩.mp4' });
    expect(publication?.source.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('publishes after the time of the background upload, with what the interface adds then', async () => {
    const sandbox = await start({ processing: { minMs: 0, maxMs: 20 } });
    const { json } = await createUrl(sandbox, 'Soon', { platform: 'platform_b' });
    const path = `/v1/publications/${json.publication.id}`;
    const read = async () => (await call(sandbox, 'GET', path)).json.publication;
    const publication = await until(read, (one) => one.status === 'published');
    expect(Object.keys(publication)).toEqual([
      'id',
      'platform',
      'status',
      'video_id',
      'video_url',
      'privacy',
      'published_at',
    ]);
    expect(publication.privacy).toBe('private');
    expect(publication.video_url).toContain(publication.video_id);
    expect(publication.published_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('fails the ordered share of publications, the same ones for the same seed', async () => {
    const failures = async (seed: number): Promise<boolean[]> => {
      const sandbox = await start({ seed, processing: { minMs: 0, maxMs: 0, failureShare: 0.5 } });
      for (let n = 0; n < 40; n += 1) await createUrl(sandbox, `Clip ${String(n)}`);
      return sandbox.publications().map((publication) => publication.status === 'failed');
    };
    const first = await failures(7);
    expect(await failures(7)).toEqual(first);
    expect(await failures(8)).not.toEqual(first);
    const count = first.filter(Boolean).length;
    expect(count).toBeGreaterThan(8);
    expect(count).toBeLessThan(32);
  });

  it('saves drafts with and without a video, and publishes none of them', async () => {
    const sandbox = await start({ processing: { minMs: 0, maxMs: 0 } });
    await call(sandbox, 'POST', '/v1/publications', { platform: 'platform_a', title: 'Bare', status: 'draft' });
    await call(sandbox, 'POST', '/v1/publications', videoForm({ platform: 'platform_a', status: 'draft' }, 10));
    expect(sandbox.publications().map(({ status, source }) => [status, source.kind])).toEqual([
      ['draft', 'none'],
      ['draft', 'file'],
    ]);
  });

  it('shows the open fields only when chosen', async () => {
    const open = {
      echoTitle: true,
      echoProfile: true,
      echoCreatedAt: true,
      echoDescription: true,
      furtherFields: true,
    };
    const sandbox = await start({ open });
    const { json } = await createUrl(sandbox, 'Echo');
    expect(json.publication).toMatchObject({ title: 'Echo', description: null, revision: 7 });
    expect(json.publication.profile_id).toBe('5a5d0000-0000-4000-8000-000000000001');
    expect(Date.parse(json.publication.created_at)).toBeLessThanOrEqual(Date.now());
  });
});

describe('direct publishing', () => {
  const path = '/v1/profiles/5a5d0000-0000-4000-8000-000000000003/publish';

  it('answers with a publish id, is in the log, and not in the list', async () => {
    const sandbox = await start();
    const { status, json } = await call(sandbox, 'POST', path, videoForm({ platform: 'platform_b' }, 10, 'trip.mov'));
    expect(status).toBe(200);
    expect(json).toMatchObject({ ok: true, platform: 'platform_b' });
    expect(sandbox.log()).toMatchObject([{ id: json.publish_id, kind: 'direct', title: 'trip.mov', bytes: 10 }]);
    expect((await call(sandbox, 'GET', '/v1/publications')).json.total).toBe(0);
  });

  it('refuses what section 8 rules out', async () => {
    const sandbox = await start({ directMaxBytes: 1000 });
    const send = async (form: FormData, to = path) => (await call(sandbox, 'POST', to, form)).status;
    expect(await send(videoForm({ platform: 'platform_a' }, 1001))).toBe(413);
    expect(await send(videoForm({ platform: 'platform_a' }, 10, 'clip.mkv'))).toBe(415);
    expect(await send(videoForm({ platform: 'platform_a' }, null))).toBe(400);
    expect(await send(videoForm({ platform: 'platform_c' }, 10))).toBe(400);
    expect(await send(videoForm({ platform: 'platform_a', title: 'x'.repeat(151) }, 10))).toBe(400);
    expect(await send(videoForm({ platform: 'platform_a' }, 10), '/v1/profiles/none/publish')).toBe(404);
    expect(sandbox.log()).toHaveLength(0);
  });
});

describe('changing and deleting', () => {
  it('changes a draft, moves it to pending, and lets it stay there', async () => {
    const sandbox = await start({ processing: { minMs: 0, maxMs: 0 } });
    const draft = { platform: 'platform_b', title: 'Before', status: 'draft' };
    const { id } = (await call(sandbox, 'POST', '/v1/publications', draft)).json.publication;
    const set = { title: 'After', description: 'Text', privacy: 'public', status: 'pending' };
    const { status, json } = await call(sandbox, 'PATCH', `/v1/publications/${id}`, set);
    expect([status, json.publication.status, json.publication.privacy]).toEqual([200, 'pending', 'public']);
    expect(sandbox.publications()[0]).toMatchObject({ title: 'After', description: 'Text', status: 'pending' });
  });

  it('lets pending go on to its end when chosen', async () => {
    const open = { pending: 'goes-on', pendingMs: 5 } as const;
    const sandbox = await start({ open, processing: { minMs: 5, maxMs: 5 } });
    const form = videoForm({ platform: 'platform_a', status: 'draft' }, 10);
    const { id } = (await call(sandbox, 'POST', '/v1/publications', form)).json.publication;
    await call(sandbox, 'PATCH', `/v1/publications/${id}`, { status: 'pending' });
    await until(
      () => sandbox.publications()[0]?.status,
      (status) => status === 'published',
    );
  });

  it('refuses to change what is not a draft or pending, and values that are not allowed', async () => {
    const sandbox = await start();
    const { id } = (await createUrl(sandbox, 'Live')).json.publication;
    const draft = { platform: 'platform_a', status: 'draft' };
    const { id: other } = (await call(sandbox, 'POST', '/v1/publications', draft)).json.publication;
    const patch = async (one: string, set: object) =>
      (await call(sandbox, 'PATCH', `/v1/publications/${one}`, set)).status;
    expect(await patch(id, { title: 'New' })).toBe(409);
    expect(await patch(other, { status: 'published' })).toBe(400);
    expect(await patch(other, { title: 'x'.repeat(151) })).toBe(400);
    expect(await patch('none', {})).toBe(404);
    expect(sandbox.publications().map(({ title }) => title)).toEqual(['Live', null]);
  });

  it('deletes the record only once', async () => {
    const sandbox = await start();
    const ids: string[] = [];
    for (const title of ['A', 'B', 'C']) ids.push((await createUrl(sandbox, title)).json.publication.id);
    const { status, json } = await call(sandbox, 'DELETE', `/v1/publications/${String(ids[1])}`);
    expect([status, json.ok]).toEqual([200, true]);
    expect((await call(sandbox, 'DELETE', `/v1/publications/${String(ids[1])}`)).status).toBe(404);
    expect((await call(sandbox, 'GET', `/v1/publications/${String(ids[1])}`)).status).toBe(404);
    expect(sandbox.publications().map(({ title }) => title)).toEqual(['A', 'C']);
  });
});

describe('the key and errors', () => {
  it('refuses requests without the right key, whatever the endpoint', async () => {
    const sandbox = await start();
    for (const apiKey of ['', 'wrong', 'sandbox-key2']) {
      expect((await call({ baseUrl: sandbox.baseUrl, apiKey }, 'GET', '/v1/profiles')).status).toBe(401);
      expect((await createUrl({ baseUrl: sandbox.baseUrl, apiKey }, 'No')).status).toBe(401);
    }
    expect((await fetch(`${sandbox.baseUrl}/v1/publications`)).status).toBe(401);
    expect(sandbox.stats().unauthorized).toBe(7);
    expect(sandbox.log()).toHaveLength(0);
  });

  it.each([
    ['error-object', (text: string) => JSON.parse(text).error.code === 'publication_not_found'],
    ['message', (text: string) => JSON.parse(text).message === 'publication not found'],
    ['text', (text: string) => text === 'publication not found'],
    ['html', (text: string) => text.startsWith('<!doctype html>')],
    ['empty', (text: string) => text === ''],
    ['echo-key', (text: string) => text.includes('Bearer sandbox-key')],
    ['huge', (text: string) => text.length > 3_000_000],
    ['hostile', (text: string) => text.length > 1_000_000 && !text.includes('{')],
  ] as const)('shapes errors as %s', async (errorBody, fits) => {
    const { status, text } = await call(await start({ open: { errorBody } }), 'GET', '/v1/publications/none');
    expect(status).toBe(404);
    expect(fits(text)).toBe(true);
  });

  it('counts requests by endpoint and answers by status', async () => {
    const sandbox = await start();
    await createUrl(sandbox, 'One');
    await call(sandbox, 'GET', '/v1/publications');
    await call(sandbox, 'GET', '/v1/publications/none');
    await call(sandbox, 'GET', '/v1/elsewhere');
    const { requests, unknown, answers } = await until(
      () => sandbox.stats(),
      (stats) => stats.answers['404'] === 2,
    );
    expect(requests).toMatchObject({ create: 1, list: 1, get: 1, delete: 0 });
    expect([unknown, answers['202'], answers['200']]).toEqual([1, 1, 1]);
  });
});
