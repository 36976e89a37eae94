import { type FastifyInstance } from 'fastify';
import { type Answer, answer } from './answer';
import { type Context, listedCount, viewContext } from '../context';
import { type PublicationRecord, statusAt } from '../store/records';
import { Refusal } from './refusal';
import { type Fields, checkPlatform, checkProfile, invalid, text } from './validate';
import { profileView, publicationView } from './views';

interface WithId {
  Params: { id: string };
}

/** The four endpoints that only read: profiles (4.1, 4.2), the list (4.4) and one publication (4.6). */
export function addReadRoutes(server: FastifyInstance, context: Context): void {
  const { options, rules } = context;

  server.get('/v1/profiles', { config: { endpoint: 'profiles' } }, async (request, reply) =>
    answer(context, request, reply, { endpoint: 'profiles' }, async () => {
      const profiles = options.profiles.map((profile) => profileView(profile, options.open));
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
      list(context, request.query as Fields, shownStatus),
    ),
  );

  server.get<WithId>('/v1/publications/:id', { config: { endpoint: 'get' } }, async (request, reply) => {
    const { id } = request.params;
    const record = context.store.get(id);
    const facts = { endpoint: 'get', id, ...(record === undefined ? {} : factsOfRecord(record)) } as const;
    return answer(context, request, reply, facts, async ({ shownStatus }) => {
      const found = findPublication(context, id);
      return {
        status: 200,
        body: { publication: publicationView(found, 'single', viewContext(context, shownStatus)) },
      };
    });
  });
}

/** @throws Refusal with 404 when no such publication is there. */
export function findPublication(context: Context, id: string): PublicationRecord {
  const record = context.store.get(id);
  if (record === undefined) throw new Refusal(404, 'publication_not_found', 'publication not found');
  return record;
}

/** What rules may look at besides the id. */
export function factsOfRecord({ title, platform, profileId }: PublicationRecord): {
  title: string | null;
  platform: string;
  profileId: string;
} {
  return { title, platform, profileId };
}

const LISTED_STATUSES: readonly string[] = ['pending', 'processing', 'published', 'failed'];

async function list(
  context: Context,
  query: Fields,
  shownStatus: ReturnType<typeof viewContext>['shownStatus'],
): Promise<Answer> {
  const { rules, options, store } = context;
  const limit = pageNumber(context, query, 'limit', 20, 1, 100);
  const offset = pageNumber(context, query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER);
  const platform = query['platform'] === undefined ? null : checkPlatform(rules, query['platform']);
  const profileId = text(rules, query, 'profile_id');
  const status = text(rules, query, 'status');
  if (status !== null && !LISTED_STATUSES.includes(status)) {
    invalid(rules, `status must be ${LISTED_STATUSES.join(', ')}`);
  }
  const now = Date.now();
  const records = store.ordered();
  const end = options.open.listLagMs === 0 ? records.length : listedCount(records, now - options.open.listLagMs);
  const filtered = platform !== null || profileId !== null || status !== null || !options.open.draftsListed;
  const page: PublicationRecord[] = [];
  let total = end;
  if (filtered) {
    total = 0;
    for (let at = end - 1; at >= 0; at -= 1) {
      const record = records[at];
      if (record === undefined) break;
      if (platform !== null && record.platform !== platform) continue;
      if (profileId !== null && record.profileId !== profileId) continue;
      if (!options.open.draftsListed && record.given === 'draft') continue;
      if (status !== null && statusAt(record, now) !== status) continue;
      if (total >= offset && page.length < limit) page.push(record);
      total += 1;
    }
  } else {
    page.push(...records.slice(Math.max(0, end - offset - limit), Math.max(0, end - offset)).reverse());
  }
  const view = viewContext(context, shownStatus);
  const publications = page.map((record) => publicationView(record, 'list', view));
  return { status: 200, body: { publications, total, limit, offset } };
}

function pageNumber(context: Context, query: Fields, name: string, standard: number, min: number, max: number): number {
  const value = query[name];
  if (value === undefined) return standard;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  if (context.options.open.pageLimit === 'clamp' && !Number.isNaN(number)) return Math.min(max, Math.max(min, number));
  return invalid(
    context.rules,
    `${name} must be a whole number of at least ${String(min)}${max === 100 ? ', at most 100' : ''}`,
  );
}
