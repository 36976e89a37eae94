import { rankOf } from '../../../activities/reconcile/unowned-candidates';
import { type KnownHabits } from '../../../activities/reconcile/evidence';
import { Harness } from '../harness';
import { values } from '../../ledger/support';

const NOTHING: KnownHabits = {
  title: { exact: 0, changed: 0, far: 0 },
  platform: { same: 0, other: 0 },
  profile: { same: 0, other: 0 },
};
const EXACT: KnownHabits = { ...NOTHING, title: { exact: 3, changed: 0, far: 0 } };

describe('a row that a reconciliation did not know, and a publication that no row owned then', () => {
  const TITLE = 'Gärten & Höfe: “the long way” 🌱 to a pond for frogs';
  const isPossible = (shown: string | null, habits = NOTHING, more = {}) =>
    rankOf(
      values('a', { title: TITLE, profileId: 'p-1' }),
      { platform: 'platform_b', profileId: 'p-1', title: shown, ...more },
      habits,
    ) !== null;

  it.each([
    ['as it was sent', TITLE],
    ['encoded', 'Gärten &amp; Höfe: &ldquo;the long way&rdquo; 🌱 to a pond for frogs'],
    ['in lower case', TITLE.toLowerCase()],
    ['decomposed', TITLE.normalize('NFD')],
    ['without emoji', TITLE.replace(' 🌱', '')],
    ['with straight quotes', TITLE.replace(/[“”]/gu, '"')],
    ['cut without a mark', TITLE.slice(0, 26)],
    ['cut with a mark', `${TITLE.slice(0, 26)}…`],
    ['extended', `${TITLE} #shorts`],
    ['not at all', null],
  ])('may be the same where its title is shown %s', (_, shown) => {
    expect(isPossible(shown)).toBe(true);
    expect(isPossible(shown, EXACT)).toBe(true);
  });

  it('may be the same where titles are similar, unless the account has shown each title exactly', () => {
    const similar = TITLE.replace('frogs', 'newts');
    expect(isPossible(similar)).toBe(true);
    expect(isPossible(similar, EXACT)).toBe(false);
  });

  it('can’t be the same where titles are distant, unless the account has shown distant ones', () => {
    expect(isPossible('Winter bees')).toBe(false);
    expect(isPossible('Winter bees', { ...NOTHING, title: { exact: 0, changed: 0, far: 1 } })).toBe(true);
  });

  it('may be the same with another platform or profile, unless the account always showed those as sent', () => {
    const other = { platform: 'instagram', profileId: 'P-2' };
    const always = { same: 2, other: 0 };
    expect(isPossible(TITLE, NOTHING, other)).toBe(true);
    expect(isPossible(TITLE, { ...NOTHING, platform: always }, other)).toBe(false);
    expect(isPossible(TITLE, { ...NOTHING, profile: always }, other)).toBe(false);
  });
});

describe('rows that are sent after a reconciliation', () => {
  const TITLES = ['Pruning roses', 'A pond for frogs &co', 'Compost in a week'];
  let harness: Harness;
  beforeEach(async () => {
    harness = await Harness.open({ rows: 3, values: (at) => ({ title: TITLES[at]! }) });
  });
  afterEach(() => harness.close());

  const reconcile = (...titles: (string | null)[]) =>
    harness.ledger.acceptRolledBack(
      titles.map((title, at) => ({
        account: 'main',
        publication_id: `p${at}`,
        platform: 'somewhere',
        profile_id: null,
        title,
      })),
    );

  it('are left to a person if one of the publications found then may be theirs', async () => {
    await reconcile('a pond for frogs &amp;co', 'A pond for fro');
    await harness.create();
    const [first, second, third] = await harness.results();
    expect([first, third]).toMatchObject(Array(2).fill({ state: 'processing' }));
    expect(second).toMatchObject({ state: 'unconfirmed', code: 'ledger-lost', candidates: ['p0', 'p1'] });
    expect([...harness.accepted().values()]).toEqual([1, 1]);
  });

  it('are all left to a person if one was shown without a title, and sent if the person says so', async () => {
    await reconcile(null);
    await harness.create();
    expect(harness.accepted().size).toBe(0);
    expect((await harness.results()).map(({ state }) => state)).toEqual(Array(3).fill('unconfirmed'));
    const settled = { run: harness.run, decision: { kind: 'not-published' }, by: 'ana' } as const;
    for (const key of ['k0', 'k1', 'k2']) await harness.ledger.resolve({ ...settled, key });
    await harness.create();
    expect([...harness.accepted().values()]).toEqual([1, 1, 1]);
  });
});
