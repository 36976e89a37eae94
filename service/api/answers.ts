import { z } from 'zod';
import { idSchema, readPublication, textOrNull, type Publication } from './publication';
import { readProfile, type Profile } from './profile';

/** A page of the account's publications, newest first (interface, section 4.4). Null: the answer did not include it. */
export interface PublicationPage {
  publications: Publication[];
  total: number | null;
  limit: number | null;
  offset: number | null;
  /** When the service answered, by its own clock, ms since the epoch; null: it shows no time. */
  servedAt: number | null;
}

/** All profiles of the account (section 4.1). */
export interface ProfileList {
  profiles: Profile[];
  total: number | null;
}

/** What a direct publish acknowledges (section 2.4). */
export interface DirectPublishResult {
  publishId: string;
  platform: string | null;
  message: string | null;
  httpStatus: number;
  extra: Record<string, unknown>;
}

const count = z.int().nonnegative().nullable().catch(null).default(null);
const pageSchema = z.looseObject({ publications: z.array(z.unknown()), total: count, limit: count, offset: count });
const profilesSchema = z.looseObject({ profiles: z.array(z.unknown()), total: count });
const messageSchema = z.looseObject({ message: z.string() });
const notOkSchema = z.looseObject({ ok: z.literal(false) });
const directSchema = z.looseObject({ publish_id: idSchema, platform: textOrNull, message: textOrNull });

/** Reads a page. One entry without an id makes the page unreadable: leaving it out would hide a publication. */
export function readPage(value: unknown): Omit<PublicationPage, 'servedAt'> | undefined {
  const parsed = pageSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const publications = readAll(parsed.data.publications, readPublication);
  const { total, limit, offset } = parsed.data;
  return publications && { publications, total, limit, offset };
}

export function readProfiles(value: unknown): ProfileList | undefined {
  const parsed = profilesSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const profiles = readAll(parsed.data.profiles, readProfile);
  return profiles && { profiles, total: parsed.data.total };
}

export function readDirectPublish(value: unknown, httpStatus: number): DirectPublishResult | undefined {
  const parsed = directSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const { publish_id, platform, message, ...extra } = parsed.data;
  delete extra['ok'];
  return { publishId: publish_id, platform, message, httpStatus, extra };
}

/** The `message` beside the data, if it is a text. */
export function readMessage(value: unknown): string | null {
  const parsed = messageSchema.safeParse(value);
  return parsed.success ? parsed.data.message : null;
}

/** Whether an answer itself reports a failure, whatever its status. */
export function saysNotOk(value: unknown): boolean {
  return notOkSchema.safeParse(value).success;
}

function readAll<T>(values: readonly unknown[], read: (value: unknown) => T | undefined): T[] | undefined {
  const all = values.map(read).filter((one) => one !== undefined);
  return all.length === values.length ? all : undefined;
}
