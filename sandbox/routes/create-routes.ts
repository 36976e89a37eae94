import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptPublication } from './accept';
import { type Answer, type Directives, answer, answerEarly } from './answer';
import { factsOf, isDirectFormat, readBody } from './body';
import { type Context, viewContext } from '../context';
import { type PublicationSource } from '../store/records';
import { Refusal } from './refusal';
import { TITLE_LIMITS, checkCreate, checkPlatform, checkProfile, checkTitle, invalid } from './validate';
import { publicationView } from './views';

interface WithId {
  Params: { id: string };
}

/** POST /v1/publications (section 4.5) and POST /v1/profiles/:id/publish (section 4.3). */
export function addCreateRoutes(server: FastifyInstance, context: Context): void {
  server.post('/v1/publications', { config: { endpoint: 'create' } }, async (request, reply) =>
    counted(context, async () => create(context, request, reply)),
  );
  server.post<WithId>('/v1/profiles/:id/publish', { config: { endpoint: 'direct' } }, async (request, reply) =>
    counted(context, async () => publishDirect(context, request, reply, request.params.id)),
  );
}

async function counted(context: Context, handle: () => Promise<FastifyReply>): Promise<FastifyReply> {
  const { stats } = context;
  stats.openCreates += 1;
  stats.mostOpenCreates = Math.max(stats.mostOpenCreates, stats.openCreates);
  try {
    return await handle();
  } finally {
    stats.openCreates -= 1;
  }
}

async function create(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { rules } = context;
  const body = await readBody(context, request, { endpoint: 'create' });
  const fields = checkCreate(rules, body.fields, body.form, (body.video?.source.bytes ?? 0) > 0);
  const facts = { ...factsOf(body.fields), endpoint: 'create', profileId: fields.profileId } as const;
  return answer(context, request, reply, facts, async (directives: Directives): Promise<Answer> => {
    const { videoUrl, ...sent } = fields;
    const { draft } = sent;
    const source = sourceOf(body.video?.source ?? null, videoUrl);
    const as = directives.storeAs;
    const stored = {
      title: as?.title ?? sent.title,
      description: as?.description ?? sent.description,
      privacy: as?.privacy ?? sent.privacy,
      profileId: as?.profileId ?? sent.profileId,
    };
    const before = directives.reuseId === true ? context.store.newestPublication() : undefined;
    const record = await acceptPublication(
      context,
      { kind: 'publication', ...sent, ...stored, source },
      directives.outcome,
    );
    const id = before?.id ?? record.id;
    const location = `/v1/publications/${id}`;
    const shown = publicationView(record, 'create', viewContext(context, directives.shownStatus));
    const publication = { ...shown, id };
    const message = draft
      ? `Draft saved. Read it at GET ${location}.`
      : `Publication accepted. Poll GET ${location} until it is published or failed.`;
    return { status: 202, body: { publication, message }, location };
  });
}

async function publishDirect(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  profileId: string,
): Promise<FastifyReply> {
  const { rules, options } = context;
  const body = await readBody(context, request, { endpoint: 'direct', id: profileId, profileId });
  const { video } = body;
  if (body.form !== 'multipart') throw new Refusal(415, 'unsupported_media_type', 'the body must be a multipart form');
  const platform = checkPlatform(rules, body.fields['platform']);
  checkProfile(rules, profileId, platform);
  const title = checkTitle(rules, body.fields, TITLE_LIMITS.direct);
  if (video === null || video.source.bytes === 0) return invalid(rules, 'video is required');
  if (video.source.bytes > options.directMaxBytes) throw new Refusal(413, 'too_large', 'video is larger than 500 MB');
  if (!isDirectFormat(video)) throw new Refusal(415, 'unsupported_media_type', 'video must be MP4, MOV or AVI');
  const facts = { ...factsOf(body.fields), endpoint: 'direct', id: profileId, profileId } as const;
  return answer(context, request, reply, facts, async (directives: Directives): Promise<Answer> => {
    const submission = {
      kind: 'direct',
      platform,
      profileId,
      title: title ?? video.source.fileName ?? null,
      description: null,
      privacy: null,
      source: video.source,
      draft: false,
    } as const;
    const record = await acceptPublication(context, submission, directives.outcome);
    const message = 'The video was submitted for processing.';
    return { status: options.open.directStatus, body: { ok: true, publish_id: record.id, platform, message } };
  });
}

function sourceOf(video: PublicationSource | null, videoUrl: string | null): PublicationSource {
  if (video !== null) return video;
  return videoUrl === null ? { kind: 'none', bytes: 0 } : { kind: 'url', url: videoUrl, bytes: 0 };
}

/** Early faults answer before any of the body is read, so they act in a hook. */
export function addEarlyFaults(server: FastifyInstance, context: Context): void {
  server.addHook('onRequest', async (request, reply) => {
    const endpoint = request.routeOptions.config.endpoint;
    if (endpoint === undefined) return;
    const { id } = request.params as { id?: string };
    if (answerEarly(context, request, reply, { endpoint, ...(id === undefined ? {} : { id }) })) return reply;
  });
}
