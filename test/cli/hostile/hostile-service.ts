import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface HostileService {
  baseUrl: string;
  close(): Promise<void>;
}

/** A service that answers every endpoint of the interface with `text` in every field that can hold it, or refuses with it. `further` is the JSON of one more field. */
export async function startHostileService(text: string, status = 200, further = '{}'): Promise<HostileService> {
  const channel = {
    platform: text,
    account_name: text,
    account_id: text,
    connected_at: text,
    further: text,
    nested: 'FURTHER',
  };
  const profile = { id: text, name: text, created_at: text, channels: [channel], [text]: text };
  const publication = {
    ...{ id: text, platform: text, status: 'draft', video_id: text, video_url: text, privacy: text },
    ...{ published_at: text, title: text, description: text, profile_id: text, created_at: text },
    ...{ failure_reason: text, further: { [text]: text }, [text]: text, nested: 'FURTHER' },
  };
  const profiles = [profile, { ...profile, id: `${text}2` }];
  const server = createServer((request, response) => {
    request.resume();
    const path = (request.url ?? '').replace(/\?.*/s, '');
    const list = request.method === 'GET' && path === '/v1/publications';
    const body =
      path === '/v1/profiles' ? { profiles, total: 7 } : path.startsWith('/v1/profiles/') ? { profile } : null;
    const good =
      body ??
      (list
        ? { publications: [publication], total: 1, limit: 20, offset: 0 }
        : { publication, ok: true, message: text });
    response.writeHead(status, { 'content-type': 'application/json' });
    const answer = JSON.stringify(status < 300 ? good : { error: { message: text, code: text } });
    response.end(answer.replaceAll('"FURTHER"', () => further));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
