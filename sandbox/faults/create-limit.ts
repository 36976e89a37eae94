import { type FastifyInstance } from 'fastify';
import { type Context } from '../context';
import { Refusal, sendError } from '../routes/refusal';

const WINDOW_MS = 1_000;

/** Answers 429 to a create that would exceed the limit within a second, by the times at which creates arrive. */
export function addCreateLimit(server: FastifyInstance, { options }: Context): void {
  const { createsPerSecond } = options;
  if (createsPerSecond === undefined) return;
  const arrivals: number[] = [];
  server.addHook('onRequest', (request, reply, done) => {
    const { endpoint } = request.routeOptions.config;
    if (endpoint !== 'create' && endpoint !== 'direct') {
      done();
      return;
    }
    const now = performance.now();
    while (arrivals[0] !== undefined && now - arrivals[0] >= WINDOW_MS) arrivals.shift();
    if (arrivals.length < createsPerSecond) {
      arrivals.push(now);
      done();
      return;
    }
    reply.header('retry-after', '1');
    const message = `more than ${createsPerSecond} creates within a second`;
    sendError(request, reply, options.open.errorBody, new Refusal(429, 'too_many_requests', message));
  });
}
