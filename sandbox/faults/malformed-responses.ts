import { type FastifyReply } from 'fastify';
import { type FaultAction } from './fault-rules';
import { sendHostile } from './hostile-responses';

/** A success answer that can't be read, although the request may have taken effect. */
export function sendMalformed(
  reply: FastifyReply,
  action: FaultAction & { kind: 'garbage' },
  meant: { status: number; body: unknown; location?: string } | null,
): void {
  const text = JSON.stringify(meant?.body ?? { publication: { id: null }, message: 'accepted' });
  reply.code(action.status ?? meant?.status ?? 202);
  switch (action.what) {
    case 'html':
      reply.type('text/html').send('<!doctype html><title>Please wait</title><p>Your request is being handled.</p>');
      return;
    case 'half-json':
      reply.type('application/json').send(text.slice(0, Math.floor(text.length / 2)));
      return;
    case 'empty-object':
      reply.send({});
      return;
    case 'empty':
      reply.send();
      return;
    case 'big-id':
      // Beyond 2^53, so that a reader that takes it for a number changes its last digits.
      reply.type('application/json').send(text.replace(/"id":("[^"]*"|null)/, '"id":90071992547409931234'));
      return;
    case 'location-only':
      reply.header('location', meant?.location ?? '/v1/publications/unknown').send();
      return;
    case 'hostile-text':
    case 'hostile-id':
    case 'wrong-types':
    case 'deep-json':
    case 'huge-text':
    case 'huge-headers':
      sendHostile(reply, action.what, meant?.body ?? null);
  }
}
