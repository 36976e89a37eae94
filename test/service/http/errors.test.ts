import { writeFile } from 'node:fs/promises';
import { type Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Sent, ServiceError, type ServiceErrorKind } from '../../../service/errors';
import { STATUS_MEANINGS } from '../../../service/http/answer-error';
import {
  cleanUp,
  clientFor,
  collect,
  failure,
  KEY,
  serve,
  serveJson,
  serveTcp,
  temporaryFolder,
} from '../local-servers';

afterEach(cleanUp);

const URL_INPUT = { platform: 'platform_a', source: { kind: 'url', url: 'https://videos.example/a.mp4' } } as const;

async function closedPort(): Promise<string> {
  const url = await serveTcp(() => undefined);
  await cleanUp();
  return url;
}

/** Reads the request's head before it acts. */
function afterHead(act: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let text = '';
    let acted = false;
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (acted || !text.includes('\r\n\r\n')) return;
      acted = true;
      act(socket);
    });
  };
}

interface Case {
  does: string;
  server: () => Promise<string>;
  kind: ServiceErrorKind;
  sent: Sent;
  status?: number;
  says: RegExp;
}

/** A process that wasn't run for longer than a second knows that it overslept; below that, what is there in time has to count. */
const FAST = { connectMs: 1_500, createAnswerMs: 1_500, answerMs: 1_500 };
const PUBLICATION = { publication: { id: 'p1', platform: 'platform_a', status: 'processing' }, message: 'ok' };
const half = JSON.stringify(PUBLICATION).slice(0, 40);

const CASES: Case[] = [
  {
    does: 'does not listen',
    server: closedPort,
    kind: 'connect',
    sent: 'never',
    says: /127\.0\.0\.1:\d+: nothing is listening/,
  },
  {
    does: 'does not speak TLS',
    server: async () => (await serveJson(202, PUBLICATION)).replace('http:', 'https:'),
    kind: 'connect',
    sent: 'never',
    says: /does not speak TLS/,
  },
  {
    does: 'has a name nobody knows',
    server: async () => 'http://no-such-host.invalid',
    kind: 'connect',
    sent: 'never',
    says: /no-such-host\.invalid:80/,
  },
  {
    does: 'accepts and never speaks TLS',
    server: async () => (await serveTcp(() => undefined)).replace('http:', 'https:'),
    kind: 'connect',
    sent: 'never',
    says: /no connection to 127\.0\.0\.1:\d+ within 1\.5 s/,
  },
  {
    does: 'cuts when it has read the request',
    server: () => serveTcp(afterHead((socket) => socket.destroy())),
    kind: 'lost',
    sent: 'perhaps',
    says: /closed the connection|reset/,
  },
  {
    does: 'resets when it has read the request',
    server: () => serveTcp(afterHead((socket) => socket.resetAndDestroy())),
    kind: 'lost',
    sent: 'perhaps',
    says: /reset|closed/,
  },
  {
    does: 'never answers',
    server: () => serveTcp(afterHead(() => undefined)),
    kind: 'lost',
    sent: 'perhaps',
    says: /did not finish its answer within 1\.5 s/,
  },
  {
    does: 'cuts after the status line',
    server: () => serveTcp(afterHead((socket) => socket.end('HTTP/1.1 202 Accepted\r\n'))),
    kind: 'lost',
    sent: 'perhaps',
    says: /no answer/,
  },
  {
    does: 'cuts within the body of a 202',
    server: () => serveTcp(afterHead((s) => s.end(`HTTP/1.1 202 Accepted\r\ncontent-length: 200\r\n\r\n${half}`))),
    kind: 'lost',
    sent: 'answered',
    status: 202,
    says: /answered 202, but not to the end/,
  },
  {
    does: 'stops within the body of a 202',
    server: () => serveTcp(afterHead((s) => s.write(`HTTP/1.1 202 Accepted\r\ncontent-length: 200\r\n\r\n${half}`))),
    kind: 'lost',
    sent: 'answered',
    status: 202,
    says: /within 1\.5 s/,
  },
  {
    does: 'cuts within the body of a 422',
    server: () => serveTcp(afterHead((s) => s.end('HTTP/1.1 422 No\r\ncontent-length: 200\r\n\r\nthe title is'))),
    kind: 'refused',
    sent: 'answered',
    status: 422,
    says: /refused it \(422\)/,
  },
  {
    does: 'does not answer in HTTP',
    server: () => serveTcp(afterHead((socket) => socket.end('\x15\x03\x01\x00\x02\x02\x46'))),
    kind: 'lost',
    sent: 'perhaps',
    says: /does not answer in HTTP/,
  },
  {
    does: 'answers 202 with HTML',
    server: () => serveJson(202, '<h1>Hi</h1>'),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /not with JSON: <h1>Hi/,
  },
  {
    does: 'answers 202 with half a JSON',
    server: () => serveJson(202, half),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /not with JSON/,
  },
  {
    does: 'answers 202 with {}',
    server: () => serveJson(202, {}),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /without a readable publication/,
  },
  {
    does: 'answers 202 with nothing',
    server: () => serveJson(202, ''),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /without a readable publication/,
  },
  {
    does: 'gives the id only as a Location',
    server: () => serveJson(202, { message: 'created' }, { location: '/v1/publications/p1' }),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /without a readable publication/,
  },
  {
    does: 'gives an id that is no whole number',
    server: () => serveJson(202, '{"publication":{"id":1.5,"status":"processing"}}'),
    kind: 'unreadable',
    sent: 'answered',
    status: 202,
    says: /without a readable publication/,
  },
  {
    does: 'answers 200 and says it is not ok',
    server: () => serveJson(200, { ok: false }),
    kind: 'ambiguous',
    sent: 'answered',
    status: 200,
    says: /not ok/,
  },
  {
    does: 'redirects the create to another origin',
    server: () => serveJson(307, {}, { location: 'https://elsewhere.example/x?sig=abc' }),
    kind: 'ambiguous',
    sent: 'answered',
    status: 307,
    says: /http:\/\/127\.0\.0\.1:\d+ redirects to https:\/\/elsewhere\.example \(307\)/,
  },
];

describe('a create ends by what the service does', () => {
  test.each(CASES)('a service that $does: $kind, sent $sent', async ({ server, kind, sent, status, says }) => {
    const client = clientFor(await server(), { limits: FAST });
    const error = await failure(client.createPublication(URL_INPUT), ServiceError);
    expect(error).toMatchObject({ kind, sent, status, method: 'POST', path: '/v1/publications' });
    expect(error.message).toMatch(says);
    expect(error.message).toMatch(/^POST \/v1\/publications: /);
  });

  const EXPECTED: Record<number, ServiceErrorKind> = {
    301: 'ambiguous', 304: 'ambiguous', 400: 'refused', 401: 'access', 402: 'refused', 403: 'access', 404: 'not-found',
    408: 'ambiguous', 409: 'ambiguous', 410: 'refused', 413: 'refused', 415: 'refused', 422: 'refused', 425: 'ambiguous',
    429: 'throttled', 500: 'server', 502: 'server', 503: 'throttled', 504: 'server', 600: 'ambiguous', 799: 'ambiguous',
  }; // prettier-ignore
  test.each(Object.entries(EXPECTED))('status %s is %s', async (status, kind) => {
    const error = await failure(
      clientFor(await serveJson(Number(status), '')).createPublication(URL_INPUT),
      ServiceError,
    );
    expect(error).toMatchObject({ kind, sent: 'answered', status: Number(status) });
  });

  test('every status has a meaning', () => {
    for (let status = 0; status < 1000; status++) {
      expect(STATUS_MEANINGS.some((one) => one.from <= status && status <= one.to)).toBe(true);
    }
  });

  test('a create whose connection broke is not sent again: one connection for each call', async () => {
    let connections = 0;
    const url = await serveTcp((socket) => {
      connections++;
      afterHead((s) => s.destroy())(socket);
    });
    await failure(clientFor(url).createPublication(URL_INPUT), ServiceError);
    await failure(clientFor(url).createPublication(URL_INPUT), ServiceError);
    expect(connections).toBe(2);
  });
});

describe('waiting', () => {
  test('the longest of two Retry-After headers is kept', async () => {
    const url = await serveJson(429, '', { 'retry-after': ['2', '7'] });
    const error = await failure(clientFor(url).createPublication(URL_INPUT), ServiceError);
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 7000 });
  });

  test('a Retry-After date is read on the clock of the service', async () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const url = await serveJson(503, '', { date, 'retry-after': 'Sun, 06 Nov 1994 08:51:07 GMT' });
    const error = await failure(clientFor(url).createPublication(URL_INPUT), ServiceError);
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 90_000 });
  });

  test('without Retry-After there is none', async () => {
    const error = await failure(clientFor(await serveJson(429, '')).createPublication(URL_INPUT), ServiceError);
    expect(error.retryAfterMs).toBeUndefined();
  });
});

describe('secrets', () => {
  const SIGNED = 'https://store.example/a.mp4?X-Sig=SIGNEDVALUE&Expires=1';
  const ECHOES = [
    { echo: `bad key ${KEY} in Authorization: Bearer ${KEY}`, status: 401 },
    { echo: JSON.stringify({ headers: { authorization: `Bearer ${KEY}` }, video_url: SIGNED }), status: 422 },
    { echo: `cannot fetch ${SIGNED.replaceAll('/', '\\/')} ${encodeURIComponent(KEY)}`, status: 500 },
    { echo: `${'x'.repeat(290)}${KEY}`, status: 400 },
    { echo: `<html>${KEY}`, status: 202 },
    { echo: `${' '.repeat(64 * 1024 - 30)}${KEY}${KEY}`, status: 400 },
  ];
  test.each(ECHOES)('an answer that echoes secrets ($status) shows none of them', async ({ echo, status }) => {
    const error = await failure(clientFor(await serveJson(status, echo)).createPublication(URL_INPUT), ServiceError);
    const all = `${error.message} ${error.stack} ${JSON.stringify(error)} ${inspect(error, { depth: 9, showHidden: true })}`;
    expect(all).not.toContain(KEY.slice(0, 8));
    expect(all).not.toContain('SIGNEDVALUE');
    expect(Array.from(error.excerpt ?? '').length).toBeLessThanOrEqual(300);
  });

  test('an answer that is no HTTP and echoes the key shows none of it', async () => {
    const url = await serveTcp(afterHead((socket) => socket.end(`HTTP/9 ${KEY} ${KEY}\r\n\r\n`)));
    const error = await failure(clientFor(url).createPublication(URL_INPUT), ServiceError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
  });

  test('a client that is printed shows no key', async () => {
    const client = clientFor(await serveJson(200, {}));
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(KEY);
  });

  test('failure reasons and messages of the service are masked', async () => {
    const publication = { id: 'p1', status: 'failed', failure_reason: `fetch of ${SIGNED} with ${KEY} failed` };
    const client = clientFor(await serveJson(200, { publication, message: `see ${SIGNED}` }));
    const created = await client.createPublication(URL_INPUT);
    expect(created.message).toBe('see https://store.example/a.mp4?***');
    expect(created.publication.failureReason).toBe('fetch of https://store.example/a.mp4?*** with *** failed');
  });
});

describe('aborting', () => {
  test('an abort before anything is sent says so', async () => {
    const url = await serveJson(202, PUBLICATION);
    const error = await failure(
      clientFor(url).createPublication(URL_INPUT, { signal: AbortSignal.abort(new Error('enough')) }),
      ServiceError,
    );
    expect(error).toMatchObject({ kind: 'aborted', sent: 'never', cause: new Error('enough') });
  });

  test('an abort while waiting for the answer leaves it open whether it was created', async () => {
    const stop = new AbortController();
    const url = await serve((request) => void collect(request).then(() => stop.abort()));
    const error = await failure(clientFor(url).createPublication(URL_INPUT, { signal: stop.signal }), ServiceError);
    expect(error).toMatchObject({ kind: 'aborted', sent: 'perhaps' });
  });

  test('an abort in the middle of a 202 says that it was answered', async () => {
    const stop = new AbortController();
    const url = await serveTcp(
      afterHead((socket) => {
        socket.write(`HTTP/1.1 202 Accepted\r\ncontent-length: 200\r\n\r\n${half}`, () =>
          setTimeout(() => stop.abort(), 100),
        );
      }),
    );
    const error = await failure(clientFor(url).createPublication(URL_INPUT, { signal: stop.signal }), ServiceError);
    expect(error).toMatchObject({ kind: 'aborted', sent: 'answered', status: 202 });
  });

  test('an abort while connecting is never sent', async () => {
    const stop = new AbortController();
    const url = (await serveTcp(() => stop.abort())).replace('http:', 'https:');
    const error = await failure(clientFor(url).createPublication(URL_INPUT, { signal: stop.signal }), ServiceError);
    expect(error).toMatchObject({ kind: 'aborted', sent: 'never' });
  });
});

describe('the last moment before sending', () => {
  test('what beforeSend throws is passed on and nothing is sent', async () => {
    let bytes = 0;
    const url = await serveTcp((socket) => socket.on('data', (chunk: Buffer) => (bytes += chunk.length)));
    const stopped = new Error('the claim is gone');
    const beforeSend = () => Promise.reject(stopped);
    await expect(clientFor(url).createPublication(URL_INPUT, { beforeSend })).rejects.toBe(stopped);
    expect(bytes).toBe(0);
  });

  test('beforeSend is not called when there is no connection', async () => {
    let called = 0;
    const url = await closedPort();
    await failure(
      clientFor(url).createPublication(URL_INPUT, {
        beforeSend: () => {
          called++;
        },
      }),
      ServiceError,
    );
    expect(called).toBe(0);
  });

  test.each(['end', 'resetAndDestroy'] as const)(
    'a connection that the service ends (%s) meanwhile was never used',
    async (how) => {
      let closed = false;
      const url = await serveTcp((socket) => {
        socket.on('close', () => (closed = true));
        socket[how]();
      });
      const beforeSend = async () => {
        while (!closed) await new Promise((resolve) => setTimeout(resolve, 5));
        await new Promise((resolve) => setTimeout(resolve, 20));
      };
      const error = await failure(clientFor(url).createPublication(URL_INPUT, { beforeSend }), ServiceError);
      expect(error).toMatchObject({ kind: 'connect', sent: 'never' });
      expect(error.message).toMatch(
        /closed the connection before anything was sent|connection was closed before it was established/,
      );
    },
  );
});

describe('a file that cannot be sent', () => {
  test('a missing file, a folder and an empty file are named before anything is sent', async () => {
    let requests = 0;
    const url = await serve(() => requests++);
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'empty.mp4'), '');
    for (const [name, says] of [
      ['missing.mp4', /missing\.mp4 is not there/],
      ['.', /no regular file/],
      ['empty.mp4', /empty\.mp4 is empty/],
    ] as const) {
      const source = { kind: 'file', path: join(folder, name) } as const;
      const error = await failure(clientFor(url).createPublication({ platform: 'platform_a', source }), ServiceError);
      expect(error).toMatchObject({ kind: 'file', sent: 'never' });
      expect(error.message).toMatch(says);
    }
    expect(requests).toBe(0);
  });
});

test('what an error says has no control characters, also where the answer’s JSON hid them', async () => {
  const text = 'no\u001b]52;c;eA==\u0007\nerror: all is well\u202e';
  const url = await serveJson(400, { error: { message: text, code: text } });
  const error = await failure(clientFor(url).listProfiles(), ServiceError);
  expect(error.message).toContain('error: all is well');
  expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
