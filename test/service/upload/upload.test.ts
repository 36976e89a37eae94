import { appendFile, open, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { ServiceError } from '../../../service/errors';
import {
  cleanUp,
  clientFor,
  collect,
  failure,
  serve,
  serveJson,
  serveTcp,
  temporaryFolder,
  until,
} from '../local-servers';

afterEach(cleanUp);

const CREATED = JSON.stringify({
  publication: { id: 'p1', platform: 'platform_b', status: 'processing' },
  message: 'ok',
});
const MB = 1024 * 1024;

async function videoOf(size: number, name = 'clip.mp4'): Promise<string> {
  const path = join(await temporaryFolder(), name);
  const handle = await open(path, 'w');
  await handle.truncate(size);
  await handle.close();
  return path;
}

const inputOf = (path: string) => ({ platform: 'platform_b', source: { kind: 'file', path } }) as const;

/** A server that accepts a first piece of the body and then none until requested. */
async function slowServer(): Promise<{
  url: string;
  started: () => boolean;
  goOn: () => void;
  received: () => number;
}> {
  let request: IncomingMessage | undefined;
  let received = 0;
  const url = await serve((incoming, response) => {
    request = incoming;
    incoming.on('data', (chunk: Buffer) => (received += chunk.length));
    incoming.once('data', () => incoming.pause());
    incoming.on('end', () => response.writeHead(202).end(CREATED));
    incoming.on('error', () => undefined);
  });
  return { url, started: () => received > 0, goOn: () => request?.resume(), received: () => received };
}

test('a form has its text fields first and the video last, byte for byte, with an exact length', async () => {
  const seen: { request: IncomingMessage; body: Buffer }[] = [];
  const url = await serveJson(202, CREATED, {}, seen);
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 251));
  const path = join(await temporaryFolder(), '東京 "final" \r\nX-Evil: 1\\.mp4');
  await writeFile(path, bytes);
  const progress: [number, number][] = [];
  const created = await clientFor(url).createPublication(
    { ...inputOf(path), title: 'Zwei\nZeilen', description: 'd', privacy: 'unlisted', profileId: 'p', status: 'draft' },
    { onProgress: (sent, total) => void progress.push([sent, total]) },
  );
  expect(created.publication.id).toBe('p1');
  const { request, body } = seen[0]!;
  expect(request.headers['content-length']).toBe(String(body.length));
  expect(request.headers['transfer-encoding']).toBeUndefined();
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')![1]!;
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head =
    field('platform', 'platform_b') + field('title', 'Zwei\nZeilen') + field('description', 'd') +
    field('privacy', 'unlisted') + field('profile_id', 'p') + field('status', 'draft') +
    `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="東京 %22final%22 %0D%0AX-Evil: 1_.mp4"\r\nContent-Type: video/mp4\r\n\r\n`; // prettier-ignore
  expect(body.equals(Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]))).toBe(true);
  expect(progress.at(-1)).toEqual([200_000, 200_000]);
  expect(progress.every(([sent], i) => i === 0 || sent > progress[i - 1]![0])).toBe(true);
});

test('a direct publish sends platform, title and video and reads its acknowledgment', async () => {
  const seen: { request: IncomingMessage; body: Buffer }[] = [];
  const url = await serveJson(
    200,
    { ok: true, publish_id: 's1', platform: 'platform_a', message: 'in', y: 1 },
    {},
    seen,
  );
  const result = await clientFor(url).publishDirect('a/b', { ...inputOf(await videoOf(10)), title: 'T' });
  expect(result).toEqual({ publishId: 's1', platform: 'platform_a', message: 'in', httpStatus: 200, extra: { y: 1 } });
  expect(seen[0]?.request.url).toBe('/v1/profiles/a%2Fb/publish');
});

test('a direct publish that acknowledges without an id is unreadable', async () => {
  const url = await serveJson(200, { ok: true });
  const sent = clientFor(url).publishDirect('a', inputOf(await videoOf(10)));
  expect(await failure(sent, ServiceError)).toMatchObject({ kind: 'unreadable', sent: 'answered' });
});

describe('big files', () => {
  /** Counts the body's bytes without any HTTP parsing, and compares with the length that was declared. */
  async function sink(): Promise<{ url: string; declared: () => number; received: () => number }> {
    let head = '';
    let declared = -1;
    let received = 0;
    const url = await serveTcp((socket) => {
      socket.on('data', (chunk: Buffer) => {
        if (declared < 0) {
          head += chunk.toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return;
          declared = Number(/content-length: (\d+)/i.exec(head)![1]);
          received = head.length - end - 4;
        } else received += chunk.length;
        if (received === declared)
          socket.end(`HTTP/1.1 202 Accepted\r\ncontent-length: ${CREATED.length}\r\n\r\n${CREATED}`);
      });
    });
    return { url, declared: () => declared, received: () => received };
  }

  test.each([2 ** 31 - 1, 2 ** 32 + 1, 5 * 2 ** 30])(
    '%d bytes arrive exactly and memory stays flat',
    async (size) => {
      const { url, declared, received } = await sink();
      const path = await videoOf(size);
      let peak = 0;
      const before = process.memoryUsage().rss;
      const onProgress = (sent: number) => {
        if (sent % (64 * MB) === 0) peak = Math.max(peak, process.memoryUsage().rss);
      };
      const created = await clientFor(url).createPublication(inputOf(path), { onProgress });
      expect(created.publication.id).toBe('p1');
      expect(received()).toBe(declared());
      expect(declared()).toBeGreaterThan(size + 200);
      expect(declared()).toBeLessThan(size + 1000);
      // Client and server are in this one process.
      expect(peak - before).toBeLessThan(250 * MB);
    },
    180_000,
  );
});

describe('a file that changes', () => {
  test('since it was checked is not sent', async () => {
    let requests = 0;
    const client = clientFor(await serve(() => requests++));
    const path = await videoOf(100);
    await utimes(path, 1000, 1000);
    const send = (known: { size?: number; modifiedMs?: number }) =>
      failure(client.createPublication({ platform: 'p', source: { kind: 'file', path, ...known } }), ServiceError);
    expect(await send({ size: 99 })).toMatchObject({ kind: 'file', sent: 'never' });
    expect((await send({ size: 99 })).message).toContain('it had 99 bytes and has 100');
    expect((await send({ modifiedMs: 999_000 })).message).toContain('written to at 1970-01-01T00:16:40.000Z');
    expect(requests).toBe(0);
  });

  const changes: [string, (path: string) => Promise<unknown>, RegExp][] = [
    ['grows', (path) => appendFile(path, 'more'), /grew while it was sent: from 20971520 to 20971524 bytes/],
    ['shrinks', (path) => truncate(path, 10 * MB), /shrank while it was sent/],
    ['is emptied', (path) => truncate(path, 0), /shrank while it was sent/],
    ['is replaced', async (path) => rename(await videoOf(20 * MB), path), /replaced by another file/],
    ['is deleted', (path) => rm(path), /deleted or moved while it was sent/],
    ['is written to', (path) => utimes(path, 5, 5), /written to while it was sent/],
  ];
  test.each(changes)('while it is sent (%s) ends the request without a whole form', async (_what, change, says) => {
    const { url, started, goOn, received } = await slowServer();
    const path = await videoOf(20 * MB);
    const sending = failure(clientFor(url).createPublication(inputOf(path)), ServiceError);
    await until(started);
    await change(path);
    goOn();
    const error = await sending;
    expect(error).toMatchObject({ kind: 'file', sent: 'perhaps' });
    expect(error.message).toMatch(says);
    expect(received()).toBeLessThan(20 * MB + 1000);
  });
});

describe('how an upload ends', () => {
  test('an abort closes the connection, whatever is left of the file', async () => {
    let closed = false;
    const url = await serve((request) => {
      // Takes the body slowly, so that it also sees the end of the connection.
      request.on('data', () => {
        request.pause();
        setTimeout(() => request.resume(), 20);
      });
      request.on('error', () => undefined).on('close', () => (closed = true));
    });
    const stop = new AbortController();
    let sent = 0;
    const sending = failure(
      clientFor(url).createPublication(inputOf(await videoOf(50 * MB)), {
        signal: stop.signal,
        onProgress: (bytes) => (sent = bytes),
      }),
      ServiceError,
    );
    await until(() => sent > 0);
    stop.abort();
    expect(await sending).toMatchObject({ kind: 'aborted', sent: 'perhaps' });
    await until(() => closed);
    expect(sent).toBeLessThan(50 * MB);
  });

  test('one that isn’t accepted ends at the stall limit', async () => {
    const url = await serveTcp((socket) => socket.pause());
    const client = clientFor(url, { limits: { uploadStallMs: 300 } });
    const error = await failure(client.createPublication(inputOf(await videoOf(50 * MB))), ServiceError);
    expect(error).toMatchObject({ kind: 'lost', sent: 'perhaps' });
    expect(error.message).toContain('nothing more of the upload was accepted within 0.3 s');
  });

  test('a slow one continues past the stall limit as long as it moves', async () => {
    const url = await serve((request, response) => {
      request.on('data', () => {
        request.pause();
        setTimeout(() => request.resume(), 20);
      });
      request.on('end', () => response.writeHead(202).end(CREATED));
    });
    const from = Date.now();
    const client = clientFor(url, { limits: { uploadStallMs: 3_000, answerMs: 100, createAnswerMs: 100 } });
    await client.createPublication(inputOf(await videoOf(12 * MB)));
    expect(Date.now() - from).toBeGreaterThan(3_000);
  });

  test('one without an answer ends at the answer limit', async () => {
    const client = clientFor(await serve((request) => void collect(request)), { limits: { uploadAnswerMs: 200 } });
    const error = await failure(client.createPublication(inputOf(await videoOf(MB))), ServiceError);
    expect(error.message).toContain('the upload got no answer within 0.2 s');
    expect(error).toMatchObject({ kind: 'lost', sent: 'perhaps' });
  });

  test('one over the total limit ends', async () => {
    const { url } = await slowServer();
    const client = clientFor(url, { limits: { uploadTotalMs: 200 } });
    const error = await failure(client.createPublication(inputOf(await videoOf(50 * MB))), ServiceError);
    expect(error.message).toContain('the upload did not finish within 0.2 s');
  });

  test('a refusal that comes early is read although the file is not through', async () => {
    let received = 0;
    const url = await serve((request, response) => {
      request.once('data', () => response.writeHead(413).end('too large'));
      request.on('data', (chunk: Buffer) => (received += chunk.length)).on('error', () => undefined);
    });
    const error = await failure(clientFor(url).createPublication(inputOf(await videoOf(300 * MB))), ServiceError);
    expect(error).toMatchObject({ kind: 'refused', status: 413, sent: 'answered', excerpt: 'too large' });
    expect(received).toBeLessThan(300 * MB);
  });

  test('a cut in the middle is lost', async () => {
    const url = await serve((request) => request.once('data', () => request.socket.destroy()));
    const error = await failure(clientFor(url).createPublication(inputOf(await videoOf(50 * MB))), ServiceError);
    expect(error).toMatchObject({ kind: 'lost', sent: 'perhaps' });
  });

  test('a 202 that comes early does not cut the file short', async () => {
    const hash = createHash('sha1');
    let received = 0;
    let whole = false;
    const url = await serve((request, response) => {
      request.once('data', () => response.writeHead(202, { 'content-length': CREATED.length }).end(CREATED));
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        hash.update(chunk);
      });
      request.on('end', () => (whole = true)).on('error', () => undefined);
    });
    const created = await clientFor(url).createPublication(inputOf(await videoOf(30 * MB)));
    expect(created.publication.id).toBe('p1');
    await until(() => whole);
    expect(received).toBeGreaterThan(30 * MB);
  });
});
