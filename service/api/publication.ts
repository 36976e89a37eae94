import { keptId } from './half-characters';
import { z } from 'zod';

/** A publication as the service shows it (interface, section 2.3). Texts are untouched: unknown statuses stay as they are. */
export interface Publication {
  id: string;
  platform: string | null;
  /** Null if the answer shows none, or one that isn't a text. */
  status: string | null;
  videoId: string | null;
  videoUrl: string | null;
  privacy: string | null;
  /** As shown: ISO 8601 once published. */
  publishedAt: string | null;
  title?: string;
  description?: string;
  profileId?: string;
  createdAt?: string;
  /** Why it failed, if the service says so; the interface names no field for it, so the usual names are tried. */
  failureReason?: string;
  /** Every field without a property above, unchanged. */
  extra: Record<string, unknown>;
}

/** Whether an id can be one segment of a path: `..`, or `%2e%2e` where it is decoded twice, would be another address. */
export function isOneSegment(id: string): boolean {
  return id.trim() !== '' && !/^(?:\.|%2e){1,2}$/iu.test(id);
}

/**
 * An id, as text. Numbers only if no digit was lost; one that no path can name, or longer than 512 characters, is
 * invalid.
 */
export const idSchema = z.union([
  z.string().max(512).refine(isOneSegment).transform(keptId),
  z.int().nonnegative().transform(String),
]);

/** A text if the interface has one, null if it isn't one: optional values never make an answer unreadable. */
export const textOrNull = z.string().nullable().catch(null).default(null);
const optionalText = z.string().optional().catch(undefined);
const idOrNull = idSchema.nullable().catch(null).default(null);

const publicationSchema = z.looseObject({
  id: idSchema,
  platform: textOrNull,
  status: textOrNull,
  video_id: idOrNull,
  video_url: textOrNull,
  privacy: textOrNull,
  published_at: textOrNull,
  title: optionalText,
  description: optionalText,
  profile_id: idSchema.optional().catch(undefined),
  created_at: optionalText,
});

const envelopeSchema = z.looseObject({ publication: z.unknown() });
const nestedReasonSchema = z.looseObject({ message: z.string().min(1) });

const FAILURE_FIELDS = [
  'failure_reason',
  'failure_message',
  'failed_reason',
  'error_message',
  'error',
  'reason',
  'status_message',
  'failure',
] as const;

/** Reads one publication; undefined without a usable id. */
export function readPublication(value: unknown): Publication | undefined {
  const parsed = publicationSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { id, platform, status, privacy, title, description, ...rest } = parsed.data;
  const { video_id, video_url, published_at, profile_id, created_at, ...extra } = rest;
  const failureReason = findFailureReason(extra);
  return {
    id,
    platform,
    status,
    videoId: video_id,
    videoUrl: video_url,
    privacy,
    publishedAt: published_at,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(profile_id === undefined ? {} : { profileId: profile_id }),
    ...(created_at === undefined ? {} : { createdAt: created_at }),
    ...(failureReason === undefined ? {} : { failureReason }),
    extra,
  };
}

/** Reads `{publication: {…}}`, or the publication itself if it shows a status too (a bare id could belong to anything). */
export function readPublicationAnswer(value: unknown): Publication | undefined {
  const envelope = envelopeSchema.safeParse(value);
  if (envelope.success && envelope.data.publication !== undefined) return readPublication(envelope.data.publication);
  const bare = readPublication(value);
  return bare === undefined || bare.status === null ? undefined : bare;
}

function findFailureReason(fields: Record<string, unknown>): string | undefined {
  for (const name of FAILURE_FIELDS) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (value === undefined) continue;
    const nested = nestedReasonSchema.safeParse(value);
    if (nested.success) return nested.data.message;
  }
  return undefined;
}
