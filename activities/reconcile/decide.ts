import { type ListScan, type UnsettledAttempt } from '../../ledger/model/attempt-types';
import { type Timings } from '../timings';
import { candidateText } from './evidence';
import { type AccountEvidence, type Candidate } from './weigh-account';

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
export function agree(scans: readonly ListScan[]): boolean {
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
  timings: Pick<Timings, 'settleMs' | 'settleUploadMs'>,
): number {
  // The service processed the create before it answered it; a list that shows creates at once has shown others.
  const own =
    attempt.refused !== null && attempt.listProven ? 0 : attempt.upload ? timings.settleUploadMs : timings.settleMs;
  // A list that showed own creates late may do so again; one that was only read late may be slow without our knowledge.
  return Math.max(own, 2 * list.slowestMs, list.quickestMs ?? 0, attempt.waitMs);
}

/** When it is left to a person, ms after the end of the attempt. */
export function giveUpMsOf(settleMs: number, timings: Pick<Timings, 'reconcileForMs' | 'lookGapMs'>): number {
  return Math.max(timings.reconcileForMs, settleMs + 3 * timings.lookGapMs);
}
