import { type IncomingHttpHeaders } from 'node:http';
import { type FastifyInstance } from 'fastify';
import { type Context } from '../context';
import { startInjecting } from '../faults/injected-publications';
import { type FaultRule } from '../faults/fault-rules';
import { type InjectedOptions } from '../options';
import { SandboxOptionError } from '../problem';
import { Refusal } from './refusal';
import { type EditInput, type SettleInput, edit, publicationStates, settle } from '../store/states';

/**
 * Paths outside the interface, by which somebody in another process orders faults and reads what happened. They need no
 * key, and answer only to the same machine and to requests with the header `x-reelay-sandbox` (any value).
 *
 * - `GET /_sandbox/state` → `{stats, accepted, publications (number), faults}`
 * - `GET /_sandbox/publications` → `{publications: PublicationState[]}`; `POST /_sandbox/publications/:id/settle` `{outcome, reason?}`,
 *   `POST /_sandbox/publications/:id/edit` `{title?, description?, privacy?}`
 * - `GET /_sandbox/log` → the accepted requests as JSON lines
 * - `GET`, `POST`, `DELETE /_sandbox/faults`, `DELETE /_sandbox/faults/:id`; a POST takes a rule, `{"text": "…"}`, or a list of these
 * - `POST /_sandbox/foreign` `{everyMs, times?, title?}`, `DELETE /_sandbox/foreign`
 */
export function addControlRoutes(server: FastifyInstance, context: Context): void {
  const { book, store, stats } = context;
  const options = { config: { control: true }, preParsing: fromSameMachine };
  const foreign: { stop: () => void }[] = [];

  server.get('/_sandbox/state', options, async () => ({
    stats,
    accepted: store.accepted,
    publications: store.ordered().length,
    faults: book.list(),
  }));
  server.get('/_sandbox/publications', options, async () => ({ publications: publicationStates(context) }));
  server.post<{ Params: { id: string } }>('/_sandbox/publications/:id/settle', options, async (request) => {
    await settle(context, request.params.id, request.body as SettleInput);
    return { ok: true };
  });
  server.post<{ Params: { id: string } }>('/_sandbox/publications/:id/edit', options, async (request) => {
    await edit(context, request.params.id, request.body as EditInput);
    return { ok: true };
  });
  server.get('/_sandbox/log', options, async (_request, reply) =>
    reply
      .type('application/x-ndjson')
      .send(store.log().reduce((lines, entry) => `${lines}${JSON.stringify(entry)}\n`, '')),
  );
  server.get('/_sandbox/faults', options, async () => ({ faults: book.list() }));
  server.post('/_sandbox/faults', options, async (request) => {
    const given = (Array.isArray(request.body) ? request.body : [request.body]) as (FaultRule | { text: string })[];
    return { ids: refusing(() => given.map((rule) => book.add(isText(rule) ? rule.text : rule))) };
  });
  server.delete('/_sandbox/faults', options, async () => ({ cleared: book.clear() }));
  server.delete<{ Params: { id: string } }>('/_sandbox/faults/:id', options, async (request) => ({
    cleared: book.clear(request.params.id),
  }));
  server.post('/_sandbox/foreign', options, async (request) => {
    const given = request.body as Partial<InjectedOptions> | undefined;
    if (typeof given?.everyMs !== 'number' || given.everyMs < 1) {
      throw new Refusal(400, 'invalid_request', 'everyMs must be a number of ms, at least 1');
    }
    foreign.push(startInjecting(context, { ...given, everyMs: given.everyMs }));
    return { ok: true };
  });
  server.delete('/_sandbox/foreign', options, async () => {
    for (const one of foreign.splice(0)) one.stop();
    return { ok: true };
  });
}

/** A header that no web page can send to another site without a preflight request, which is never answered. */
export const CONTROL_HEADER = 'x-reelay-sandbox';

/**
 * This also excludes pages in a browser on this machine: they can't send the header, and their own host name isn't this
 * machine's.
 */
async function fromSameMachine(request: {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}): Promise<void> {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (address !== '::1' && !address.startsWith('127.')) {
    throw new Refusal(403, 'forbidden', 'the control paths answer only to the same machine');
  }
  const { host = '', [CONTROL_HEADER]: header } = request.headers;
  if (header === undefined) throw new Refusal(403, 'forbidden', `the control paths need the header ${CONTROL_HEADER}`);
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host))
    throw new Refusal(403, 'forbidden', 'the control paths answer only under a name of this machine');
}

function isText(rule: unknown): rule is { text: string } {
  return typeof rule === 'object' && rule !== null && 'text' in rule && typeof rule.text === 'string';
}

function refusing<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof SandboxOptionError) throw new Refusal(400, 'invalid_request', error.message);
    throw error;
  }
}
