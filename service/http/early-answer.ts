import { type Socket } from 'node:net';

/** A body, and when nothing more of it will be asked for. */
export interface TrackedBody {
  body: AsyncIterable<Buffer>;
  /** Resolves when the body has ended, broke off or was abandoned. */
  ended: Promise<void>;
}

/** Notices when a body is done, without wrapping it in another generator. */
export function trackBody(body: AsyncIterable<Buffer>): TrackedBody {
  const inner = body[Symbol.asyncIterator]();
  let onEnded: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (onEnded = resolve));
  const iterator: AsyncIterator<Buffer> = {
    async next() {
      try {
        const step = await inner.next();
        if (step.done) onEnded();
        return step;
      } catch (error) {
        onEnded();
        throw error;
      }
    },
    async return() {
      onEnded();
      await inner.return?.();
      return { done: true, value: undefined };
    },
  };
  return { body: { [Symbol.asyncIterator]: () => iterator }, ended };
}

/** The reasons with which the library itself closes connections; seen in undici 7.30, and verified by a test. */
const CLOSED_BY_ITSELF = ['reset', 'socket idle timeout'];

/**
 * Lets an upload continue after its answer. The service answers a create at once (interface, section 4.5), which may be
 * before the last byte was sent; the library then closes the connection and would truncate the video. The code that
 * opened the socket closes it.
 */
export function keepOpenPastAnswer(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error?: Error & { code?: string }) => {
    if (error?.code === 'UND_ERR_INFO' && CLOSED_BY_ITSELF.includes(error.message)) return socket;
    return destroy(error);
  };
}

/** Waits until the system has accepted everything that was written, or the connection is gone. */
export function flush(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    socket.once('close', () => resolve());
    // Deferred: the library has yet to record that its last piece was accepted.
    setImmediate(() => socket.end(() => resolve()));
  });
}
