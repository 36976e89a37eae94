import { ServiceError } from '../../../service/errors';
import { cleanUp, clientFor, failure, serveJson } from '../local-servers';

afterEach(cleanUp);

test('an id is asked for as it is, half characters too', async () => {
  const seen: Parameters<typeof serveJson>[3] = [];
  const answer = { publication: { id: 'x', status: 'processing' } };
  const client = clientFor(await serveJson(200, answer, {}, seen));
  for (const id of ['a/b?c', '\ud800x', '東']) await client.getPublication(id).catch(() => undefined);
  expect(seen.map(({ request }) => request.url)).toEqual([
    '/v1/publications/a%2Fb%3Fc',
    '/v1/publications/%ED%A0%80x',
    '/v1/publications/%E6%9D%B1',
  ]);
});

test('an id with half a character is kept as a text that every encoding has, and asked for as the service wrote it', async () => {
  const seen: Parameters<typeof serveJson>[3] = [];
  const written = 'x\ud83d-\ude00-\u{1f600}';
  const answer = `{"publication":{"id":${JSON.stringify(written)},"status":"processing"}}`;
  const client = clientFor(await serveJson(200, answer, {}, seen));
  const { id } = await client.getPublication(written);
  expect(Buffer.from(id).toString()).toBe(id);
  expect((await client.getPublication(id)).id).toBe(id);
  expect(new Set(seen.map(({ request }) => request.url))).toEqual(
    new Set(['/v1/publications/x%ED%A0%BD-%ED%B8%80-%F0%9F%98%80']),
  );
});

const NO_SEGMENTS = ['.', '..', '%2e', '%2E%2e', '.%2e', ' '];

test.each(NO_SEGMENTS)('the id %j is never in the path of a request, whatever its method', async (id) => {
  const seen: Parameters<typeof serveJson>[3] = [];
  const client = clientFor(await serveJson(200, {}, {}, seen));
  const source = { kind: 'file', path: __filename, name: 'a.mp4' } as const;
  for (const request of [
    () => client.getPublication(id),
    () => client.getProfile(id),
    () => client.updatePublication(id, { title: 'x' }),
    () => client.deletePublication(id),
    () => client.publishDirect(id, { platform: 'platform_a', source }),
  ]) {
    expect(await failure(request(), ServiceError)).toMatchObject({ kind: 'unreadable', sent: 'never' });
  }
  expect(seen).toEqual([]);
});

test.each(NO_SEGMENTS)('a create answered with the id %j has no readable answer, and may have happened', async (id) => {
  const client = clientFor(await serveJson(202, { publication: { id, status: 'processing' } }));
  const input = { profileId: 'p', platform: 'platform_a', source: { kind: 'url', url: 'https://v.example/a.mp4' } };
  const created = client.createPublication(input as Parameters<typeof client.createPublication>[0]);
  expect(await failure(created, ServiceError)).toMatchObject({ kind: 'unreadable', sent: 'answered', status: 202 });
});
