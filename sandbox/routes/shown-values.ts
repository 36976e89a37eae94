import { type DescriptionChange, type OpenChoices, type TitleChange } from '../faults/open-choices';
import { kindOf, type SandboxPlatforms } from '../profiles';
import { type PublicationRecord, type Status } from '../store/records';

const HOUR_MS = 3_600_000;
/** Characters of a description that a list shows when it truncates them. */
const LISTED_DESCRIPTION = 40;

const TITLE: Record<TitleChange, (title: string) => string> = {
  collapsed: (title) => title.trim().replace(/\s+/gu, ' '),
  lower: (title) => title.toLowerCase(),
  nfd: (title) => title.normalize('NFD'),
  'no-emoji': (title) => title.replace(/[\p{Extended_Pictographic}\u200d\ufe0f]/gu, ''),
  'straight-quotes': (title) => title.replace(/[‘’‚]/g, "'").replace(/[“”„]/g, '"'),
  encoded: (title) => title.replace(/[&<>"']/g, (character) => `&${ENTITIES[character] ?? ''};`),
};
const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

const DESCRIPTION: Record<DescriptionChange, (description: string, listed: boolean) => string> = {
  trimmed: (description) => description.trim(),
  crlf: (description) => description.replace(/\r?\n/g, '\r\n'),
  truncated: (description, listed) => (listed ? cut(description, LISTED_DESCRIPTION) : description),
};

/**
 * A title as it is shown: changed in the order in which `TITLE_CHANGES` lists the chosen changes, and truncated at the
 * end.
 */
export function shownTitle(title: string | null, { titleShown, titleMax }: OpenChoices): string | null {
  if (title === null) return null;
  let shown = title;
  for (const change of Object.keys(TITLE) as TitleChange[]) {
    if (titleShown.includes(change)) shown = TITLE[change](shown);
  }
  return titleMax === 0 ? shown : cut(shown, titleMax);
}

export function shownDescription(
  description: string | null,
  listed: boolean,
  { descriptionShown }: OpenChoices,
): string | null {
  if (description === null) return null;
  return descriptionShown.reduce((shown, change) => DESCRIPTION[change](shown, listed), description);
}

export function shownPrivacy(privacy: string, status: Status, { privacyShown }: OpenChoices): string {
  if (privacyShown === 'upper') return privacy.toUpperCase();
  return privacyShown === 'private-until-done' && status !== 'published' ? 'private' : privacy;
}

export function shownProfile(profileId: string, { profileShown }: OpenChoices): string {
  return profileShown === 'upper' ? profileId.toUpperCase() : profileId;
}

export function shownPlatform(platform: string, platforms: SandboxPlatforms, { platformShown }: OpenChoices): string {
  if (platformShown === 'as-sent') return platform;
  return kindOf(platforms, platform) ?? 'long';
}

/** `createdAt` in ms since 1970; ISO 8601 except for `no-zone`, which is an hour ahead of UTC without saying so. */
export function shownCreatedAt({ createdAt }: PublicationRecord, { createdAtShown }: OpenChoices): string {
  if (createdAtShown === 'utc') return new Date(createdAt).toISOString();
  const shown = new Date(createdAt + (createdAtShown === 'hour-early' ? -HOUR_MS : HOUR_MS)).toISOString();
  return createdAtShown === 'no-zone' ? shown.slice(0, 19) : shown;
}

/** In code points, with `…` as the last one. */
function cut(text: string, max: number): string {
  const points = Array.from(text);
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}
