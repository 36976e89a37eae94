import { type ListScan, type RowValues, type UnsettledAttempt } from '../../ledger/model/types';
import { type Publication } from '../../service/api/publication';
import { type Timings } from '../timings';
import { compareTexts } from '../compare/normalised-text';
import { type TitleLikeness } from '../compare/title-likeness';
import { assignUniquely } from './assignment';
import { candidateText, type Evidence, keepsTitlesExactly, type KnownHabits, weigh } from './evidence';

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

/** All facts for the decision about one lost create, besides those of its account. Durations in ms. */
export interface AttemptFacts {
  /** False while its worker may still send. */
  over: boolean;
  /** The service refused it; it is looked for only because the row is to be sent again. */
  refused: UnsettledAttempt['refused'];
  /** False for a draft: never repeated without a person. */
  repeatable: boolean;
  ambiguous: 'reconcile' | 'hold';
  /** Since it was over, by the monotonic clock. */
  elapsedMs: number;
  /** The same by clocks that can be set: it may include time in which no process of ours ran. Never less. */
  waitedMs: number;
  /** When its absence may count, and when it is left to a person; both measured from its end. */
  settleMs: number;
  giveUpMs: number;
  /** Scans of the list for it, oldest first; the account's facts come from the newest one. */
  scans: readonly ListScan[];
  /** Own creates of its channel (after a refusal: of its account) were seen in the list. */
  listProven: boolean;
}

export type Decision =
  | { kind: 'adopt'; publicationId: string }
  | { kind: 'repeat' }
  | { kind: 'wait'; forMs: number; why: string }
  | { kind: 'unconfirmed'; code: string; message: string; candidates: readonly string[] };

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
 * against one that is identical: `Episode 1!` is not certainly `Episode 1?` if one of the two exists exactly.
 */
function certainClaims(
  weighed: ReadonlyMap<string, readonly Candidate[]>,
  exactly: boolean,
): Map<string, readonly string[]> {
  const isExact = ({ evidence }: Candidate): boolean => evidence.match === 'certainly' && evidence.title === 'exact';
  const exactIds = new Set([...weighed.values()].flatMap((found) => found.filter(isExact).map(({ id }) => id)));
  return new Map(
    [...weighed].map(([claimant, found]) => {
      const certain = found.filter(({ evidence }) => evidence.match === 'certainly');
      const giveWay = (candidate: Candidate): boolean =>
        exactly && !isExact(candidate) && (exactIds.has(candidate.id) || certain.some(isExact));
      return [claimant, certain.filter((candidate) => !giveWay(candidate)).map(({ id }) => id)];
    }),
  );
}

/**
 * Decides about one lost create. Pure: the same facts give the same decision. It adopts if exactly one assignment
 * explains everything, repeats only if absence is proven, and otherwise waits and finally leaves it to a person.
 * docs/explanation/how-it-works.md has this as a table, line by line.
 */
export function decide(
  id: string,
  attempt: AttemptFacts,
  account: {
    evidence: AccountEvidence;
    /** Only this ledger publishes on it. */
    exclusive: boolean;
  },
  timings: Pick<Timings, 'lookGapMs'>,
): Decision {
  const wait = (forMs: number, why: string): Decision => ({ kind: 'wait', forMs: Math.max(forMs, 0), why });
  if (!attempt.over) return wait(timings.lookGapMs, 'its attempt is not over');

  const newest = attempt.scans.at(-1);
  const assigned = account.evidence.assigned.get(id);
  if (assigned !== undefined && newest?.full === true) return { kind: 'adopt', publicationId: assigned };

  const candidates = account.evidence.candidates.get(id) ?? [];
  const ids = candidates.map((candidate) => candidate.id);
  const unconfirmed = (code: string, message: string): Decision => ({
    kind: 'unconfirmed',
    code,
    message,
    candidates: ids,
  });

  if (attempt.elapsedMs >= attempt.settleMs && agree(attempt.scans)) {
    const [only] = candidates;
    const alone = candidates.length === 1 && account.evidence.claimants.get(only?.id ?? '') === 1;
    if (only !== undefined && alone && account.exclusive) return { kind: 'adopt', publicationId: only.id };
    if (candidates.length === 0 && newest?.candidates.length === 0) {
      // A person had the rejected row retried. What was parked resumes automatically, so its list has to be proven.
      if (attempt.refused === 'row' || (attempt.refused === 'access' && attempt.listProven)) return { kind: 'repeat' };
      if (!attempt.repeatable)
        return unconfirmed(
          'not-repeatable',
          'nothing was found, and rows of this kind are never sent again automatically',
        );
      if (attempt.ambiguous === 'hold')
        return unconfirmed('held', 'nothing was found; with `ambiguous: hold` it is not repeated automatically');
      if (attempt.listProven) return { kind: 'repeat' };
    }
  }

  if (isTimeUp(attempt, timings)) {
    if (candidates.length > 0) return unconfirmed('several-candidates', candidatesText(candidates));
    // The list could not be read at the deadline, but an earlier scan had found candidates.
    const found = newest?.candidates ?? [];
    if (found.length > 0) {
      const message = `${found.length === 1 ? '1 publication' : `${found.length} publications`} could be this one, and the account’s list could not be read again to compare`;
      return { kind: 'unconfirmed', code: 'several-candidates', message, candidates: found };
    }
    const last = attempt.scans.slice(-2);
    if (last.length < 2 || !last.every((scan) => scan.full))
      return unconfirmed('no-full-scan', 'the account’s list could not be read twice from its newest entry to its end');
    if (!last.every((scan) => scan.current))
      return unconfirmed(
        'list-not-current',
        'nothing was found, but publications that were accepted before are missing from the account’s list',
      );
    if (!attempt.listProven)
      return unconfirmed(
        'list-unproven',
        'nothing was found, but none of your creates on its channel was ever seen in the account’s list, so absence proves nothing',
      );
    return wait(timings.lookGapMs, 'one more scan of the list');
  }
  const toSettle = attempt.settleMs - attempt.elapsedMs;
  // A refused create needs no settling time once a scan has seen another create of its account.
  const left = toSettle > 0 && attempt.refused === null ? toSettle : timings.lookGapMs;
  return wait(
    Math.min(left, Math.max(attempt.giveUpMs - attempt.elapsedMs, 1)),
    'the service may still accept it, or show it',
  );
}

/**
 * Whether the time is up: by the clock that can't be set, or by the others once there was time for enough scans, so
 * that a process which is restarted again and again comes to an end too.
 */
function isTimeUp(
  { elapsedMs, waitedMs, settleMs, giveUpMs }: AttemptFacts,
  timings: Pick<Timings, 'lookGapMs'>,
): boolean {
  return elapsedMs >= giveUpMs || (waitedMs >= giveUpMs && elapsedMs >= settleMs + 3 * timings.lookGapMs);
}

/** The last two scans are full, current, made after the settling time, and found the same. */
function agree(scans: readonly ListScan[]): boolean {
  const [before, last] = scans.slice(-2);
  if (before === undefined || last === undefined) return false;
  const counts = (scan: ListScan): boolean => scan.full && scan.current && scan.settled;
  return counts(before) && counts(last) && sameIds(before.candidates, last.candidates);
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');
}

const CANDIDATES_IN_WORDS = 3;

function candidatesText(candidates: readonly Candidate[]): string {
  const count = candidates.length === 1 ? '1 publication' : `${candidates.length} publications`;
  const shown = candidates.slice(0, CANDIDATES_IN_WORDS).map(({ id, evidence }) => candidateText(id, evidence));
  const more = candidates.length - shown.length;
  return `${count} could be this one, and nothing proves which: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** When absence may count, ms after the end of the attempt. */
export function settleMsOf(
  attempt: { upload: boolean; refused: UnsettledAttempt['refused']; waitMs: number; listProven: boolean },
  list: { slowestMs: number; quickestMs: number | null },
  timings: Timings,
): number {
  // The service processed the create before it answered it; a list that shows creates at once has shown others.
  const own =
    attempt.refused !== null && attempt.listProven ? 0 : attempt.upload ? timings.settleUploadMs : timings.settleMs;
  // A list that showed own creates late may do so again; one that was only read late may be slow without our knowledge.
  return Math.max(own, 2 * list.slowestMs, list.quickestMs ?? 0, attempt.waitMs);
}

/** When it is left to a person, ms after the end of the attempt. */
export function giveUpMsOf(settleMs: number, timings: Timings): number {
  return Math.max(timings.reconcileForMs, settleMs + 3 * timings.lookGapMs);
}
