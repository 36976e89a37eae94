import { type FastifyInstance } from 'fastify';
import { answer } from './answer';
import { type Context, viewContext } from '../context';
import { listPublications } from './listing';
import { type PublicationRecord } from '../store/records';
import { Refusal } from './refusal';
import { type Fields, checkProfile } from './validate';
import { profileView, publicationView } from './views';

interface WithId {
  Params: { id: string };
}

/** The four endpoints that only read: profiles (4.1, 4.2), the list (4.4) and one publication (4.6). */
export function addReadRoutes(server: FastifyInstance, context: Context): void {
  const { options, rules } = context;

  server.get('/v1/profiles', { config: { endpoint: 'profiles' } }, async (request, reply) =>
    answer(context, request, reply, { endpoint: 'profiles' }, async () => {
      const profiles = rules.profiles.list().map((profile) => profileView(profile, options.open));
      return { status: 200, body: { profiles, total: profiles.length } };
    }),
  );

  server.get<WithId>('/v1/profiles/:id', { config: { endpoint: 'profile' } }, async (request, reply) => {
    const { id } = request.params;
    return answer(context, request, reply, { endpoint: 'profile', id, profileId: id }, async () => {
      const profile = profileView(checkProfile(rules, id), options.open);
      return { status: 200, body: options.open.profileEnvelope === 'bare' ? profile : { profile } };
    });
  });

  server.get('/v1/publications', { config: { endpoint: 'list' } }, async (request, reply) =>
    answer(context, request, reply, { endpoint: 'list' }, async ({ shownStatus }) =>
      listPublications(context, request.query as Fields, shownStatus),
    ),
  );

  server.get<WithId>('/v1/publications/:id', { config: { endpoint: 'get' } }, async (request, reply) => {
    const { id } = request.params;
    const record = context.store.get(id);
    const facts = { endpoint: 'get', id, ...(record === undefined ? {} : factsOfRecord(record)) } as const;
    return answer(context, request, reply, facts, async ({ shownStatus }) => {
      const found = findPublication(context, id);
      const { readLagMs } = options.open;
      if (readLagMs > 0 && found.createdAt > Date.now() - readLagMs) throw notFound();
      return {
        status: 200,
        body: { publication: publicationView(found, 'single', viewContext(context, shownStatus)) },
      };
    });
  });
}

/** @throws Refusal with 404 if there is no such publication. */
export function findPublication(context: Context, id: string): PublicationRecord {
  const record = context.store.get(id);
  if (record === undefined) throw notFound();
  return record;
}

function notFound(): Refusal {
  return new Refusal(404, 'publication_not_found', 'publication not found');
}

/** What rules may look at besides the id. */
export function factsOfRecord({ title, platform, profileId }: PublicationRecord): {
  title: string | null;
  platform: string;
  profileId: string;
} {
  return { title, platform, profileId };
}
