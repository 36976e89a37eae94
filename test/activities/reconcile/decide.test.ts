import fc from 'fast-check';
import { type AttemptFacts, decide, settleTime } from '../../../activities/reconcile/decide';
import { PRODUCTION_TIMINGS as T } from '../../../activities/timings';
import { type Look } from '../../../ledger/model/types';

const ENDED = Date.parse('2026-11-27T12:00:00.000Z');
const SETTLED = ENDED + T.settleMs;

function look(at: number, candidates: string[] = [], full = true): Look {
  return { at: new Date(at).toISOString(), candidates, full };
}

/** An attempt that ended without an answer, two full and empty looks after the settling time, on a proven list. */
function absent(change: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    now: SETTLED + T.lookGapMs,
    endedAt: ENDED,
    notBefore: null,
    upload: false,
    repeatable: true,
    looks: [look(SETTLED), look(SETTLED + T.lookGapMs)],
    matches: [],
    possibles: [],
    rivals: 0,
    unsettledOnAccount: 1,
    exclusive: false,
    ambiguous: 'reconcile',
    visibility: { seen: 1, slowestMs: 0 },
    ...change,
  };
}

const twoLooksAt = (ids: string[]) => [look(SETTLED, ids), look(SETTLED + T.lookGapMs, ids)];
const late = ENDED + T.reconcileForMs + 10 * T.lookGapMs;

describe('the decision about a create whose answer was lost', () => {
  const table: [string, AttemptFacts, string][] = [
    ['an attempt that is not over waits, whatever was seen', absent({ endedAt: null, matches: ['p1'] }), 'wait'],
    ['one match on echoed evidence is adopted at once', absent({ now: ENDED, looks: [], matches: ['p1'] }), 'adopt'],
    ['two matches are not guessed between', absent({ matches: ['p1', 'p2'], looks: twoLooksAt(['p1', 'p2']) }), 'wait'],
    ['a match that another attempt fits too is not adopted', absent({ matches: ['p1'], rivals: 1 }), 'wait'],
    ['two matches end unconfirmed', absent({ now: late, matches: ['p1', 'p2'] }), 'unconfirmed'],
    ['certain absence is repeated', absent(), 'repeat'],
    [
      'absence before the settling time is nothing',
      absent({ now: SETTLED - 1, looks: [look(ENDED), look(ENDED + 1)] }),
      'wait',
    ],
    ['one look is not enough', absent({ looks: [look(SETTLED)] }), 'wait'],
    ['a look with a gap does not count', absent({ looks: [look(SETTLED), look(SETTLED + 1, [], false)] }), 'wait'],
    ['looks that disagree do not count', absent({ looks: [look(SETTLED, ['p9']), look(SETTLED + 1)] }), 'wait'],
    ['an unproven list proves no absence', absent({ visibility: { seen: 0, slowestMs: 0 } }), 'wait'],
    ['an unproven list ends unconfirmed', absent({ now: late, visibility: { seen: 0, slowestMs: 0 } }), 'unconfirmed'],
    ['after a long outage the first look decides nothing', absent({ now: late, looks: [look(late)] }), 'wait'],
    ['after a long outage two looks decide', absent({ now: late, looks: [look(late - 1), look(late)] }), 'repeat'],
    ['a draft is never repeated', absent({ repeatable: false }), 'unconfirmed'],
    ['hold never repeats', absent({ ambiguous: 'hold' }), 'unconfirmed'],
    ['a wait that was asked for is kept', absent({ notBefore: SETTLED + 60 * T.lookGapMs }), 'wait'],
    ['an upload settles later', absent({ upload: true }), 'wait'],
    ['a list that was slow before gets more time', absent({ visibility: { seen: 3, slowestMs: T.settleMs } }), 'wait'],
    [
      'a possible one on a shared account is left to a person',
      absent({ now: late, possibles: ['p1'], looks: twoLooksAt(['p1']) }),
      'unconfirmed',
    ],
    [
      'a possible one on an exclusive account is adopted',
      absent({ exclusive: true, possibles: ['p1'], looks: twoLooksAt(['p1']) }),
      'adopt',
    ],
    [
      'on an exclusive account two unsettled attempts are not guessed between',
      absent({ exclusive: true, unsettledOnAccount: 2, possibles: ['p1'], looks: twoLooksAt(['p1']) }),
      'wait',
    ],
    [
      'on an exclusive account two possible ones are not guessed between',
      absent({ exclusive: true, possibles: ['p1', 'p2'], looks: twoLooksAt(['p1', 'p2']) }),
      'wait',
    ],
    [
      'a list that is never read without a gap: unconfirmed in the end',
      absent({ now: late, looks: [look(late - 1, [], false), look(late, [], false)] }),
      'unconfirmed',
    ],
  ];

  it.each(table)('%s', (_name, facts, kind) => {
    expect(decide(facts, T).kind).toBe(kind);
  });

  it('names the candidates when it leaves a row to a person', () => {
    const decision = decide(absent({ now: late, matches: ['p1', 'p2'], possibles: ['p3'] }), T);
    expect(decision).toMatchObject({ kind: 'unconfirmed', candidates: ['p1', 'p2', 'p3'] });
  });

  const ids = fc.uniqueArray(fc.constantFrom('p1', 'p2', 'p3'), { maxLength: 3 });
  const anyFacts = fc.record<AttemptFacts>({
    now: fc.integer({ min: ENDED, max: late * 1 }),
    endedAt: fc.option(fc.constant(ENDED)),
    notBefore: fc.option(fc.integer({ min: ENDED, max: ENDED + T.retryAfterMaxMs })),
    upload: fc.boolean(),
    repeatable: fc.boolean(),
    looks: fc.array(
      fc.record({
        at: fc.integer({ min: ENDED, max: late }).map((at) => new Date(at).toISOString()),
        candidates: ids,
        full: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    matches: ids,
    possibles: ids,
    rivals: fc.integer({ min: 0, max: 2 }),
    unsettledOnAccount: fc.integer({ min: 1, max: 3 }),
    exclusive: fc.boolean(),
    ambiguous: fc.constantFrom('reconcile', 'hold'),
    visibility: fc.record({
      seen: fc.integer({ min: 0, max: 5 }),
      slowestMs: fc.integer({ min: 0, max: 10 * T.settleMs }),
    }),
  });

  it('repeats only when absence is certain, whatever the facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decision = decide(facts, T);
        if (decision.kind !== 'repeat') return;
        expect(facts.endedAt).not.toBeNull();
        expect(facts.repeatable).toBe(true);
        expect(facts.ambiguous).toBe('reconcile');
        expect([...facts.matches, ...facts.possibles]).toEqual([]);
        expect(facts.visibility.seen).toBeGreaterThan(0);
        const from = settleTime(facts, facts.endedAt!, T);
        const counting = facts.looks.filter((each) => each.full && Date.parse(each.at) >= from);
        expect(counting.length).toBeGreaterThanOrEqual(2);
        expect(counting.slice(-2).flatMap((each) => each.candidates)).toEqual([]);
      }),
      { numRuns: 20_000 },
    );
  });

  it('adopts only one single match, or the single candidate of an exclusive account', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const decision = decide(facts, T);
        if (decision.kind !== 'adopt') return;
        expect(facts.endedAt).not.toBeNull();
        if (facts.matches.length === 1) {
          expect(decision.publicationId).toBe(facts.matches[0]);
        } else {
          expect(facts.matches).toEqual([]);
          expect(facts.possibles).toEqual([decision.publicationId]);
          expect(facts.exclusive).toBe(true);
          expect(facts.unsettledOnAccount).toBe(1);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('waits for ever for nothing: past every deadline an attempt that is over is decided', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const settled = settleTime(facts, ENDED, T);
        const now = Math.max(ENDED + T.reconcileForMs, settled + 3 * T.lookGapMs);
        const looks = [...facts.looks, look(now - T.lookGapMs, ['p1'], false), look(now, [], false)];
        expect(decide({ ...facts, looks, endedAt: ENDED, now }, T).kind).not.toBe('wait');
      }),
      { numRuns: 5_000 },
    );
  });
});
