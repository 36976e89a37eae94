import { type FastifyInstance } from 'fastify';
import { decideFate } from './accept';
import { answer } from './answer';
import { type Context, viewContext } from '../context';
import { kindOf } from '../profiles';
import { factsOfRecord, findPublication } from './read-routes';
import { type PublicationRecord, statusAt } from '../store/records';
import { Refusal } from './refusal';
import { type Fields, TITLE_LIMITS, checkLongFields, checkTitle, invalid, text } from './validate';
import { publicationView } from './views';

interface WithId {
  Params: { id: string };
}

/** PATCH (section 4.7) and DELETE (section 4.8) of a publication. */
export function addChangeRoutes(server: FastifyInstance, context: Context): void {
  const { options, store } = context;

  server.patch<WithId>('/v1/publications/:id', { config: { endpoint: 'update' } }, async (request, reply) => {
    const { id } = request.params;
    const record = findPublication(context, id);
    const body = request.body ?? {};
    if (typeof body !== 'object' || Array.isArray(body)) invalid(context.rules, 'the body must be a JSON object');
    const facts = { endpoint: 'update', id, ...factsOfRecord(record) } as const;
    const set = checkUpdate(context, record, body as Fields);
    return answer(context, request, reply, facts, async ({ shownStatus }) => {
      await store.change(record, set);
      const publication = publicationView(record, 'single', viewContext(context, shownStatus));
      return { status: options.open.updateStatus, body: { publication } };
    });
  });

  server.delete<WithId>('/v1/publications/:id', { config: { endpoint: 'delete' } }, async (request, reply) => {
    const { id } = request.params;
    const record = findPublication(context, id);
    const facts = { endpoint: 'delete', id, ...factsOfRecord(record) } as const;
    return answer(context, request, reply, facts, async () => {
      await store.remove(record);
      return { status: options.open.deleteStatus, body: { ok: true, message: `Publication ${id} was deleted.` } };
    });
  });
}

/** @throws Refusal unless the publication is `draft` or `pending` (section 3, rule 1) and the values are allowed. */
function checkUpdate(context: Context, record: PublicationRecord, fields: Fields): Partial<PublicationRecord> {
  const { rules, options } = context;
  const now = Date.now();
  const current = statusAt(record, now);
  if (current !== 'draft' && current !== 'pending') {
    throw new Refusal(options.open.immutableStatus, 'immutable', `a ${current} publication can't be changed`);
  }
  const limit = kindOf(options.platforms, record.platform) === 'long' ? TITLE_LIMITS.long : TITLE_LIMITS.short;
  const title = checkTitle(rules, fields, limit);
  const { description, privacy } = checkLongFields(rules, fields, record.platform);
  const status = text(rules, fields, 'status');
  if (status !== null && status !== 'draft' && status !== 'pending') {
    invalid(rules, 'status must be draft or pending');
  }
  return {
    ...(title === null ? {} : { title }),
    ...(description === null ? {} : { description }),
    ...(privacy === null ? {} : { privacy }),
    ...(status === 'draft' ? { given: 'draft', processingAt: null, dueAt: null } : {}),
    ...(status === 'pending' && current !== 'pending' ? toPending(context, record, now) : {}),
  };
}

function toPending(context: Context, record: PublicationRecord, now: number): Partial<PublicationRecord> {
  const { open } = context.options;
  if (open.pending === 'stays') return { given: 'pending', processingAt: null, dueAt: null };
  const processingAt = now + open.pendingMs;
  const fate = decideFate(context, record.n);
  const empty = record.source.kind === 'none';
  return {
    given: 'pending',
    processingAt,
    dueAt: processingAt + fate.afterMs,
    ...(empty ? { outcome: 'failed', reason: 'The publication has no video.' } : {}),
  };
}
