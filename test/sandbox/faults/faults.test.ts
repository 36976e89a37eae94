import { call, createUrl, rawCreate, sandboxes, titles, until } from '../client';

const start = sandboxes();

describe('status faults', () => {
  it('answers before accepting, and stores nothing', async () => {
    const sandbox = await start({ faults: ['create nth=1 -> status 503 retry-after=2'] });
    const { status, headers } = await createUrl(sandbox, 'One');
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    expect(titles(sandbox)).toEqual([]);
    expect((await createUrl(sandbox, 'One')).status).toBe(202);
  });

  it.each([429, 500, 502, 503])('answers %i after accepting', async (status) => {
    const sandbox = await start({ faults: [`create -> status ${String(status)} accept`] });
    expect((await createUrl(sandbox, 'One')).status).toBe(status);
    expect(titles(sandbox)).toEqual(['One']);
  });

  it('sends Retry-After as a date ahead, a past date, nonsense, and twice', async () => {
    const sandbox = await start();
    const header = async (retryAfter: string | number | string[]): Promise<string> => {
      sandbox.rules.clear();
      sandbox.rules.add({ do: { kind: 'status', status: 429, retryAfter } });
      return (await createUrl(sandbox, 'One')).headers.get('retry-after') ?? '';
    };
    const asked = Date.now();
    const shown = Date.parse(await header('date+90'));
    // In whole seconds.
    expect(shown).toBeGreaterThan(asked + 89_000);
    expect(shown).toBeLessThanOrEqual(Date.now() + 90_000);
    expect(Date.parse(await header('date-10'))).toBeLessThan(Date.now());
    expect(await header('soon')).toBe('soon');
    expect(await header(-1)).toBe('-1');
    expect(await header(['2', '30'])).toBe('2, 30');
  });

  it('can put the key into the body of the error', async () => {
    const sandbox = await start({ faults: ['get -> status 401 body=echo-key'] });
    expect((await call(sandbox, 'GET', '/v1/publications/none')).text).toContain(sandbox.apiKey);
  });
});

describe('faults of the connection', () => {
  it.each([
    ['create -> lost', 'closed'],
    ['create -> lost reset', 'reset'],
  ])('loses the answer after accepting: %s', async (rule, end) => {
    const sandbox = await start({ faults: [rule] });
    expect(await rawCreate(sandbox, 'Lost')).toEqual({ text: '', end });
    expect(titles(sandbox)).toEqual(['Lost']);
  });

  it('closes the connection without accepting when so ordered', async () => {
    const sandbox = await start({ faults: ['create -> lost accept=false'] });
    expect((await rawCreate(sandbox, 'Lost')).text).toBe('');
    expect(titles(sandbox)).toEqual([]);
  });

  it.each([
    ['status-line', /^HTTP\/1\.1 202 Accepted\r\n$/],
    ['headers', /^HTTP\/1\.1 202 Accepted\r\ncontent-type: [^\r]*\r\ncontent-length: \d+\r\n$/],
    ['body', /\r\n\r\n\{"publication":\{"id":"[^}]*$/],
  ])('cuts the answer after the %s', async (at, pattern) => {
    const sandbox = await start({ faults: [`create -> cut-answer ${at}`] });
    const { text, end } = await rawCreate(sandbox, 'Cut');
    expect(text).toMatch(pattern);
    expect(end).toBe('closed');
    expect(titles(sandbox)).toEqual(['Cut']);
  });

  it('never answers, with or without accepting', async () => {
    const sandbox = await start({ faults: ['create title=Kept -> hang accept', 'create title=Gone -> hang'] });
    expect(await rawCreate(sandbox, 'Kept', 500)).toEqual({ text: '', end: 'open' });
    expect(await rawCreate(sandbox, 'Gone', 500)).toEqual({ text: '', end: 'open' });
    expect(titles(sandbox)).toEqual(['Kept']);
    expect(sandbox.rules.list().map(({ applied }) => applied)).toEqual([1, 1]);
  });

  it('accepts late, after the client has gone', async () => {
    const sandbox = await start({ faults: ['create -> accept-late 1000'] });
    expect(await rawCreate(sandbox, 'Late', 50)).toEqual({ text: '', end: 'open' });
    expect(titles(sandbox)).toEqual([]);
    await until(
      () => titles(sandbox),
      (stored) => stored.length === 1,
    );
  });

  it('drops the connection at once and accepts later', async () => {
    const sandbox = await start({ faults: ['create -> accept-late 3000 drop'] });
    expect(await rawCreate(sandbox, 'Late')).toEqual({ text: '', end: 'closed' });
    expect(titles(sandbox)).toEqual([]);
    await until(
      () => titles(sandbox),
      (stored) => stored.length === 1,
    );
  });

  it('ends a waiting client when it closes, and accepts nothing any more', async () => {
    const sandbox = await start({ faults: ['create -> accept-late 60000'] });
    const waiting = rawCreate(sandbox, 'Late', 20_000);
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 1,
    );
    await sandbox.close();
    expect((await waiting).text).toBe('');
    expect(titles(sandbox)).toEqual([]);
  });
});

describe('unreadable answers', () => {
  it.each([
    ['html', 202, (text: string) => text.startsWith('<!doctype html>')],
    ['half-json', 202, (text: string) => text.startsWith('{"publication"') && !text.endsWith('}')],
    ['empty-object', 202, (text: string) => text === '{}'],
    ['empty', 202, (text: string) => text === ''],
    ['big-id', 202, (text: string) => text.includes('"id":90071992547409931234,')],
    ['location-only', 202, (text: string) => text === ''],
    ['empty-object status=204', 204, (text: string) => text === ''],
    ['hostile-text', 202, (text: string) => text.includes('"id":"') && !text.includes('"processing"')],
    ['hostile-id', 202, (text: string) => !/"id":"[\da-f]{8}-/.test(text)],
    ['wrong-types', 202, (text: string) => text.includes('"id":"') && !text.includes('"processing"')],
    ['deep-json', 202, (text: string) => text.includes('['.repeat(100_000))],
    ['huge-text', 202, (text: string) => text.length === 2_000_000],
    ['huge-headers', 202, (text: string) => text.startsWith('{"publication"')],
  ])('answers %s after accepting', async (what, expected, fits) => {
    const sandbox = await start({ faults: [`create -> garbage ${what}`] });
    const { status, text, headers } = await createUrl(sandbox, 'One');
    expect(status).toBe(expected);
    expect(fits(text)).toBe(true);
    const [publication] = sandbox.publications();
    expect(publication?.title).toBe('One');
    const location = what === 'location-only' ? `/v1/publications/${String(publication?.id)}` : null;
    expect(headers.get('location')).toBe(location);
  });

  it('answers 200 in place of 202, whole otherwise', async () => {
    const sandbox = await start({ faults: ['create -> success-status 200'] });
    const { status, json } = await createUrl(sandbox, 'One');
    expect([status, json.publication.id]).toEqual([200, sandbox.publications()[0]?.id]);
  });

  it('shows unexpected statuses', async () => {
    const sandbox = await start();
    const { id } = (await createUrl(sandbox, 'One')).json.publication;
    for (const value of ['queued', 'PUBLISHED', 'published ', null]) {
      sandbox.rules.clear();
      sandbox.rules.add({ when: { endpoint: 'get' }, do: { kind: 'show-status', value } });
      expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).json.publication.status).toBe(value);
    }
    sandbox.rules.clear();
    sandbox.rules.add('any -> show-status missing');
    expect((await call(sandbox, 'GET', '/v1/publications')).json.publications[0]).not.toHaveProperty('status');
  });

  it('redirects to another origin and stores nothing', async () => {
    const sandbox = await start({ faults: ['create -> redirect http://127.0.0.2:9/v1/publications status=307'] });
    sandbox.rules.add({
      when: { endpoint: 'create' },
      do: { kind: 'redirect', to: 'http://other.example/', status: 302 },
      id: 'second',
    });
    const { status, headers } = await createUrl(sandbox, 'One');
    expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.2:9/v1/publications']);
    expect(titles(sandbox)).toEqual([]);
  });
});

describe('faults that bend', () => {
  it('waits before the answer of what is already stored', async () => {
    const sandbox = await start({ faults: ['create -> slow-answer 300'] });
    const startedAt = performance.now();
    const answer = createUrl(sandbox, 'Slow');
    await until(
      () => titles(sandbox),
      (stored) => stored.length === 1,
    );
    expect((await answer).status).toBe(202);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  it('decides outcomes by title, with the reason in the field chosen', async () => {
    const sandbox = await start({
      open: { failureField: 'error' },
      faults: [
        'create title=Bad* -> outcome failed afterMs=0 reason="No sound"',
        'create title=Stuck -> outcome never',
      ],
      processing: { minMs: 0, maxMs: 0 },
    });
    for (const title of ['Bad one', 'Stuck', 'Good']) await createUrl(sandbox, title);
    expect(sandbox.publications().map(({ status }) => status)).toEqual(['failed', 'processing', 'published']);
    const bad = sandbox.publications()[0]?.id ?? '';
    expect((await call(sandbox, 'GET', `/v1/publications/${bad}`)).json.publication.error).toBe('No sound');
  });

  it('adds up with a fault that spoils, of which the first wins', async () => {
    const faults = ['create -> outcome failed afterMs=0', 'create -> status 500 accept', 'create -> status 502'];
    const sandbox = await start({ faults });
    expect((await createUrl(sandbox, 'Both')).status).toBe(500);
    expect(sandbox.publications()[0]?.status).toBe('failed');
  });

  it('publishes as another client right before or after a create', async () => {
    const faults = ['create title=A -> foreign before title=Stranger', 'create title=B -> foreign after'];
    const sandbox = await start({ faults });
    await createUrl(sandbox, 'A');
    await createUrl(sandbox, 'B');
    expect(titles(sandbox)).toEqual(['Stranger', 'A', 'B', expect.stringMatching(/^Foreign \d+$/)]);
    expect(sandbox.log()).toHaveLength(2);
  });

  it('has a stranger who publishes on their own', async () => {
    const sandbox = await start({ foreign: { everyMs: 5, times: 3, title: 'Theirs' } });
    await until(
      () => titles(sandbox),
      (stored) => stored.length === 3,
    );
    expect(sandbox.log()).toHaveLength(0);
  });
});

describe('which requests a rule hits', () => {
  const hits = async (rule: string, names: string[], seed = 1): Promise<string[]> => {
    const sandbox = await start({ faults: [rule], seed });
    const hit: string[] = [];
    for (const name of names) if ((await createUrl(sandbox, name)).status === 500) hit.push(name);
    return hit;
  };

  it.each([
    ['create nth=2 -> status 500', ['B']],
    ['create every=2 -> status 500', ['B', 'D']],
    ['create times=2 -> status 500', ['A', 'B']],
    ['create title=C -> status 500', ['C']],
    ['create title=/^[ad]$/i -> status 500', ['A', 'D']],
    ['create title=* nth=4 -> status 500', ['D']],
    ['create platform=platform_b -> status 500', []],
    ['get -> status 500', []],
    ['any nth=1 -> status 500', ['A']],
  ])('%s', async (rule, expected) => {
    expect(await hits(rule, ['A', 'B', 'C', 'D'])).toEqual(expected);
  });

  it('counts for each title separately if requested', async () => {
    expect(await hits('create per=item nth=1 -> status 500', ['A', 'A', 'B', 'A', 'B'])).toEqual(['A', 'B']);
  });

  it('takes a plain title as a whole, signs and all', async () => {
    expect(await hits('create title="Clip (1" -> status 500', ['Clip (1', 'Clip (12', 'A Clip (1'])).toEqual([
      'Clip (1',
    ]);
  });

  it('hits a share, the same requests for the same seed', async () => {
    const names = Array.from({ length: 60 }, (_, index) => String(index));
    const first = await hits('create share=0.3 -> status 500', names, 5);
    expect(await hits('create share=0.3 -> status 500', names, 5)).toEqual(first);
    expect(first.length).toBeGreaterThan(6);
    expect(first.length).toBeLessThan(32);
  });

  it('lets an early 404 pass on the second look at each publication', async () => {
    const sandbox = await start({ faults: ['get per=item nth=1 -> status 404'] });
    const { id } = (await createUrl(sandbox, 'One')).json.publication;
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(404);
    expect((await call(sandbox, 'GET', `/v1/publications/${id}`)).status).toBe(200);
  });

  it('is replaced by a rule with its id, cleared by it, and counted', async () => {
    const sandbox = await start();
    sandbox.rules.add({ id: 'x', do: { kind: 'status', status: 500 } });
    sandbox.rules.add({ id: 'x', do: { kind: 'status', status: 503 } });
    expect((await createUrl(sandbox, 'One')).status).toBe(503);
    expect(sandbox.rules.list()).toMatchObject([{ id: 'x', applied: 1 }]);
    expect(sandbox.rules.clear('x')).toBe(1);
    expect((await createUrl(sandbox, 'One')).status).toBe(202);
  });

  it('does not count a create that the service refuses anyway', async () => {
    const sandbox = await start({ faults: ['create nth=1 -> lost'] });
    expect((await createUrl(sandbox, 'Bad', { platform: 'x' })).status).toBe(400);
    expect((await rawCreate(sandbox, 'Good')).text).toBe('');
  });
});
