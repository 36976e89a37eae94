import { PUBLISHED_DIFFERS } from '../../ledger/model/states';
import { type PublicationEnd } from '../../ledger/model/result-types';
import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { compareTexts } from './normalised-text';

/** A field of a publication that the service shows differently from the request. */
export interface Difference {
  field: 'privacy' | 'profile' | 'title' | 'description';
  requested: string;
  shown: string;
}

/**
 * How a published publication differs from what its row requested, the most serious difference first. Only values that
 * were sent and are shown are compared. Formatting doesn't count: the case of privacy and profile ids, whatever
 * normalising a text removes, and truncation. The name of a platform is not compared, since services use several.
 */
export function differencesOf(values: RowValues, shown: Publication): Difference[] {
  // What was sent for an adopted publication is not known; a draft may have been edited at the service since.
  if (values.adopted === true || values.status !== 'published') return [];
  const found: Difference[] = [];
  const add = (field: Difference['field'], requested: string | null, seen: string | null | undefined, same: Same) => {
    if (requested === null || seen === null || seen === undefined || same(requested, seen)) return;
    found.push({ field, requested, shown: seen });
  };
  add('privacy', requestedPrivacy(values), shown.privacy, sameName);
  add('profile', values.profileId, shown.profileId, sameName);
  add('title', values.title, shown.title, sameText);
  add('description', values.description, shown.description, sameText);
  return found;
}

type Same = (requested: string, shown: string) => boolean;

const sameName: Same = (requested, shown) => requested.trim().toLowerCase() === shown.trim().toLowerCase();
const sameText: Same = (requested, shown) => compareTexts(requested, shown) !== 'different';

/**
 * On the long platform it is `private` if none was sent; on the short one none can be requested (interface, section
 * 4.5).
 */
export function requestedPrivacy({ platformKind, privacy }: RowValues): string | null {
  return platformKind === 'long' ? (privacy ?? 'private') : null;
}

const SHOWN_TEXT = 60;

/** `privacy: “private” was requested, “public” is shown; title: …`: untrusted text, to be escaped where it is printed. */
export function differencesText(differences: readonly Difference[]): string {
  const cut = (text: string): string => {
    const points = Array.from(text.replace(/\s+/gu, ' '));
    return points.length <= SHOWN_TEXT ? points.join('') : `${points.slice(0, SHOWN_TEXT).join('')}…`;
  };
  return differences
    .map(({ field, requested, shown }) => `${field}: “${cut(requested)}” was requested, “${cut(shown)}” is shown`)
    .join('; ');
}

/**
 * How a publication ended, as its row records it; with the code `published-differs` if it is live with other values
 * than requested. `values`: null if a person made it the row's own as it is.
 */
export function endOf(
  values: RowValues | null,
  publication: Publication,
  status: 'published' | 'failed',
): Omit<PublicationEnd, 'rowId' | 'publicationId' | 'state'> & { state: 'published' | 'failed' } {
  const { videoId, videoUrl, privacy, publishedAt, failureReason } = publication;
  const end = { state: status, status, videoId, videoUrl, privacy, publishedAt };
  if (status === 'failed') {
    return { ...end, code: 'service-failed', message: failureReason ?? 'the service gave no reason' };
  }
  const differences = values === null ? [] : differencesOf(values, publication);
  return differences.length === 0 ? end : { ...end, code: PUBLISHED_DIFFERS, message: differencesText(differences) };
}
