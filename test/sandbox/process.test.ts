import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { endChildren, startChild } from './children';
import { call, createUrl, rawCreate, sandboxes, titles, until } from './client';

const start = sandboxes();
afterEach(endChildren);

describe('the sandbox as a process', () => {
  it('says where it listens and ends when its standard input closes', async () => {
    const child = await startChild({ apiKey: 'other-key' });
    expect(child.apiKey).toBe('other-key');
    expect((await call(child, 'GET', '/v1/profiles')).status).toBe(200);
    child.child.stdin?.end();
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('ends on SIGTERM, also with a request under way', async () => {
    const child = await startChild({ faults: ['get -> hang'] });
    const hanging = call(child, 'GET', '/v1/publications/x').catch(() => 'cut');
    await until(
      async () => (await call(child, 'GET', '/_sandbox/state')).json.stats.requests['get'],
      (count) => count === 1,
    );
    child.child.kill('SIGTERM');
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(await hanging).toBe('cut');
  });

  it('continues without standard input if requested', async () => {
    const child = await startChild({ endWithStdin: false });
    child.child.stdin?.end();
    expect((await call(child, 'GET', '/v1/profiles')).status).toBe(200);
    child.child.kill('SIGTERM');
    expect((await child.exited).code).toBe(0);
  });

  it('refuses a port in use and says so', async () => {
    const sandbox = await start();
    await expect(start({ port: sandbox.port })).rejects.toThrow(/can't listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/);
  });
});

describe('the control paths', () => {
  it('take rules as data and as text, list them and clear them', async () => {
    const sandbox = await start();
    const rules = [{ do: { kind: 'status', status: 500 }, times: 1 }, { text: 'create -> lost' }];
    const { json } = await call(sandbox, 'POST', '/_sandbox/faults', rules);
    expect(json.ids).toEqual(['fault-1', 'fault-2']);
    expect((await createUrl(sandbox, 'One')).status).toBe(500);
    expect((await rawCreate(sandbox, 'Two')).text).toBe('');
    expect((await call(sandbox, 'GET', '/_sandbox/faults')).json.faults).toHaveLength(2);
    expect((await call(sandbox, 'DELETE', '/_sandbox/faults/fault-1')).json.cleared).toBe(1);
    expect((await call(sandbox, 'DELETE', '/_sandbox/faults')).json.cleared).toBe(1);
    expect((await createUrl(sandbox, 'Three')).status).toBe(202);
  });

  it('refuse a rule that can not be understood, naming what is wrong', async () => {
    const { status, json } = await call(await start(), 'POST', '/_sandbox/faults', { text: 'create -> explode' });
    expect(status).toBe(400);
    expect(json.error.message).toContain('unknown fault "explode"');
  });

  it('show the state, the publications and the log, and settle a publication', async () => {
    const sandbox = await start();
    const { id } = (await createUrl(sandbox, 'One')).json.publication;
    const settled = await call(sandbox, 'POST', `/_sandbox/publications/${id}/settle`, {
      outcome: 'published',
    });
    expect(settled.status).toBe(200);
    expect((await call(sandbox, 'GET', '/_sandbox/publications')).json.publications[0]?.status).toBe('published');
    expect((await call(sandbox, 'GET', '/_sandbox/state')).json).toMatchObject({ accepted: 1, publications: 1 });
    const log = (await call(sandbox, 'GET', '/_sandbox/log')).text;
    expect(JSON.parse(log)).toMatchObject({ id, title: 'One' });
    const unknown = await call(sandbox, 'POST', '/_sandbox/publications/none/settle', { outcome: 'published' });
    expect(unknown.status).toBe(404);
  });

  it('start and stop a stranger', async () => {
    const sandbox = await start();
    await call(sandbox, 'POST', '/_sandbox/foreign', { everyMs: 5, title: 'Theirs' });
    await until(
      () => titles(sandbox).length,
      (count) => count > 2,
    );
    await call(sandbox, 'DELETE', '/_sandbox/foreign');
    expect((await call(sandbox, 'POST', '/_sandbox/foreign', { everyMs: 0 })).status).toBe(400);
  });

  it('are closed to web pages: a request needs our header, and this machine’s name as its host', async () => {
    const sandbox = await start();
    const order = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const ask = request(`${sandbox.baseUrl}/_sandbox/faults`, { method: 'POST', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        ask.on('error', reject).end('{"text":"create -> answer 500"}');
      });
    const json = { 'content-type': 'application/json' };
    expect(await order({ ...json, origin: 'https://stranger.example' })).toBe(403);
    expect(await order({ ...json, 'x-reelay-sandbox': '1', host: 'stranger.example' })).toBe(403);
    expect(sandbox.rules.list()).toEqual([]);
  });

  it('need no key, count as no request, and answer only to the same machine', async () => {
    const sandbox = await start({ host: '0.0.0.0' });
    const local = { baseUrl: `http://127.0.0.1:${String(sandbox.port)}`, apiKey: 'none' };
    expect((await call(local, 'GET', '/_sandbox/state')).status).toBe(200);
    expect(sandbox.stats()).toMatchObject({ unknown: 0, answers: {} });
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of addresses.filter((one) => one.family === 'IPv4' && !one.internal)) {
      const remote = { baseUrl: `http://${address}:${String(sandbox.port)}`, apiKey: sandbox.apiKey };
      expect((await call(remote, 'GET', '/_sandbox/state')).status).toBe(403);
      expect((await call(remote, 'GET', '/v1/profiles')).status).toBe(200);
    }
  });
});
