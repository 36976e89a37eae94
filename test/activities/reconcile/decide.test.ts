import fc from 'fast-check';
import { type AnsweredCreate, type LostCreate, weighAccount } from '../../../activities/reconcile/weigh-account';
import { type AttemptFacts, decide, type Decision, giveUpMsOf, settleMsOf } from '../../../activities/reconcile/decide';
import { type KnownHabits } from '../../../activities/reconcile/evidence';
import { PRODUCTION_TIMINGS as T } from '../../../activities/timings';
import { type ListScan } from '../../../ledger/model/attempt-types';
import { type RowValues } from '../../../ledger/model/types';
import { type Publication } from '../../../service/api/publication';

const SETTLE = T.settleMs;
const GIVE_UP = giveUpMsOf(SETTLE, T);

const EXACT: KnownHabits = {
  title: { exact: 3, changed: 0, far: 0 },
  platform: { same: 3, other: 0 },
  profile: { same: 3, other: 0 },
};
const NOTHING: KnownHabits = {
  title: { exact: 0, changed: 0, far: 0 },
  platform: { same: 0, other: 0 },
  profile: { same: 0, other: 0 },
};

function create(id: string, title: string | null, change: Partial<RowValues> = {}): LostCreate {
  const values: RowValues = {
    source: `https://videos.example/${id}.mp4`,
    sourceKind: 'url',
    platform: 'platform_b',
    platformKind: 'long',
    profileId: 'garden',
    profileName: null,
    title,
    description: null,
    privacy: null,
    status: 'published',
    publishAt: null,
    via: 'publication',
    ...change,
  };
  return { id, values, knownBefore: new Set(['old']) };
}

function shown(id: string, title?: string, change: Partial<Publication> = {}): Publication {
  return {
    id,
    platform: 'platform_b',
    status: 'processing',
    videoId: null,
    videoUrl: null,
    privacy: null,
    publishedAt: null,
    profileId: 'garden',
    ...(title === undefined ? {} : { title }),
    extra: {},
    ...change,
  };
}

function scan(candidates: readonly string[] = [], change: Partial<ListScan> = {}): ListScan {
  const at = '2026-11-27T12:00:00.000Z';
  return { at, servedAt: null, candidates, full: true, current: true, settled: true, ...change };
}

/** Over for long enough, and absent from two scans that prove it. */
function absent(change: Partial<AttemptFacts> = {}): AttemptFacts {
  const elapsedMs = change.elapsedMs ?? SETTLE + T.lookGapMs;
  return {
    over: true,
    refused: null,
    repeatable: true,
    ambiguous: 'reconcile',
    elapsedMs,
    waitedMs: elapsedMs,
    settleMs: SETTLE,
    giveUpMs: GIVE_UP,
    scans: [scan(), scan()],
    listProven: true,
    ...change,
  };
}

/** A create with this title that was answered with the id of a publication. */
function answeredWith(
  publication: Publication,
  title: string | null,
  change: Partial<AnsweredCreate> = {},
): AnsweredCreate {
  return { publication, create: create('A', title), rowId: 9, ended: false, ...change };
}

interface Case {
  lost?: LostCreate[];
  unowned?: Publication[];
  answered?: AnsweredCreate[];
  habits?: KnownHabits;
  exclusive?: boolean;
  facts?: Partial<AttemptFacts>;
}

/** Decides about `L`. Where facts don't say otherwise, the last two scans found what is a candidate now. */
function decided({ lost = [create('L', 'Winter bees')], unowned = [], answered = [], ...one }: Case): Decision {
  const evidence = weighAccount({ lost, unowned, answered, habits: one.habits ?? EXACT });
  const ids = (evidence.candidates.get('L') ?? []).map(({ id }) => id);
  const facts = absent({ scans: [scan(ids), scan(ids)], ...one.facts });
  return decide('L', facts, { evidence, exclusive: one.exclusive ?? false }, T);
}

const L = create('L', 'Winter bees');
const late = { elapsedMs: GIVE_UP };
const code = (decision: Decision): string => (decision.kind === 'unconfirmed' ? decision.code : decision.kind);

describe('the decision about a create whose answer was lost', () => {
  const table: [string, Case, string][] = [
    ['its worker may still send', { unowned: [shown('p', 'Winter bees')], facts: { over: false } }, 'wait'],
    ['one publication with its title', { unowned: [shown('p', 'Winter bees')] }, 'adopt'],
    ['… before the settling time', { unowned: [shown('p', 'Winter bees')], facts: { elapsedMs: 0 } }, 'adopt'],
    [
      '… in a scan that isn’t full',
      { unowned: [shown('p', 'Winter bees')], facts: { elapsedMs: 0, scans: [scan(['p'], { full: false })] } },
      'wait',
    ],
    [
      '… written differently',
      { unowned: [shown('p', 'WINTER &amp; bees…')], lost: [create('L', 'Winter & bees')] },
      'adopt',
    ],
    [
      '… on another platform, on an account that shows platforms as they were sent',
      { unowned: [shown('p', 'Winter bees', { platform: 'platform_a' })], facts: late },
      'several-candidates',
    ],
    [
      '… on another platform, on an account that doesn’t',
      { unowned: [shown('p', 'Winter bees', { platform: 'other' })], habits: NOTHING },
      'adopt',
    ],
    ['… that was there before', { unowned: [shown('old', 'Winter bees')] }, 'repeat'],
    [
      'two with its title',
      { unowned: [shown('p', 'Winter bees'), shown('q', 'Winter bees')], facts: late },
      'several-candidates',
    ],
    [
      'one with its title, and another lost create with the same',
      { lost: [L, create('M', 'Winter bees')], unowned: [shown('p', 'Winter bees')], facts: late },
      'several-candidates',
    ],
    [
      'two with its title, and another lost create with the same: which is which is not known',
      {
        lost: [L, create('M', 'Winter bees')],
        unowned: [shown('p', 'Winter bees'), shown('q', 'Winter bees')],
        facts: late,
      },
      'several-candidates',
    ],
    [
      'the other has the title of one of them alone: one assignment explains both',
      {
        lost: [create('L', 'Winter bees!'), create('M', 'winter bees')],
        unowned: [shown('p', 'Winter bees!'), shown('q', 'winter bees')],
      },
      'adopt',
    ],
    [
      'the same title on two platforms, each shown with its own',
      {
        lost: [L, create('M', 'Winter bees', { platform: 'platform_a' })],
        unowned: [shown('p', 'Winter bees'), shown('q', 'Winter bees', { platform: 'platform_a' })],
      },
      'adopt',
    ],
    ['a distant title, on an account that keeps titles', { unowned: [shown('p', 'Sowing beans')] }, 'repeat'],
    [
      '… on an account of which nothing is known',
      { unowned: [shown('p', 'Sowing beans')], habits: NOTHING, facts: late },
      'several-candidates',
    ],
    [
      '… on an account that showed a distant title of its own',
      {
        unowned: [shown('p', 'Sowing beans')],
        habits: { ...EXACT, title: { exact: 9, changed: 0, far: 1 } },
        facts: late,
      },
      'several-candidates',
    ],
    ['a similar title', { unowned: [shown('p', 'Winter beers')], facts: late }, 'several-candidates'],
    [
      '… that is certainly another lost create’s',
      { lost: [L, create('M', 'Winter beers')], unowned: [shown('p', 'Winter beers')] },
      'repeat',
    ],
    ['no title shown', { unowned: [shown('p')], facts: late }, 'several-candidates'],
    [
      'no title sent',
      { lost: [create('L', null)], unowned: [shown('p', 'Sowing beans')], facts: late },
      'several-candidates',
    ],
    [
      'no title shown, the account is exclusive and nothing else is lost',
      { unowned: [shown('p')], exclusive: true },
      'adopt',
    ],
    [
      '… and something else is lost',
      { lost: [L, create('M', 'Sowing')], unowned: [shown('p')], exclusive: true, facts: late },
      'several-candidates',
    ],
    [
      'what another create was answered with, with its own title',
      { answered: [answeredWith(shown('p', 'Sowing beans'), 'Sowing beans')] },
      'repeat',
    ],
    ['… with the title of this one', { answered: [answeredWith(shown('p', 'Winter bees'), 'Sowing beans')] }, 'adopt'],
    ['… whose titles are similar', { answered: [answeredWith(shown('p', 'Winter bees'), 'Winter beers')] }, 'adopt'],
    [
      '… and what the other made itself is there too',
      {
        answered: [answeredWith(shown('p', 'Winter bees'), 'Winter beers')],
        unowned: [shown('q', 'Winter beers')],
      },
      'adopt',
    ],
    [
      '… after the row of the other has ended',
      { answered: [answeredWith(shown('p', 'Winter bees'), 'Sowing beans', { ended: true })], facts: late },
      'several-candidates',
    ],
    [
      '… on an exclusive account as well',
      {
        answered: [answeredWith(shown('p', 'Winter bees'), 'Sowing beans', { ended: true })],
        facts: late,
        exclusive: true,
      },
      'several-candidates',
    ],
    [
      '… and the other was sent without a title',
      { answered: [answeredWith(shown('p', 'Winter bees'), null)], facts: late },
      'several-candidates',
    ],
    [
      '… with a title closer to this one',
      { answered: [answeredWith(shown('p', 'Winter beest'), 'Sowing beans')], facts: late },
      'several-candidates',
    ],
    [
      '… with a title as close to both',
      { answered: [answeredWith(shown('p', 'Winter bees'), 'winter bees')] },
      'repeat',
    ],
    ['… without a title', { answered: [answeredWith(shown('p'), 'Sowing beans')] }, 'repeat'],
    [
      '… without a title, and it was listed before the other was claimed',
      {
        answered: [answeredWith(shown('p'), null, { create: { ...create('A', null), knownBefore: new Set(['p']) } })],
        facts: late,
      },
      'several-candidates',
    ],
    ['nothing in two scans', {}, 'repeat'],
    ['… before the settling time', { facts: { elapsedMs: SETTLE - 1 } }, 'wait'],
    ['… one of them before the settling time', { facts: { scans: [scan([], { settled: false }), scan()] } }, 'wait'],
    ['nothing in one scan', { facts: { scans: [scan()] } }, 'wait'],
    ['nothing, in scans of which one wasn’t full', { facts: { scans: [scan(), scan([], { full: false })] } }, 'wait'],
    [
      'nothing, in scans of which one wasn’t current',
      { facts: { scans: [scan([], { current: false }), scan()] } },
      'wait',
    ],
    ['nothing, after a scan that found something', { facts: { scans: [scan(['p']), scan()] } }, 'wait'],
    ['nothing, for a draft', { facts: { repeatable: false } }, 'not-repeatable'],
    ['nothing, under `ambiguous: hold`', { facts: { ambiguous: 'hold' } }, 'held'],
    ['nothing, where no own create was ever listed', { facts: { listProven: false } }, 'wait'],
    ['… until its time is up', { facts: { listProven: false, ...late } }, 'list-unproven'],
    [
      'nothing, after a refusal of the row',
      { facts: { refused: 'row', settleMs: 0, listProven: false, ambiguous: 'hold' } },
      'repeat',
    ],
    [
      'nothing, after a refused key or channel',
      { facts: { refused: 'access', settleMs: 0, ambiguous: 'hold' } },
      'repeat',
    ],
    [
      '… where no own create was ever listed',
      { facts: { refused: 'access', settleMs: 0, listProven: false, ...late } },
      'list-unproven',
    ],
    [
      'the list was never read to its end',
      { facts: { scans: [scan([], { full: false }), scan([], { full: false })], ...late } },
      'no-full-scan',
    ],
    [
      'the list could not be read at the deadline, after a scan that found something',
      { facts: { scans: [scan(['p']), scan(['p'], { full: false })], ...late } },
      'several-candidates',
    ],
    [
      'the list always lacked own publications',
      { facts: { scans: [scan([], { current: false }), scan([], { current: false })], ...late } },
      'list-not-current',
    ],
    [
      'its time was up while no process ran, and it was only seen now',
      { facts: { waitedMs: 10 * GIVE_UP, elapsedMs: 0, scans: [scan([], { settled: false })] } },
      'wait',
    ],
    [
      'its time was up while no process ran, and there was time for some scans',
      { unowned: [shown('p')], facts: { waitedMs: 10 * GIVE_UP, elapsedMs: SETTLE + 3 * T.lookGapMs } },
      'several-candidates',
    ],
  ];

  it.each(table)('%s', (_name, one, expected) => {
    expect(code(decided(one))).toBe(expected);
  });

  it('names the candidates, with what speaks for and against each in words', () => {
    const unowned = [
      shown('p', 'Winter bees', { platform: 'platform_a' }),
      shown('q', 'Winter beers', { status: 'draft' }),
    ];
    const decision = decided({ unowned, facts: late });
    expect(decision).toMatchObject({ kind: 'unconfirmed', candidates: ['p', 'q'] });
    expect(decision.kind === 'unconfirmed' && decision.message).toBe(
      '2 publications could be this one, and nothing proves which: ' +
        'p (for: its title matches the row’s, same profile; against: platform "platform_a"); ' +
        'q (for: its title is similar, same platform, same profile; against: status "draft")',
    );
  });

  it('gives uploads, slow lists and a wait that was requested their time; a refusal needs none', () => {
    const attempt = { upload: false, refused: null, waitMs: 0, listProven: true } as const;
    const list = { slowestMs: 0, quickestMs: 0 };
    expect(settleMsOf(attempt, list, T)).toBe(T.settleMs);
    expect(settleMsOf({ ...attempt, upload: true }, list, T)).toBe(T.settleUploadMs);
    expect(settleMsOf({ ...attempt, waitMs: 3_600_000 }, list, T)).toBe(3_600_000);
    expect(settleMsOf(attempt, { ...list, slowestMs: 600_000 }, T)).toBe(1_200_000);
    expect(settleMsOf(attempt, { ...list, quickestMs: 600_000 }, T)).toBe(600_000);
    expect(settleMsOf({ ...attempt, refused: 'row' }, list, T)).toBe(0);
    expect(settleMsOf({ ...attempt, refused: 'row', listProven: false }, list, T)).toBe(T.settleMs);
  });

  const titles = fc.constantFrom('Winter bees', 'winter  BEES!', 'Winter beers', 'Sowing beans', 'Sowing beans 2');
  const anyCase = fc.record({
    others: fc.array(fc.option(titles, { nil: null }), { maxLength: 3 }),
    title: fc.option(titles, { nil: null }),
    unowned: fc.array(fc.tuple(fc.option(titles, { nil: undefined }), fc.constantFrom('platform_a', 'platform_b')), {
      maxLength: 4,
    }),
    habits: fc.constantFrom(EXACT, NOTHING, { ...EXACT, title: { exact: 1, changed: 1, far: 1 } }),
    exclusive: fc.boolean(),
    facts: fc.record({
      over: fc.boolean(),
      refused: fc.constantFrom('row', 'access', null),
      repeatable: fc.boolean(),
      ambiguous: fc.constantFrom('reconcile' as const, 'hold' as const),
      elapsedMs: fc.integer({ min: 0, max: 2 * GIVE_UP }),
      listProven: fc.boolean(),
    }),
    scans: fc.array(
      fc.record({
        candidates: fc.subarray(['p0', 'p1']),
        full: fc.boolean(),
        current: fc.boolean(),
        settled: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });

  it('keeps its rules, whatever the account and the attempt are', () => {
    fc.assert(
      fc.property(anyCase, ({ others, title, unowned, habits, exclusive, facts, scans }) => {
        const lost = [create('L', title), ...others.map((other, at) => create(`M${at}`, other))];
        const publications = unowned.map(([shownTitle, platform], at) => shown(`p${at}`, shownTitle, { platform }));
        const evidence = weighAccount({ lost, unowned: publications, habits });
        const candidates = evidence.candidates.get('L') ?? [];
        const all = scans.map((one, at) =>
          scan(at === scans.length - 1 ? candidates.map(({ id }) => id) : one.candidates, {
            full: one.full,
            current: one.current,
            settled: one.settled,
          }),
        );
        const attempt = absent({ ...facts, scans: all });
        const decision = decide('L', attempt, { evidence, exclusive }, T);
        if (decision.kind === 'repeat') {
          expect(attempt.over && candidates.length === 0).toBe(true);
          expect(attempt.refused === 'row' || attempt.listProven).toBe(true);
          expect(attempt.refused !== null || (attempt.repeatable && attempt.ambiguous === 'reconcile')).toBe(true);
          expect(attempt.elapsedMs).toBeGreaterThanOrEqual(SETTLE);
          const last = all.slice(-2);
          expect(last).toHaveLength(2);
          expect(last.every((one) => one.full && one.current && one.settled)).toBe(true);
          expect(last.flatMap((one) => one.candidates)).toEqual([]);
        }
        if (decision.kind === 'adopt') {
          const { publicationId } = decision;
          expect(candidates.map(({ id }) => id)).toContain(publicationId);
          for (const [claimant, id] of evidence.assigned) expect(claimant === 'L' || id !== publicationId).toBe(true);
          const sole = exclusive && candidates.length === 1 && evidence.claimants.get(publicationId) === 1;
          expect(sole || evidence.assigned.get('L') === publicationId).toBe(true);
        }
        if (decision.kind === 'unconfirmed') {
          expect(attempt.over).toBe(true);
          expect(decision.candidates).toEqual(candidates.map(({ id }) => id));
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('comes to an end past its time, once two more scans were made', () => {
    fc.assert(
      fc.property(anyCase, ({ title, unowned, habits, exclusive, facts, scans }) => {
        const publications = unowned.map(([shownTitle], at) => shown(`p${at}`, shownTitle));
        const evidence = weighAccount({ lost: [create('L', title)], unowned: publications, habits });
        const ids = (evidence.candidates.get('L') ?? []).map(({ id }) => id);
        const last = scans.slice(-1).map((one) => scan(ids, { full: one.full, current: one.current }));
        const attempt = absent({ ...facts, over: true, elapsedMs: GIVE_UP, scans: [...last, ...last] });
        expect(decide('L', attempt, { evidence, exclusive }, T).kind).not.toBe('wait');
      }),
      { numRuns: 5_000 },
    );
  });
});

test('a publication that could also belong to a create without an earlier list is assigned to no create', () => {
  const unlisted: LostCreate = { ...create('M', 'Winter bees'), knownBefore: null };
  const weigh = (other: LostCreate) =>
    weighAccount({ lost: [create('L', 'Winter bees'), other], unowned: [shown('new', 'Winter bees')], habits: EXACT });
  expect([...weigh(unlisted).assigned]).toEqual([]);
  expect(weigh(unlisted).claimants.get('new')).toBe(2);
  // One that certainly isn't the other's is assigned.
  const otherwise: LostCreate = { ...create('M', 'Summer bees'), knownBefore: null };
  expect([...weigh(otherwise).assigned]).toEqual([['L', 'new']]);
});
