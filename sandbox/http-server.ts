import { timingSafeEqual } from 'node:crypto';
import multipart from '@fastify/multipart';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { addChangeRoutes } from './routes/change-routes';
import { type Context } from './context';
import { addControlRoutes } from './routes/control-routes';
import { addCreateRoutes, addEarlyFaults } from './routes/create-routes';
import { addCreateLimit } from './faults/create-limit';
import { type Endpoint } from './faults/fault-rules';
import { addReadRoutes } from './routes/read-routes';
import { ConnectionGone, Refusal, sendError } from './routes/refusal';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Endpoint of the interface that the route serves. */
    endpoint?: Endpoint;
    /** A path of the sandbox itself, outside the interface and without its key. */
    control?: boolean;
  }
}

/**
 * The HTTP server with all routes, not listening yet. Bodies may have any size: uploads are streamed, JSON is limited
 * to 1 MiB.
 */
export async function buildServer(context: Context): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // An upload may take hours.
    requestTimeout: 0,
    connectionTimeout: 0,
  });
  await server.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fileSize: Number.POSITIVE_INFINITY, fieldSize: 1_048_576, parts: 100 },
  });
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : (JSON.parse(body as string) as unknown));
    } catch {
      done(new Refusal(context.options.open.invalidStatus, 'invalid_json', 'the body is not JSON'));
    }
  });
  addCounters(server, context);
  addKeyCheck(server, context);
  addErrors(server, context);
  addCreateLimit(server, context);
  addEarlyFaults(server, context);
  addReadRoutes(server, context);
  addCreateRoutes(server, context);
  addChangeRoutes(server, context);
  addControlRoutes(server, context);
  return server;
}

function addCounters(server: FastifyInstance, { stats }: Context): void {
  server.server.on('connection', () => (stats.connections += 1));
  server.addHook('onRequest', (request, _reply, done) => {
    const { endpoint, control } = request.routeOptions.config;
    if (endpoint !== undefined) stats.requests[endpoint] += 1;
    else if (control !== true) stats.unknown += 1;
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (request.routeOptions.config.control !== true && reply.raw.writableFinished) {
      stats.answers[reply.statusCode] = (stats.answers[reply.statusCode] ?? 0) + 1;
    }
    done();
  });
}

/** Section 5. The answer to a missing or wrong key isn't shown there: 401. */
function addKeyCheck(server: FastifyInstance, { options, stats }: Context): void {
  const expected = Buffer.from(`Bearer ${options.apiKey}`);
  server.addHook('onRequest', (request, _reply, done) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const fits = given.length === expected.length && timingSafeEqual(given, expected);
    if (fits || request.routeOptions.config.control === true) {
      done();
      return;
    }
    stats.unauthorized += 1;
    done(new Refusal(401, 'unauthorized', 'missing or invalid API key'));
  });
}

function addErrors(server: FastifyInstance, { options }: Context): void {
  const { errorBody } = options.open;
  server.setErrorHandler((error: Partial<FastifyError>, request, reply) => {
    if (error instanceof ConnectionGone || request.socket.destroyed) {
      reply.hijack();
      request.socket.destroy();
      return;
    }
    if (error instanceof Refusal) {
      sendError(request, reply, errorBody, error);
      return;
    }
    // Fastify's own refusals (such as 415 for an unknown body type) have a status; anything else is a bug in the
    // sandbox.
    const { statusCode, code, message } = error;
    sendError(request, reply, errorBody, {
      status: statusCode ?? 500,
      code: code ?? 'internal',
      message: message ?? '',
    });
  });
  server.setNotFoundHandler((request, reply) => {
    sendError(request, reply, errorBody, { status: 404, code: 'not_found', message: 'no such path' });
  });
}
