import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type ErrorBody } from '../faults/open-choices';

/** A request that the service refuses, with the status and code it answers. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The client closed the connection, or a fault did, before the request was complete. There is no answer. */
export class ConnectionGone extends Error {
  override readonly name = 'ConnectionGone';
}

/** Sends an error in the configured shape. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  shape: ErrorBody,
  error: { status: number; code: string; message: string },
): void {
  const { code, message } = error;
  reply.code(error.status);
  switch (shape) {
    case 'error-object':
      reply.send({ error: { code, message } });
      return;
    case 'message':
      reply.send({ message });
      return;
    case 'text':
      reply.type('text/plain').send(message);
      return;
    case 'html':
      reply.type('text/html').send(`<!doctype html><title>Error</title><h1>${String(error.status)}</h1><p>Error</p>`);
      return;
    case 'empty':
      reply.send();
      return;
    case 'echo-key':
      reply.send({
        error: { code, message: `${message} (authorization: ${request.headers.authorization ?? 'none'})` },
      });
      return;
    case 'huge':
      reply.send({ error: { code, message: message.padEnd(3_000_000, '.') } });
      return;
    case 'hostile':
      reply.type('text/plain').send('a.\u001b[2J\u202e'.repeat(250_000));
      return;
  }
}
