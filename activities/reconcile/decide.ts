import { type Look } from '../../ledger/model/types';
import { type Timings } from '../timings';

/** Everything the decision about one unsettled attempt rests on. Times in ms since the epoch. */
export interface AttemptFacts {
  now: number;
  /** Null while its worker may still send. */
  endedAt: number | null;
  /** The service asked to wait until then. */
  notBefore: number | null;
  upload: boolean;
  /** A draft or a direct publish: never repeated by itself. */
  repeatable: boolean;
  /** Full and partial looks made for it so far, oldest first; the last one is the newest. */
  looks: readonly Look[];
  /** From the newest look: unowned publications that match on echoed evidence, and those that may or may not be it. */
  matches: readonly string[];
  possibles: readonly string[];
  /** Other unsettled attempts, and direct publishes, that one of `matches` would fit as well. */
  rivals: number;
  /** Unsettled attempts on the account, this one included. */
  unsettledOnAccount: number;
  exclusive: boolean;
  ambiguous: 'reconcile' | 'hold';
  /** Own creates that were seen in the account's list, and the longest time that took. */
  visibility: { seen: number; slowestMs: number };
}

export type Decision =
  | { kind: 'adopt'; publicationId: string }
  | { kind: 'repeat' }
  | { kind: 'wait'; until: number; why: string }
  | { kind: 'unconfirmed'; code: string; message: string; candidates: readonly string[] };

/**
 * Decides about a create whose answer was lost. Pure: the same facts give the same decision.
 * Adopt only on evidence; repeat only when absence is certain; otherwise wait, and in the end leave it to a person.
 */
export function decide(facts: AttemptFacts, timings: Timings): Decision {
  if (facts.endedAt === null)
    return { kind: 'wait', until: facts.now + timings.lookGapMs, why: 'its attempt is not over' };

  const [match, ...otherMatches] = facts.matches;
  if (match !== undefined && otherMatches.length === 0 && facts.rivals === 0) {
    return { kind: 'adopt', publicationId: match };
  }

  const settledAt = settleTime(facts, facts.endedAt, timings);
  const candidates = [...facts.matches, ...facts.possibles];
  const deadline = giveUpTime(facts, facts.endedAt, timings);
  const unconfirmed = (code: string, message: string): Decision => ({ kind: 'unconfirmed', code, message, candidates });

  const full = facts.looks.filter((look) => look.full && Date.parse(look.at) >= settledAt);
  const last = full.at(-1);
  const before = full.at(-2);
  const agree = last !== undefined && before !== undefined && sameIds(last.candidates, before.candidates);

  if (agree) {
    const [possible, ...otherPossibles] = facts.possibles;
    const onlyOne = possible !== undefined && otherPossibles.length === 0 && facts.matches.length === 0;
    if (onlyOne && facts.exclusive && facts.unsettledOnAccount === 1) return { kind: 'adopt', publicationId: possible };

    if (candidates.length === 0 && last.candidates.length === 0) {
      if (!facts.repeatable)
        return unconfirmed('not-repeatable', 'nothing was found, and a row of this kind is never sent again by itself');
      if (facts.ambiguous === 'hold')
        return unconfirmed('held', 'nothing was found; `ambiguous: hold` leaves the repeat to a person');
      if (facts.visibility.seen > 0) return { kind: 'repeat' };
    }
  }

  // After a long outage the deadline has gone by without anyone looking: one look more costs little.
  const looked = facts.looks.filter((look) => Date.parse(look.at) >= settledAt).length;
  if (facts.now >= deadline && looked >= 2) {
    if (candidates.length > 0) {
      return unconfirmed(
        'several-candidates',
        `${candidates.length} ${candidates.length === 1 ? 'publication' : 'publications'} could be this one, and nothing tells for certain`,
      );
    }
    if (facts.visibility.seen === 0) {
      return unconfirmed(
        'list-unproven',
        'nothing was found, but no own create was ever seen in the account’s list, so absence proves nothing',
      );
    }
    return unconfirmed('no-full-look', 'the account’s list could not be read twice without a gap');
  }
  if (facts.now < settledAt)
    return { kind: 'wait', until: Math.min(settledAt, deadline), why: 'the service may still accept it' };
  const next = facts.now + timings.lookGapMs;
  return { kind: 'wait', until: facts.now < deadline ? Math.min(next, deadline) : next, why: 'looking again' };
}

/** From when on absence may count. */
export function settleTime(
  facts: Pick<AttemptFacts, 'notBefore' | 'upload' | 'visibility'>,
  endedAt: number,
  timings: Timings,
): number {
  const own = facts.upload ? timings.settleUploadMs : timings.settleMs;
  // A list that showed own creates late may do so again.
  const settle = Math.max(own, 2 * facts.visibility.slowestMs);
  return Math.max(endedAt + settle, facts.notBefore ?? 0);
}

/** Until when it is looked for: after that, and two looks, it is left to a person. */
export function giveUpTime(facts: Parameters<typeof settleTime>[0], endedAt: number, timings: Timings): number {
  return Math.max(endedAt + timings.reconcileForMs, settleTime(facts, endedAt, timings) + 3 * timings.lookGapMs);
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');
}
