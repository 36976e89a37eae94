import { type Socket } from 'node:net';
import { Client } from 'undici';
import { ConnectFailure, connectFailure } from './connect-failure';
import { hostOf } from './connection';

/**
 * A client for exactly one request on an established connection. It never connects again: a create must not be sent a
 * second time, and never on a kept-alive connection whose other end may just be closing.
 */
export function createFreshClient(origin: string, socket: Socket): Client {
  let given = false;
  return new Client(origin, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // Deferred, since the client loses track if it gets the answer while it is asking.
      setImmediate(() => {
        if (given || isClosed(socket)) callback(closedBeforeSending(origin), null);
        else callback(null, socket);
        given = true;
      });
    },
  });
}

/** The other end may close while the caller is still preparing: then nothing was sent either. */
export function isClosed(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded || !socket.writable;
}

export function closedBeforeSending(origin: string): ConnectFailure {
  return connectFailure(
    hostOf(origin),
    new ConnectFailure(`${hostOf(origin)} closed the connection before anything was sent`),
  );
}
