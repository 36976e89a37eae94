import { type ReconcilingLedger } from '../../ledger/interfaces/reconciling';
import { type LearnedHabits } from '../../ledger/publications/list-habits';
import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { sameText } from './normalised-text';
import { compareTitles } from './title-likeness';

/**
 * Records own publications that a list shows for the first time, and learns from them how the account treats titles,
 * platforms and profiles.
 */
export async function learnFromList(
  ledger: ReconcilingLedger,
  list: {
    account: string;
    shown: readonly Publication[];
    owned: ReadonlyMap<string, unknown>;
    /** ms since the epoch */
    at: number;
    reading: {
      /** The previous read of the list: own publications recorded up to this even time should have been in it. */
      previous: { from: number; to: number } | undefined;
      /** Even time, and the earliest even time at which something was recorded, ms. */
      clock: { evenTime: () => number; earliest: (notedAt: number) => number };
    };
  },
): Promise<void> {
  const { account, shown, owned, at, reading } = list;
  const { previous, clock } = reading;
  const even = { now: clock.evenTime(), of: (notedAt: number) => clock.earliest(notedAt) };
  const firstSeen = await ledger.noteSeen(account, [...owned.keys()], at, previous, even);
  if (firstSeen.length === 0) return;
  const byId = new Map(shown.map((publication) => [publication.id, publication]));
  const seen = firstSeen.flatMap(({ publicationId, values }) => {
    const publication = byId.get(publicationId);
    return publication === undefined ? [] : [{ values, publication }];
  });
  const ages = firstSeen.map(({ ageMs }) => ageMs).filter((ms) => ms >= 0);
  const quickestMs = ages.length === 0 ? null : Math.min(...ages);
  const titled = seen.filter(({ publication }) => publication.title !== undefined).length;
  const titles = { titled, untitled: seen.length - titled };
  await ledger.learnHabits(account, { ...counted(seen, 1), list: titles, quickestMs });
}

/**
 * Learns from a publication's own view if the account's list shows no titles: lost creates are then compared with that
 * view. Only publications that own creates were answered with show what the service does to values.
 */
export async function learnFromView(ledger: ReconcilingLedger, account: string, viewed: Publication): Promise<void> {
  const { list } = await ledger.listHabits(account);
  if (list.untitled === 0 || list.titled > 0) return;
  const answered = await ledger.answeredWith(account, [viewed.id]);
  // The list shows platforms itself.
  const seen = answered.map(({ values }) => ({ values, publication: { ...viewed, platform: null } }));
  if (seen.length > 0) await ledger.learnHabits(account, counted(seen, 1));
}

interface Seen {
  values: RowValues;
  publication: Publication;
}

/** Takes back what was learned from a publication that turned out to be another row's. */
export async function unlearn(ledger: ReconcilingLedger, account: string, seen: Seen): Promise<void> {
  await ledger.learnHabits(account, counted([seen], -1));
}

function counted(seen: readonly Seen[], by: 1 | -1): LearnedHabits {
  const title = { exact: 0, changed: 0, far: 0 };
  const platform = { same: 0, other: 0 };
  const profile = { same: 0, other: 0 };
  for (const { values, publication } of seen) {
    const like = titleHabit(values, publication);
    if (like !== null) title[like] += by;
    const platformSame = sameText(values.platform, publication.platform);
    if (platformSame !== undefined) platform[platformSame ? 'same' : 'other'] += by;
    const profileSame = sameText(values.profileId, publication.profileId);
    if (profileSame !== undefined) profile[profileSame ? 'same' : 'other'] += by;
  }
  return { title, platform, profile };
}

function titleHabit(values: RowValues, publication: Publication): 'exact' | 'changed' | 'far' | null {
  const like = compareTitles(values.title, publication.title);
  if (like === 'unknown') return null;
  if (like === 'exact' || like === 'far') return like;
  return 'changed';
}
