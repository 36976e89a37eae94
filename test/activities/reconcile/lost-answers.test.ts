import { type Publication } from '../../../service/api/publication';
import { AccountScene, type SceneOptions } from './account-scene';
import { type Behaviour, type Fate, type Stored } from './stand-in-service';

let scene: AccountScene;
afterEach(() => scene.close());

const TITLES = [
  'Harvest of the early apples',
  'A walk to the “old” mill & back 🌾',
  'Winter bees',
  'Sowing broad beans',
];
const LOST = TITLES[1]!;

/** The first create of this title meets the fate; everything else is answered. */
const firstOf =
  (title: string, fate: Fate): Behaviour['fate'] =>
  (input, nth) =>
    input.title === title && nth === 1 ? fate : 'answered';

async function play(options: SceneOptions, campaigns: Record<string, readonly string[]> = { garden: TITLES }) {
  scene = await AccountScene.open(options);
  for (const [campaign, titles] of Object.entries(campaigns)) {
    scene.time += 60_000;
    await scene.submit(campaign, titles);
  }
  const left = await scene.finish();
  expect(left.map(({ state, code }) => [state, code])).toEqual([]);
  return scene;
}

describe('1: a lost answer on a service that shows something else than what was sent', () => {
  const text = (change: (title: string) => string) => (stored: Stored) => ({ title: change(stored.input.title ?? '') });
  const variants: [string, Behaviour['show']][] = [
    ['whitespace collapsed', text((title) => title.replaceAll(/\s+/gu, ' ').trim())],
    ['lower-cased', text((title) => title.toLowerCase())],
    ['HTML-encoded', text((title) => title.replaceAll('&', '&amp;').replaceAll('“', '&ldquo;'))],
    ['another Unicode form', text((title) => title.normalize('NFKD'))],
    ['truncated', text((title) => (title.length > 20 ? `${title.slice(0, 19)}…` : title))],
    ['without its emoji', text((title) => title.replaceAll(/\p{Extended_Pictographic}/gu, '').trimEnd())],
    ['straight quotes', text((title) => title.replaceAll(/[“”]/gu, '"'))],
    ['the description trimmed', () => ({ description: 'cut …' })],
    ['the privacy upper-cased', () => ({ privacy: 'PRIVATE' })],
    ['the privacy public', () => ({ privacy: 'public' })],
    ['the profile upper-cased', () => ({ profileId: 'PROFILE-1' })],
    ['the platform under another name', () => ({ platform: 'other' })],
    ['made an hour before', ({ at }) => ({ createdAt: new Date(at - 3_600_000).toISOString() })],
    ['the status draft', ({ at }, now) => (now < at + 600_000 ? { status: 'draft' } : {})],
    ['the status pending', ({ at }, now) => (now < at + 600_000 ? { status: 'pending' } : {})],
  ];

  it.each(variants)('%s: it is adopted, and nothing is created again', async (_name, show) => {
    await play({ behaviour: { show, fate: firstOf(LOST, 'lost') } });
    expect(scene.twice()).toEqual([]);
    expect(scene.service.stored).toHaveLength(TITLES.length);
    const [, row] = await scene.rows();
    expect(row?.publication_id).toBe(scene.service.stored.find(({ input }) => input.title === LOST)?.id);
  });

  it('a title of its own making: left to a person with the candidate', async () => {
    const show = ({ nth }: Stored) => ({ title: `clip-${nth * 7919}` });
    await play({ behaviour: { show, fate: firstOf(LOST, 'lost') } });
    expect(scene.twice()).toEqual([]);
    const [, row] = await scene.rows();
    expect(row?.state).toBe('unconfirmed');
    expect(row?.candidates).toEqual([scene.service.stored[1]?.id]);
    expect(row?.message).toMatch(/title/u);
  });
});

describe('1: titles that only the single view shows', () => {
  it('are learned from it: another client’s publication is no candidate', async () => {
    scene = await AccountScene.open({
      behaviour: {
        listedAs: () => ({ title: undefined, profileId: undefined }) as unknown as Partial<Publication>,
        fate: firstOf(LOST, 'dropped'),
      },
    });
    await scene.submit('garden', TITLES);
    await scene.create();
    scene.service.add({ title: 'Somebody else’s holiday' });
    expect(await scene.finish()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
    expect(scene.twice()).toEqual([]);
  });
});

describe('2: pages that are shorter than requested, and no total', () => {
  it('are not taken for the end of the list', async () => {
    scene = await AccountScene.open({
      behaviour: { pageMax: 5, total: false, fate: firstOf('Lost one', 'lost') },
    });
    await scene.submit('garden', ['Lost one', ...Array.from({ length: 11 }, (_, at) => `Something else ${at}`)]);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(new Set(await scene.states())).toEqual(new Set(['published']));
  });
});

describe('3: a list sorted by whole seconds, ties by id', () => {
  it('is read past what is known, however it is sorted', async () => {
    const second = (one: Stored) => Math.floor(one.at / 1000);
    const order: Behaviour['order'] = (a, b) =>
      second(b) - second(a) || (isLost(a) ? 1 : isLost(b) ? -1 : b.nth - a.nth);
    const isLost = (one: Stored) => one.input.title === 'Lost one';
    scene = await AccountScene.open({ behaviour: { order, pageMax: 3, fate: firstOf('Lost one', 'lost') } });
    // The same second as the baseline's newest, and sorted below it.
    for (let at = 0; at < 8; at += 1) scene.service.add({ title: `Older ${at}` });
    await scene.submit('garden', ['First harvest', 'Lost one', 'Winter bees', 'Sowing beans']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(['published', 'published', 'published', 'published']);
  });

  it('newest first, and long: it is read past what was there before, not to its end', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'dropped') } });
    for (let at = 0; at < Number(process.env['LONG_LIST'] ?? 2_000); at += 1)
      scene.service.add({ title: `Older ${at}` });
    const many = Array.from({ length: 12 }, (_, at) => `Something quite different ${at}`);
    await scene.submit('garden', [...many, 'Lost one']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(new Set(await scene.states())).toEqual(new Set(['published']));
    // Some ten scans of at most four pages; the whole list has more than twenty.
    expect(scene.service.lists).toBeLessThan(60);
  });

  it('oldest first is no reason to stop at the first known one', async () => {
    const order: Behaviour['order'] = (a, b) => a.nth - b.nth;
    scene = await AccountScene.open({ behaviour: { order, fate: firstOf('Lost one', 'lost') } });
    for (let at = 0; at < 150; at += 1) scene.service.add({ title: `Older ${at}` });
    await scene.submit('garden', ['First harvest', 'Lost one', 'Winter bees']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
  });
});

describe('4: a list that lags for longer than the settling time', () => {
  it('proves nothing while own creates are missing from it', async () => {
    const opened = { behaviour: { fate: firstOf('Lost one', 'lost') } };
    scene = await AccountScene.open(opened);
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    scene.service.behaviour.lagMs = 20 * 60_000;
    await scene.submit('garden', ['Winter bees', 'Lost one', 'Sowing beans']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states('garden')).toEqual(['published', 'published', 'published']);
  });

  it('ends as list-not-current when they never appear', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'lost') } });
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    const now = scene.time;
    scene.service.behaviour.listed = (one) => one.at < now;
    await scene.submit('garden', ['Winter bees', 'Lost one', 'Sowing beans']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows('garden')).map(({ code }) => code)).toEqual([null, 'list-not-current', null]);
  });
});

describe('4: reads that show an earlier state, in the list and by id', () => {
  const HOUR = 3_600_000;

  /** Shows only what was stored before this time, until a later one. */
  function showOnlyBefore(time: number, until = Infinity): void {
    const isShown = (one: Stored, now: number): boolean => one.at < time || now >= until;
    Object.assign(scene.service.behaviour, { listed: isShown, found: isShown });
  }

  it('prove nothing while publications are missing that were never seen', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'lost') } });
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    showOnlyBefore(scene.time, scene.time + 2 * HOUR);
    await scene.submit('garden', ['Winter bees', 'Lost one', 'Sowing beans']);
    expect(await scene.finish(6)).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows('garden')).map(({ code }) => code)).toEqual([null, 'list-not-current', null]);
  });

  it('prove nothing either if they go back behind publications that were seen and have ended', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'lost') } });
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    const early = scene.time;
    await scene.submit('second', ['Winter bees']);
    expect(await scene.finish()).toEqual([]);
    showOnlyBefore(early);
    await scene.submit('garden', ['Lost one']);
    expect(await scene.finish(6)).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows('garden')).map(({ code }) => code)).toEqual(['list-not-current']);
  });

  it('prove nothing if they show none of the account’s own publications', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'lost') } });
    await scene.submit('first', ['Early one', 'Winter bees']);
    expect(await scene.finish()).toEqual([]);
    showOnlyBefore(0);
    for (const { publication_id: publicationId } of await scene.rows('first'))
      await scene.ledger.noteDeleted({ rowId: await rowOf(publicationId!), publicationId: publicationId!, by: 'ana' });
    await scene.submit('garden', ['Lost one']);
    expect(await scene.finish(6)).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows('garden')).map(({ code }) => code)).toEqual(['list-not-current']);
  });

  it.each([
    ['by a person at the service, and a newer one is shown', 0, false],
    ['with reelay, whatever is shown', 2, true],
  ])('a record that was deleted %s: the lost create is repeated', async (_, which, withReelay) => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf('Lost one', 'dropped') } });
    for (const title of ['Early one', 'Winter bees', 'Sowing beans']) {
      await scene.submit(`after ${title.toLowerCase()}`.replaceAll(' ', '-'), [title]);
      expect(await scene.finish()).toEqual([]);
    }
    const { id } = scene.service.stored[which]!;
    const isShown = (one: Stored): boolean => one.id !== id;
    Object.assign(scene.service.behaviour, { listed: isShown, found: isShown });
    if (withReelay) await scene.ledger.noteDeleted({ rowId: await rowOf(id), publicationId: id, by: 'ana' });
    await scene.submit('garden', ['Lost one']);
    expect(await scene.finish(6)).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states('garden')).toEqual(['published']);
  });

  async function rowOf(id: string): Promise<number> {
    return (await scene.ledger.ownersOf('main', [id])).get(id)!.rowId;
  }
});

describe('5: two campaigns with the same title', () => {
  it.each(['first', 'second'])(
    'both answers lost, only that of the %s arrived: both are left to a person',
    async (which) => {
      scene = await AccountScene.open({
        behaviour: {
          fate: ({ title, source }, nth) => {
            if (title !== 'Lost one' || nth > 1) return 'answered';
            return source.kind === 'url' && source.url.includes(`/${which}/`) ? 'lost' : 'dropped';
          },
        },
      });
      await scene.submit('first', ['Winter bees', 'Lost one']);
      await scene.submit('second', ['Sowing beans', 'Lost one']);
      expect(await scene.finish()).toEqual([]);
      expect(scene.twice()).toEqual([]);
      expect(await scene.states('first')).toEqual(['published', 'unconfirmed']);
      expect(await scene.states('second')).toEqual(['published', 'unconfirmed']);
    },
  );

  it('a row given up before is a claimant too', async () => {
    scene = await AccountScene.open({
      behaviour: {
        lagMs: 0,
        fate: ({ title, source }, nth) => {
          if (title !== 'Lost one' || nth > 1) return 'answered';
          return source.kind === 'url' && source.url.includes('/first/') ? 'lost' : 'dropped';
        },
        listed: ({ input }, now) =>
          !(input.title === 'Lost one' && input.source.kind === 'url' && input.source.url.includes('/first/')) ||
          now > shownFrom,
      },
      ambiguous: 'hold',
    });
    let shownFrom = Infinity;
    await scene.submit('first', ['Winter bees', 'Lost one']);
    expect(await scene.finish()).toEqual([]);
    const run = scene.runs.get('first')!;
    await scene.ledger.resolve({ run, key: 'k1', decision: { kind: 'give-up' }, by: 'test' });
    await scene.submit('second', ['Sowing beans', 'Lost one']);
    shownFrom = scene.time;
    expect(await scene.finish()).toEqual([]);
    expect(await scene.states('second')).toEqual(['published', 'unconfirmed']);
  });
});

describe('6: a clock that is wrong', () => {
  it('15 min fast: nothing is created again', async () => {
    await play({ clockAhead: () => 15 * 60_000, behaviour: { fate: firstOf(LOST, 'lost') } });
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
  });

  it('10 min forward right after the lost answer: the service still gets its time to accept it', async () => {
    let jumpAt = Infinity;
    let stored: number | null = null;
    scene = await AccountScene.open({
      clockAhead: (since) => (since >= jumpAt ? 10 * 60_000 : 0),
      behaviour: {
        fate: firstOf(LOST, 'lost'),
        // It takes the service a minute to accept what it got.
        listed: ({ input, at }, now) => input.title !== LOST || (stored ??= at) + 60_000 <= now,
      },
    });
    const began = scene.time;
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    await scene.submit('garden', TITLES);
    await scene.create();
    await scene.watch();
    jumpAt = scene.time + 1 - began;
    scene.time += 1;
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
  });
});

describe('6: a list that has always been slow, and a clock that is set back before it has shown anything', () => {
  it.each([60, 15])('by %d min: a lost create gets the time that the list takes', async (minutes) => {
    let ahead = 0;
    scene = await AccountScene.open({
      clockAhead: () => ahead,
      behaviour: { lagMs: 10 * 60_000, fate: firstOf(LOST, 'lost') },
    });
    await scene.submit('first', ['Early one']);
    expect(await scene.finish()).toEqual([]);
    ahead = -minutes * 60_000;
    scene.time += 20 * 60_000;
    await scene.submit('garden', [LOST]);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states('garden')).toEqual(['published']);
    expect((await scene.ledger.listHabits('main')).quickestMs).toBeGreaterThanOrEqual(10 * 60_000);
  });
});

describe('6: a worker that falls silent while the clock is wrong', () => {
  it('is waited for by a clock that can’t be set, and its row is left to a person then', async () => {
    let ahead = 0;
    scene = await AccountScene.open({ clockAhead: () => ahead });
    await scene.submit('garden', ['Winter bees']);
    await scene.claimSilently('garden');
    await scene.watch();
    ahead = 3 * 3_600_000;
    for (let minute = 0; minute < 45; minute += 1) {
      await scene.watch();
      scene.time += 60_000;
    }
    expect(await scene.states()).toEqual(['creating']);
    for (let minute = 0; minute < 30; minute += 1) {
      await scene.watch();
      scene.time += 60_000;
    }
    expect(await scene.rows()).toMatchObject([{ state: 'unconfirmed', code: 'worker-silent' }]);
  });

  it.each([-3_600_000, 3_600_000])('scans go on when the clock is set by %d ms', async (by) => {
    let ahead = 0;
    scene = await AccountScene.open({ clockAhead: () => ahead, behaviour: { fate: firstOf(LOST, 'dropped') } });
    await scene.submit('garden', TITLES);
    await scene.create();
    await scene.watch();
    ahead = by;
    const until = scene.time + 10 * 60_000;
    while (scene.time < until) {
      await scene.watch();
      scene.time += 15_000;
    }
    expect((await scene.states())[1]).toBe('planned');
  });
});

describe('8: a create answered with an id that another row has', () => {
  it('is an unknown answer: the row’s own publication is found', async () => {
    await play({ behaviour: { fate: firstOf(LOST, { answeredAs: TITLES[0]! }) } });
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
    const ids = (await scene.rows()).map((row) => row.publication_id);
    expect(new Set(ids).size).toBe(TITLES.length);
  });

  it('every time: the row ends, and is not sent for ever', async () => {
    const same: Behaviour['fate'] = ({ title }) => (title === LOST ? { answeredAs: TITLES[0]! } : 'answered');
    await play({ behaviour: { fate: same, listed: ({ input }) => input.title !== LOST } });
    const [, row] = await scene.rows();
    expect(row?.state).toBe('unconfirmed');
    expect(row?.attempts).toBe(1);
  });
});

describe('8: a create answered with the id of another lost create', () => {
  const THIRD = TITLES[2]!;
  const mixUp =
    (second: Fate, lost = LOST, mixed = THIRD): Behaviour['fate'] =>
    ({ title }, nth) => {
      if (nth > 1) return 'answered';
      return title === lost ? 'lost' : title === mixed ? second : 'answered';
    };
  const own = async () =>
    (await scene.rows()).map(
      ({ publication_id, title }) =>
        scene.service.stored.find(({ id }) => id === publication_id)?.input.title === title,
    );

  it('which was stored as well: each row gets its own publication', async () => {
    await play({ behaviour: { processingMs: 60_000, fate: mixUp({ answeredAs: LOST }) } });
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
    expect(await own()).toEqual(Array(TITLES.length).fill(true));
    const { title, platform, profile } = await scene.ledger.listHabits('main');
    expect([title.changed, title.far, platform.other, profile.other]).toEqual([0, 0, 0, 0]);
  });

  it('which was not stored: the lost row gets its publication, the other is left to a person', async () => {
    await play({ behaviour: { processingMs: 60_000, fate: mixUp({ answeredAs: LOST, unstored: true }) } });
    expect(scene.twice()).toEqual([]);
    const rows = await scene.rows();
    expect(rows.map(({ state, code }) => code ?? state)).toEqual([
      ...['published', 'published', 'not-repeatable', 'published'],
    ]);
    expect((await own())[1]).toBe(true);
  });

  it('also where their titles are similar', async () => {
    const episodes = Array.from({ length: 6 }, (_, at) => `Episode ${at + 1}`);
    const fate = mixUp({ answeredAs: 'Episode 2' }, 'Episode 2', 'Episode 5');
    await play({ behaviour: { processingMs: 60_000, fate } }, { garden: episodes });
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(episodes.length).fill('published'));
    expect(await own()).toEqual(Array(episodes.length).fill(true));
  });

  it('which no title distinguishes: a publication that was listed before the other create is not taken from the lost one', async () => {
    scene = await AccountScene.open({
      behaviour: {
        processingMs: 60_000,
        show: () => ({ title: undefined as unknown as string }),
        fate: mixUp({ answeredAs: LOST, unstored: true }),
      },
    });
    const publishAt = new Date(scene.time + 60_000).toISOString();
    await scene.submit('garden', ['Early one', LOST, { title: THIRD, publishAt }]);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    const lost = scene.service.stored.find(({ input }) => input.title === LOST)?.id;
    expect((await scene.rows('garden'))[1]).toMatchObject({ state: 'unconfirmed', candidates: [lost] });
  });

  it('which was published at once: its row isn’t ended before both are looked at', async () => {
    await play({ behaviour: { fate: mixUp({ answeredAs: LOST, unstored: true }) } });
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows()).map(({ state, code }) => code ?? state)).toEqual([
      ...['published', 'published', 'not-repeatable', 'published'],
    ]);
    expect((await own())[1]).toBe(true);
  });
});

describe('8: a create answered with the id of a publication that is older than its run', () => {
  it('is an unknown answer, however similar its title is', async () => {
    scene = await AccountScene.open({
      behaviour: { fate: firstOf('Winter bees', { answeredAs: 'Winter bees', unstored: true }) },
    });
    const before = scene.service.add({ title: 'Winter bees' });
    await scene.submit('garden', ['Early one', 'Winter bees', 'Sowing beans']);
    expect(await scene.finish()).toEqual([]);
    const [, row] = await scene.rows();
    expect(row).toMatchObject({ state: 'unconfirmed', code: 'not-repeatable', publication_id: null });
    expect(row?.candidates).not.toContain(before.id);
  });
});

describe('publications of the same title that are older than what was noted of the list', () => {
  it('are not taken for a create that was not stored: left to a person', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf(LOST, 'dropped') } });
    const old = scene.service.add({ title: LOST });
    for (let at = 0; at < 130; at += 1) scene.service.add({ title: `Older ${at}` });
    await scene.submit('garden', TITLES);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    const lost = (await scene.rows()).find(({ title }) => title === LOST);
    expect(lost).toMatchObject({ state: 'unconfirmed', code: 'several-candidates', publication_id: null });
    expect(lost?.candidates).toContain(old.id);
    expect(lost?.message).toContain('may be older: it is listed below publications that existed when the run began');
  });
});

describe('9: stored, then answered with a refusal', () => {
  it.each([401, 403] as const)('%s: found before the row is sent again', async (status) => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf(LOST, { storedBut: status }) } });
    await scene.submit('garden', TITLES);
    await scene.create();
    await scene.watch();
    const run = scene.runs.get('garden')!;
    await scene.ledger.resume({ run, by: 'test' });
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
  });

  it('403, where the list shows nothing of the channel: left to a person', async () => {
    const hour = 3_600_000;
    scene = await AccountScene.open({ behaviour: { fate: firstOf(LOST, { storedBut: 403 }), lagMs: 24 * hour } });
    await scene.submit('garden', [LOST]);
    await scene.create();
    await scene.ledger.resume({ run: scene.runs.get('garden')!, by: 'test' });
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.rows()).toMatchObject([{ state: 'unconfirmed', code: 'list-unproven' }]);
  });

  it('422, and a retry: found before the row is sent again', async () => {
    await play({ behaviour: { fate: firstOf(LOST, { storedBut: 422 }) } });
    expect(await scene.states()).toEqual(['published', 'rejected', 'published', 'published']);
    const { run } = await scene.ledger.retry({ run: scene.runs.get('garden')!, by: 'test' });
    await scene.begin(run!);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
  });

  it('a refusal that was one: the row is sent again after two scans', async () => {
    scene = await AccountScene.open({ behaviour: { fate: firstOf(TITLES[0]!, { refused: 403 }) } });
    await scene.submit('garden', TITLES);
    await scene.create();
    await scene.ledger.resume({ run: scene.runs.get('garden')!, by: 'test' });
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect(await scene.states()).toEqual(Array(TITLES.length).fill('published'));
  });
});

describe('10: a list that cannot be read', () => {
  it('ends the lost row as unconfirmed at its deadline; the others are read by their ids meanwhile', async () => {
    let broken = false;
    scene = await AccountScene.open({
      behaviour: { listBroken: () => broken, processingMs: 60_000, fate: firstOf(LOST, 'lost') },
    });
    const many = Array.from({ length: 8 }, (_, at) => `Something else ${at}`);
    await scene.submit('garden', [LOST, ...many]);
    await scene.create();
    broken = true;
    const from = scene.time;
    for (let round = 0; round < 60; round += 1) {
      await scene.watch();
      scene.time += 5_000;
    }
    expect((await scene.states()).slice(1)).toEqual(Array(many.length).fill('published'));
    expect(await scene.finish()).toEqual([]);
    const [row] = await scene.rows();
    expect(row).toMatchObject({ state: 'unconfirmed', code: 'no-full-scan' });
    expect(scene.time - from).toBeLessThan(45 * 60_000);
    expect(scene.twice()).toEqual([]);
    const resolved = await scene.ledger.resolve({
      run: scene.runs.get('garden')!,
      key: 'k0',
      decision: { kind: 'give-up' },
      by: 'test',
    });
    expect(resolved.state).toBe('cancelled');
  });

  it('as the key is gone: the lost row ends all the same, and a person’s word is taken meanwhile', async () => {
    let keyless = false;
    scene = await AccountScene.open({
      keyless: () => keyless,
      behaviour: { fate: ({ title }) => (title === LOST || title === TITLES[2] ? 'lost' : 'answered') },
    });
    await scene.submit('garden', TITLES);
    await scene.create();
    keyless = true;
    await scene.watch();
    const run = scene.runs.get('garden')!;
    const named = { kind: 'give-up' } as const;
    expect((await scene.ledger.resolve({ run, key: 'k2', decision: named, by: 'test' })).state).toBe('cancelled');
    const from = scene.time;
    while (scene.time < from + 45 * 60_000) {
      await scene.watch();
      scene.time += 15_000;
    }
    expect((await scene.rows())[1]).toMatchObject({ state: 'unconfirmed', code: 'no-full-scan' });
    keyless = false;
    expect(await scene.finish()).toEqual([]);
    expect(await scene.states()).toEqual(['published', 'unconfirmed', 'cancelled', 'published']);
  });

  it('whose every page is the first one counts as unread', async () => {
    scene = await AccountScene.open({
      behaviour: { ignoresOffset: true, fate: firstOf('Lost one', 'lost'), pageMax: 3 },
    });
    await scene.submit('garden', ['Lost one', 'Winter bees', 'Sowing beans', 'Harvest', 'A walk']);
    expect(await scene.finish()).toEqual([]);
    expect(scene.twice()).toEqual([]);
    expect((await scene.rows())[0]).toMatchObject({ state: 'unconfirmed', code: 'no-full-scan' });
  });
});
