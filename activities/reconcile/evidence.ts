import { type ListHabits } from '../../ledger/publications/list-habits';
import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { sameText } from '../compare/normalised-text';
import { compareTitles, type TitleLikeness } from '../compare/title-likeness';

/** Whether an unowned publication is a lost create's: only facts that no service changes make it `certainly-not`. */
export type Match = 'certainly' | 'possibly' | 'certainly-not';

/** What was learned about an account, as far as it affects the decision. */
export type KnownHabits = Pick<ListHabits, 'title' | 'platform' | 'profile'>;

export interface Evidence {
  match: Match;
  /** It would be `certainly` the create's, but may be older than it. */
  unlessOlder?: true;
  title: TitleLikeness;
  /** In words, for people. */
  speaksFor: readonly string[];
  speaksAgainst: readonly string[];
}

/**
 * Weighs what a service shows of a publication (sections 2.3 and 4.5: only id, platform and status are certain) against
 * what was sent. `knownBefore`: ids that were in the account's list before the create was claimed; null if that list
 * couldn't be read, so that nothing is `certainly` newer than the create. `mayBeOlder`: the same for this publication
 * alone.
 * A title decides, as far as the account's own creates show how it treats titles. Every other field is a hint: it is
 * listed for people, and a platform or profile that the account always showed as it was sent keeps a publication from
 * being `certainly` that of a row with a different one; none of them ever makes it `certainly-not`.
 */
export function weigh(
  values: RowValues,
  publication: Publication,
  habits: KnownHabits,
  knownBefore?: ReadonlySet<string> | null,
  mayBeOlder = false,
): Evidence {
  const title = compareTitles(values.title, publication.title);
  const { speaksFor, speaksAgainst } = hints(values, publication, title);
  if (knownBefore === null) speaksAgainst.push('may be older: the list could not be read when its run began');
  else if (mayBeOlder)
    speaksAgainst.push('may be older: it is listed below publications that existed when the run began');
  const evidence = (match: Match): Evidence => ({ match, title, speaksFor, speaksAgainst });
  if (knownBefore?.has(publication.id) === true) return evidence('certainly-not');
  switch (title) {
    case 'unknown':
    case 'near':
      return evidence('possibly');
    case 'far':
      return evidence(keepsTitles(habits) ? 'certainly-not' : 'possibly');
    case 'exact':
    case 'same':
    case 'cut':
      if (contradicts(values, publication, habits)) return evidence('possibly');
      if (knownBefore === null || mayBeOlder) return { ...evidence('possibly'), unlessOlder: true };
      return evidence('certainly');
  }
}

/** Own creates were shown with their titles, each of them exactly as it was sent. */
export function keepsTitlesExactly({ title }: KnownHabits): boolean {
  return title.exact > 0 && title.changed === 0 && title.far === 0;
}

/** Own creates were shown with their titles, and never with a distant one. */
function keepsTitles({ title }: KnownHabits): boolean {
  return title.exact + title.changed > 0 && title.far === 0;
}

/** A platform or profile other than the one that was sent, on an account that always showed those as they were sent. */
export function contradicts(
  values: RowValues,
  publication: Pick<Publication, 'platform'> & { profileId?: string | null | undefined },
  habits: KnownHabits,
): boolean {
  const always = ({ same, other }: { same: number; other: number }): boolean => same > 0 && other === 0;
  return (
    (always(habits.platform) && sameText(values.platform, publication.platform) === false) ||
    (always(habits.profile) && sameText(values.profileId, publication.profileId) === false)
  );
}

const TITLE_WORDS: Readonly<Record<TitleLikeness, string>> = {
  exact: 'its title matches the row’s',
  same: 'its title matches the row’s, written differently',
  cut: 'its title is the beginning of the row’s',
  near: 'its title is similar',
  far: 'its title is different',
  unknown: 'no title to compare',
};

function hints(values: RowValues, publication: Publication, title: TitleLikeness) {
  const speaksFor: string[] = [];
  const speaksAgainst: string[] = [];
  (title === 'far' || title === 'unknown' ? speaksAgainst : speaksFor).push(TITLE_WORDS[title]);
  const compare = (what: string, sent: string | null, shown: string | null | undefined): void => {
    const same = sameText(sent, shown);
    if (same === undefined) return;
    if (same) speaksFor.push(`same ${what}`);
    else speaksAgainst.push(`${what} ${JSON.stringify(shown?.slice(0, 40))}`);
  };
  compare('platform', values.platform, publication.platform);
  compare('profile', values.profileId, publication.profileId);
  compare('privacy', values.privacy, publication.privacy);
  const described = compareTitles(values.description, publication.description);
  if (described === 'far') speaksAgainst.push('another description');
  else if (described !== 'unknown') speaksFor.push('same description');
  const isDraft = publication.status === 'draft';
  if (publication.status !== null && isDraft !== (values.status === 'draft'))
    speaksAgainst.push(`status ${JSON.stringify(publication.status.slice(0, 40))}`);
  return { speaksFor, speaksAgainst };
}

/** `6b0e1c62… (for: its title matches the row’s, same platform; against: status "draft")` */
export function candidateText(id: string, { speaksFor, speaksAgainst }: Evidence): string {
  const parts = [
    ...(speaksFor.length > 0 ? [`for: ${speaksFor.join(', ')}`] : []),
    ...(speaksAgainst.length > 0 ? [`against: ${speaksAgainst.join(', ')}`] : []),
  ];
  return `${id} (${parts.join('; ')})`;
}
