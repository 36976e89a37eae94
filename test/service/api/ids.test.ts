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

test.each(['.', '..', ' '])('the id %j is an error of its own publication, which its reader can handle', async (id) => {
  const seen: Parameters<typeof serveJson>[3] = [];
  const client = clientFor(await serveJson(200, {}, {}, seen));
  expect(await failure(client.getPublication(id), ServiceError)).toMatchObject({ kind: 'unreadable', sent: 'never' });
  expect(await failure(client.deletePublication(id), ServiceError)).toMatchObject({ sent: 'never' });
  expect(seen).toEqual([]);
});
