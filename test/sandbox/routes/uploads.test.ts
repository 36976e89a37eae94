import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { type Service, call, sandboxes, titles, until, videoForm } from '../client';
import { endChildren, startChild } from '../children';

const start = sandboxes();
afterEach(endChildren);

const BOUNDARY = 'frontier';
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

function head(title: string): string {
  const field = (name: string, value: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="video"; filename="a.mp4"\r\ncontent-type: video/mp4\r\n\r\n`;
  return `${field('platform', 'platform_a')}${field('title', title)}${file}`;
}

/** Opens an upload of `bytes` and leaves it to the caller to send them. */
function openUpload(service: Service, title: string, bytes: number, declared = bytes): Socket {
  const { port, hostname } = new URL(service.baseUrl);
  const length = head(title).length + declared + TAIL.length;
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/publications HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n` +
      `content-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${String(length)}\r\n\r\n${head(title)}`,
  );
  return socket;
}

/** Sends zeros with back-pressure; stops early when the connection goes. */
async function sendZeros(socket: Socket, bytes: number): Promise<number> {
  const block = Buffer.alloc(1024 * 1024);
  let sent = 0;
  while (sent < bytes && !socket.destroyed) {
    const part = block.subarray(0, Math.min(block.length, bytes - sent));
    sent += part.length;
    if (!socket.write(part)) {
      await new Promise<void>((resolve) => {
        const go = (): void => {
          socket.off('drain', go).off('close', go);
          resolve();
        };
        socket.once('drain', go).once('close', go);
      });
    }
  }
  return sent;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
    if (text.includes('}')) socket.end();
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

describe('uploads', () => {
  it('stream a GiB through without holding it in memory', async () => {
    const child = await startChild({ processing: { minMs: 60_000, maxMs: 60_000 } });
    const residentKiB = (field: string): number => {
      const status = readFileSync(`/proc/${String(child.child.pid)}/status`, 'utf8');
      return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]);
    };
    await call(child, 'POST', '/v1/publications', videoForm({ platform: 'platform_a' }, 5_000_000));
    const before = residentKiB('VmRSS');
    const bytes = 1024 ** 3;
    const socket = openUpload(child, 'Large', bytes);
    const answer = readAll(socket);
    await sendZeros(socket, bytes);
    socket.write(TAIL);
    expect(await answer).toMatch(/^HTTP\/1\.1 202 /);
    const { publications } = (await call(child, 'GET', '/_sandbox/publications')).json;
    expect(publications[1]?.source).toMatchObject({ bytes, declaredBytes: head('Large').length + bytes + TAIL.length });
    expect((residentKiB('VmHWM') - before) / 1024).toBeLessThan(150);
  });

  it('keep the sha256 of what arrived', async () => {
    const sandbox = await start({ hash: true });
    await call(sandbox, 'POST', '/v1/publications', videoForm({ platform: 'platform_a' }, 3_000_000));
    const expected = createHash('sha256').update(Buffer.alloc(3_000_000, 'x')).digest('hex');
    expect(sandbox.log()).toMatchObject([{ bytes: 3_000_000, sha256: expected }]);
  });

  it('store nothing when the client goes in the middle', async () => {
    const sandbox = await start();
    const socket = openUpload(sandbox, 'Broken', 10_000_000);
    await sendZeros(socket, 1_000_000);
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 1,
    );
    socket.destroy();
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 0,
    );
    expect(titles(sandbox)).toEqual([]);
  });

  it('store nothing when the client goes after the last boundary but before the declared end', async () => {
    const sandbox = await start();
    const socket = openUpload(sandbox, 'Short', 1000, 2000);
    await sendZeros(socket, 1000);
    socket.write(TAIL);
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 1,
    );
    socket.destroy();
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 0,
    );
    expect(titles(sandbox)).toEqual([]);
  });

  it('are refused when the form ends without its last boundary', async () => {
    const sandbox = await start();
    const socket = openUpload(sandbox, 'Open', 1000);
    const answer = readAll(socket);
    socket.write(Buffer.alloc(1000 + TAIL.length));
    expect(await answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(titles(sandbox)).toEqual([]);
  });

  it.each(['create title=Cut -> cut-body afterBytes=1000000', 'create title=Cut -> cut-body 1000000 reset'])(
    'are cut in the middle: %s',
    async (rule) => {
      const sandbox = await start({ faults: [rule] });
      const bytes = 50_000_000;
      const socket = openUpload(sandbox, 'Cut', bytes);
      const answer = readAll(socket);
      expect(await sendZeros(socket, bytes)).toBeLessThan(bytes);
      expect(await answer).toBe('');
      expect(titles(sandbox)).toEqual([]);
    },
  );

  it('are read at the ordered rate', async () => {
    const sandbox = await start({ faults: ['create -> slow-body bytesPerSecond=2000000'] });
    const startedAt = performance.now();
    await call(sandbox, 'POST', '/v1/publications', videoForm({ platform: 'platform_a', title: 'Slow' }, 1_000_000));
    expect(performance.now() - startedAt).toBeGreaterThan(450);
    expect(titles(sandbox)).toEqual(['Slow']);
  });

  it('make a client wait while they are read slowly, and end at once when it goes', async () => {
    const sandbox = await start({ faults: ['create -> slow-body 1000'] });
    const socket = openUpload(sandbox, 'Slow', 100_000_000);
    const sending = sendZeros(socket, 100_000_000);
    await until(
      () => [socket.bytesWritten, socket.writableNeedDrain] as const,
      ([written, full]) => written > 0 && full,
    );
    socket.destroy();
    expect(await sending).toBeLessThan(100_000_000);
    await until(
      () => sandbox.stats().openCreates,
      (open) => open === 0,
    );
    expect(titles(sandbox)).toEqual([]);
  });

  it.each([413, 401])('are answered %i while the body is still going out', async (status) => {
    const sandbox = await start({ faults: [`create -> status ${String(status)} early`] });
    const socket = openUpload(sandbox, 'Early', 500_000_000);
    expect(await readAll(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(titles(sandbox)).toEqual([]);
  });

  it('are lost after they were stored whole', async () => {
    const sandbox = await start({ faults: ['create -> lost'] });
    const socket = openUpload(sandbox, 'Lost', 1_000_000);
    const answer = readAll(socket);
    await sendZeros(socket, 1_000_000);
    socket.write(TAIL);
    expect(await answer).toBe('');
    expect(sandbox.publications()).toMatchObject([{ title: 'Lost', source: { bytes: 1_000_000 } }]);
  });
});
