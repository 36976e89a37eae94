import { type OpenChoices } from '../faults/open-choices';
import { type AccountProfiles, kindOf, type SandboxPlatforms, type SandboxProfile } from '../profiles';
import { type Privacy } from '../store/records';
import { Refusal } from './refusal';

/** Limits of section 8, in code points. */
export const TITLE_LIMITS = { short: 150, long: 100, direct: 150 } as const;
export const DESCRIPTION_LIMIT = 5000;
const PRIVACIES: readonly string[] = ['public', 'private', 'unlisted'];

export interface Rules {
  open: OpenChoices;
  platforms: SandboxPlatforms;
  profiles: AccountProfiles;
}

/** The validated fields of a create (section 4.5). */
export interface CreateFields {
  platform: string;
  profileId: string;
  title: string | null;
  description: string | null;
  privacy: Privacy | null;
  draft: boolean;
  videoUrl: string | null;
}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws Refusal for the first field that the interface rules out. */
export function checkCreate(rules: Rules, fields: Fields, form: 'json' | 'multipart', hasVideo: boolean): CreateFields {
  const platform = checkPlatform(rules, fields['platform']);
  const status = text(rules, fields, 'status') ?? 'published';
  if (status !== 'published' && status !== 'draft') invalid(rules, 'status must be published or draft');
  const draft = status === 'draft';
  const kind = kindOf(rules.platforms, platform);
  const title = checkTitle(rules, fields, kind === 'long' ? TITLE_LIMITS.long : TITLE_LIMITS.short);
  const long = checkLongFields(rules, fields, platform);
  const privacy = long.privacy ?? (kind === 'long' ? 'private' : null);
  const profileId = checkProfile(rules, text(rules, fields, 'profile_id'), platform).id;
  const videoUrl = form === 'json' ? checkUrl(rules, text(rules, fields, 'video_url')) : null;
  if (!draft && form === 'multipart' && !hasVideo) invalid(rules, 'video is required');
  if (!draft && form === 'json' && videoUrl === null) invalid(rules, 'video_url is required');
  return { platform, profileId, title, description: long.description, privacy, draft, videoUrl };
}

/** @throws Refusal unless it is one of the platforms that publish. */
export function checkPlatform(rules: Rules, value: unknown): string {
  const { short, long, more = {} } = rules.platforms;
  if (typeof value === 'string' && kindOf(rules.platforms, value) !== undefined) return value;
  return invalid(rules, `platform must be ${[short, long, ...Object.keys(more)].join(' or ')}`);
}

/** @throws Refusal if it isn't text or is longer than `limit` code points. */
export function checkTitle(rules: Rules, fields: Fields, limit: number): string | null {
  const title = text(rules, fields, 'title');
  if (title !== null && longerThan(title, limit)) invalid(rules, `title is longer than ${String(limit)} characters`);
  return title;
}

/** `description` and `privacy`, which only the long platform has. */
export function checkLongFields(
  rules: Rules,
  fields: Fields,
  platform: string,
): { description: string | null; privacy: Privacy | null } {
  const description = text(rules, fields, 'description');
  const privacy = text(rules, fields, 'privacy');
  if (kindOf(rules.platforms, platform) !== 'long') {
    const given = description === null ? (privacy === null ? null : 'privacy') : 'description';
    if (given !== null && rules.open.longOnlyFields === 'refuse') {
      invalid(rules, `${given} is for ${rules.platforms.long} only`);
    }
    return { description: null, privacy: null };
  }
  if (description !== null && longerThan(description, DESCRIPTION_LIMIT)) {
    invalid(rules, `description is longer than ${String(DESCRIPTION_LIMIT)} characters`);
  }
  if (privacy !== null && !PRIVACIES.includes(privacy)) invalid(rules, `privacy must be ${PRIVACIES.join(', ')}`);
  return { description, privacy: privacy as Privacy | null };
}

/** @throws Refusal with 404 for an unknown profile, or if it has no channel on the platform. */
export function checkProfile(rules: Rules, id: string | null, platform?: string): SandboxProfile {
  const profile = rules.profiles.find(id);
  if (profile === undefined) throw new Refusal(404, 'profile_not_found', 'profile not found');
  if (platform !== undefined && !profile.channels.some((channel) => channel.platform === platform)) {
    invalid(rules, `the profile has no ${platform} channel`);
  }
  return profile;
}

/** A text field; absent and null are the same. @throws Refusal for any other type. */
export function text(rules: Rules, fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : invalid(rules, `${name} must be a string`);
}

export function invalid(rules: Rules, message: string): never {
  throw new Refusal(rules.open.invalidStatus, 'invalid_request', message);
}

function checkUrl(rules: Rules, url: string | null): string | null {
  if (url === null) return null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    invalid(rules, 'video_url must be a public http or https URL');
  }
  return url;
}

function longerThan(value: string, codePoints: number): boolean {
  // Cheap for the usual case: a string never has more code points than UTF-16 units.
  return value.length > codePoints && Array.from(value).length > codePoints;
}
