import { type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { ServiceClient } from '../../../service/api/client';

const PROFILE = { id: 'profile-1', name: 'Garden', created_at: '2026-01-01T00:00:00.000Z', channels: [] };
const WHY = 'it seems to be another account’s';

let server: Server;
let client: ServiceClient;
let requests: string[];
let profiles: { status: number; body: object };

beforeEach(async () => {
  requests = [];
  profiles = { status: 200, body: { profiles: [PROFILE], total: 1 } };
  server = createServer((request, response) => {
    request.resume();
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const { status, body } = request.url === '/v1/profiles' ? profiles : { status: 200, body: { publications: [] } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  client = new ServiceClient({ baseUrl, apiKey: 'key', environment: {} });
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const create = () =>
  client.createPublication({
    platform: 'platform_a',
    source: { kind: 'url', url: 'https://videos.example/1.mp4' },
  });

describe('a client that checks whose its key is', () => {
  it('requests nothing but the profiles of another account’s key, each time again', async () => {
    client.checkKey(async (ids) => (ids.includes('profile-2') ? null : WHY));
    for (const request of [client.listPublications(), create(), client.getPublication('x'), client.listProfiles()])
      await expect(request).rejects.toMatchObject({ kind: 'access', code: 'account-changed', sent: 'never' });
    expect(new Set(requests)).toEqual(new Set(['GET /v1/profiles']));
  });

  it('reads the profiles once if the key is the account’s', async () => {
    client.checkKey(async (ids) => (ids.includes('profile-1') ? null : WHY));
    await client.listPublications({ limit: 1 });
    await client.listPublications({ limit: 1 });
    expect(requests).toEqual(['GET /v1/profiles', 'GET /v1/publications?limit=1', 'GET /v1/publications?limit=1']);
  });

  it('has sent nothing of a create while the profiles can’t be read', async () => {
    profiles = { status: 500, body: {} };
    client.checkKey(async () => null);
    await expect(create()).rejects.toMatchObject({ kind: 'connect', sent: 'never' });
    expect(requests).toEqual(['GET /v1/profiles']);
  });
});
