import { type RowValues } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { compareTexts } from '../compare/normalised-text';
import { type TitleLikeness } from '../compare/title-likeness';
import { assignUniquely } from './assignment';
import { type Evidence, keepsTitlesExactly, type KnownHabits, weigh } from './evidence';

/** A create of the account whose publication could be any that no row owns: this run's, another's, or a given-up one. */
export interface LostCreate {
  /** Unique among the account's lost creates. */
  id: string;
  values: RowValues;
  /** Publications that were in the list before it was claimed; null: not known, so each publication may be older. */
  knownBefore: ReadonlySet<string> | null;
  /**
   * Publications that are listed below those: if the baseline didn't contain all of the account's publications, they
   * may be older too.
   */
  mayBeOlder?: ReadonlySet<string>;
}

/** The account as one scan of its list shows it. */
export interface AccountFacts {
  /** Every lost create, including those that are being decided. */
  lost: readonly LostCreate[];
  /** Publications that no row owns. */
  unowned: readonly Publication[];
  /** Publications that rows have because their creates were answered with them. */
  answered?: readonly AnsweredCreate[];
  habits: KnownHabits;
}

/** A create that was answered, with what the service shows for the id in the answer. */
export interface AnsweredCreate {
  publication: Publication;
  create: LostCreate;
  rowId: number;
  /** Its row is final: its publication doesn't change any more. */
  ended: boolean;
}

export interface Candidate {
  id: string;
  evidence: Evidence;
}

/** The result of weighing an account's publications for its lost creates. */
export interface AccountEvidence {
  /** The publication that exactly one assignment gives it. */
  assigned: ReadonlyMap<string, string>;
  /** Publications that could be its own, the likeliest first, without those that are certainly another's. */
  candidates: ReadonlyMap<string, readonly Candidate[]>;
  /** How many creates a publication could belong to. */
  claimants: ReadonlyMap<string, number>;
  /** Of these publications, those that a create was answered with although they are closer to a lost one. */
  disputed: ReadonlyMap<string, AnsweredCreate>;
}

const RANK = { certainly: 0, possibly: 1, 'certainly-not': 2 } as const;
/** How close a shown title is to the one that was sent. */
const CLOSENESS: Readonly<Record<TitleLikeness, number>> = { exact: 0, same: 0, cut: 0, near: 1, unknown: 2, far: 3 };
const LISTED_BEFORE = 4;

/**
 * Weighs every publication that no row owns against every lost create of the account. A service may also answer a
 * create with another one's id: a publication that a row was answered with is weighed too if it is closer to a lost
 * create. Pure.
 */
export function weighAccount({ lost, unowned, answered = [], habits }: AccountFacts): AccountEvidence {
  const weighed = new Map<string, Candidate[]>();
  const claimants = new Map<string, number>();
  const disputed = new Map(
    answered.filter((one) => isCloserToAny(lost, one, habits)).map((one) => [one.publication.id, one]),
  );
  // A final row keeps its publication: a person is asked.
  const answeredWrongly = [...disputed.values()].filter(({ ended }) => !ended).map(({ create }) => create);
  const publications = [...unowned, ...[...disputed.values()].map(({ publication }) => publication)];
  for (const create of [...lost, ...answeredWrongly]) {
    const found = publications
      .map((one) => ({ id: one.id, evidence: weighDisputed(create, one, disputed.get(one.id), habits) }))
      .filter(({ evidence }) => evidence.match !== 'certainly-not');
    found.sort((a, b) => RANK[a.evidence.match] - RANK[b.evidence.match]);
    weighed.set(create.id, found);
    for (const { id } of found) claimants.set(id, (claimants.get(id) ?? 0) + 1);
  }
  // The row that was answered with it is a claimant as well, unless it can't be its own.
  for (const [id, one] of disputed) {
    const isCounted = weighed.get(one.create.id)?.some((found) => found.id === id) === true;
    if (one.ended || (!isCounted && closeness(one.create, one.publication, habits) < LISTED_BEFORE))
      claimants.set(id, (claimants.get(id) ?? 0) + 1);
  }
  const assigned = assignUniquely(certainClaims(weighed, keepsTitlesExactly(habits)));
  const taken = new Map([...assigned].map(([claimant, id]) => [id, claimant]));
  const candidates = new Map(
    [...weighed].map(([claimant, found]) => [
      claimant,
      found.filter(({ id }) => (taken.get(id) ?? claimant) === claimant),
    ]),
  );
  return { assigned, candidates, claimants, disputed };
}

/** The publication existed before the create that was answered with it, or its title is closer to that of a lost create. */
function isCloserToAny(
  lost: readonly LostCreate[],
  { publication, create }: AnsweredCreate,
  habits: KnownHabits,
): boolean {
  const own = closeness(create, publication, habits);
  if (own === CLOSENESS.exact) return false;
  // If shown titles usually differ much from those that were sent, many publications have distant titles, and only a
  // matching title is evidence.
  const { exact, changed, far } = habits.title;
  const isUsual = own === CLOSENESS.far && far > exact + changed;
  const { title } = publication;
  return lost.some((one) => {
    if (isUsual && !fits(one.values.title, title)) return false;
    const { match } = weighOne(one, publication, habits);
    return match !== 'certainly-not' && closeness(one, publication, habits) < own;
  });
}

function weighOne(create: LostCreate, publication: Publication, habits: KnownHabits): Evidence {
  const { values, knownBefore, mayBeOlder } = create;
  return weigh(values, publication, habits, knownBefore, mayBeOlder?.has(publication.id));
}

function fits(sent: string | null, shown: string | undefined): boolean {
  return sent !== null && shown !== undefined && ['same', 'truncated'].includes(compareTexts(sent, shown));
}

function closeness(create: LostCreate, publication: Publication, habits: KnownHabits): number {
  if (create.knownBefore?.has(publication.id) === true) return LISTED_BEFORE;
  return CLOSENESS[weighOne(create, publication, habits).title];
}

function weighDisputed(
  create: LostCreate,
  publication: Publication,
  disputed: AnsweredCreate | undefined,
  habits: KnownHabits,
): Evidence {
  const evidence = weighOne(create, publication, habits);
  if (disputed === undefined || disputed.create.id === create.id) return evidence;
  const speaksAgainst = [...evidence.speaksAgainst, 'another row’s create was answered with it'];
  // If the other row's title says nothing, its answer may be right.
  const isRefuted = !disputed.ended && closeness(disputed.create, publication, habits) !== CLOSENESS.unknown;
  const match = evidence.match === 'certainly' && !isRefuted ? 'possibly' : evidence.match;
  return { ...evidence, match, speaksAgainst };
}

/**
 * What is certainly whose. On an account that shows titles exactly, a title that differs only in formatting loses
 * against one that is identical: `Episode 1!` is not certainly `Episode 1?` if one of the two exists exactly. A
 * publication that could equally belong to a create whose run couldn't read the list at its start is certain for none.
 */
function certainClaims(
  weighed: ReadonlyMap<string, readonly Candidate[]>,
  exactly: boolean,
): Map<string, readonly string[]> {
  const isExact = ({ evidence }: Candidate): boolean => evidence.match === 'certainly' && evidence.title === 'exact';
  const contests = ({ unlessOlder, title }: Evidence): boolean =>
    unlessOlder === true && (!exactly || title === 'exact');
  const contested = new Set(
    [...weighed.values()].flat().flatMap(({ id, evidence }) => (contests(evidence) ? [id] : [])),
  );
  const exactIds = new Set([...weighed.values()].flatMap((found) => found.filter(isExact).map(({ id }) => id)));
  return new Map(
    [...weighed].map(([claimant, found]) => {
      const certain = found.filter(({ id, evidence }) => evidence.match === 'certainly' && !contested.has(id));
      const giveWay = (candidate: Candidate): boolean =>
        exactly && !isExact(candidate) && (exactIds.has(candidate.id) || certain.some(isExact));
      return [claimant, certain.filter((candidate) => !giveWay(candidate)).map(({ id }) => id)];
    }),
  );
}
