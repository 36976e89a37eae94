import { STATUS_CODES } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FastifyReply, type FastifyRequest } from 'fastify';

/** Closes the connection without an answer byte: normally, or by RST. */
export function drop(request: FastifyRequest, reset: boolean): void {
  if (reset) request.socket.resetAndDestroy();
  else request.socket.destroy();
}

/** Sends the beginning of an answer, up to the place named, and closes the connection. */
export function cutAnswer(
  reply: FastifyReply,
  { status, body }: { status: number; body: unknown },
  at: 'status-line' | 'headers' | 'body',
): void {
  reply.hijack();
  const socket = reply.raw.socket;
  const text = JSON.stringify(body);
  const line = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n`;
  const headers = `content-type: application/json; charset=utf-8\r\ncontent-length: ${String(Buffer.byteLength(text))}\r\n`;
  const half = Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2));
  const head = at === 'status-line' ? line : at === 'headers' ? line + headers : `${line}${headers}\r\n`;
  socket?.write(Buffer.concat([Buffer.from(head), at === 'body' ? half : Buffer.alloc(0)]), () => {
    // In the next turn, so that what was written is sent before the connection closes.
    void nextTurn().then(() => socket.destroy());
  });
}
