import fc from 'fast-check';
import { type RowValues } from '../../../ledger/model/types';
import { ORDERS, SHOWN_TITLES } from '../../../simulate/service/behaviours';
import { AccountScene } from './account-scene';
import { type Behaviour, type Fate, type Stored } from './stand-in-service';

jest.setTimeout(600_000);

/** More of them: RANDOM_SERVICES=500. A failure names its seed and path, which play it again. */
const RUNS = Number(process.env['RANDOM_SERVICES'] ?? 15);

const TITLES = ['Winter bees', 'Winter beers', 'A walk to the “old” mill & back 🌾', 'Harvest of the early apples', ''];

/** A publication has no field for a title that isn't shown. */
function titleOf(title: string | undefined): { title: string } {
  return (title === undefined ? { title: undefined } : { title }) as { title: string };
}

const HIDDEN: Record<string, (stored: Stored, now: number) => boolean> = {
  nothing: () => false,
  'a platform': ({ input }) => input.platform === 'platform_a',
  'what is processing': ({ at }, now) => now < at + 240_000,
  'every third': ({ nth }) => nth % 3 === 0,
};

const FATES: [number, Fate][] = [
  [12, 'answered'],
  [3, 'lost'],
  [3, 'dropped'],
  [1, { storedBut: 403 }],
  [1, { storedBut: 422 }],
  [1, { refused: 403 }],
  [1, { refused: 422 }],
  [1, { answeredAs: 'Winter bees' }],
];
const fate = fc.oneof(...FATES.map(([weight, arbitrary]) => ({ weight, arbitrary: fc.constant(arbitrary) })));

const row = fc.record({
  title: fc.constantFrom(...TITLES),
  platform: fc.constantFrom('platform_a', 'platform_b'),
  fates: fc.tuple(fate, fate),
});

const world = fc.record({
  shown: fc.constantFrom(...Object.keys(SHOWN_TITLES)),
  order: fc.constantFrom(...Object.keys(ORDERS)),
  hidden: fc.constantFrom('nothing', 'nothing', 'nothing', ...Object.keys(HIDDEN)),
  renamesPlatform: fc.boolean(),
  pageMax: fc.constantFrom(3, 20, 100),
  total: fc.boolean(),
  lagMs: fc.constantFrom(0, 0, 20_000, 5 * 60_000, 20 * 60_000),
  aheadMs: fc.constantFrom(0, -15 * 60_000, 15 * 60_000),
  jump: fc.record({ atMs: fc.integer({ min: 1, max: 600_000 }), byMs: fc.constantFrom(0, 600_000, -600_000) }),
  outage: fc.record({ atMs: fc.integer({ min: 1, max: 600_000 }), forMs: fc.constantFrom(0, 120_000, 3_600_000) }),
  older: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) }, { weight: 1, arbitrary: fc.constant(130) }),
  campaigns: fc.array(fc.array(row, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
});

describe('random services, with random losses over several campaigns', () => {
  it('never store two publications for one row, and leave no row without an end', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        const fates = new Map<string, readonly Fate[]>();
        const show: Behaviour['show'] = ({ input, nth }) => ({
          ...titleOf(SHOWN_TITLES[one.shown]?.(input.title ?? '', nth)),
          ...(one.renamesPlatform ? { platform: `x-${input.platform}` } : {}),
        });
        const scene = await AccountScene.open({
          resumes: true,
          clockAhead: (since) => one.aheadMs + (since >= one.jump.atMs ? one.jump.byMs : 0),
          behaviour: {
            show,
            order: ORDERS[one.order]!,
            listed: (stored, now) => !HIDDEN[one.hidden]!(stored, now),
            pageMax: one.pageMax,
            total: one.total,
            lagMs: one.lagMs,
            processingMs: 30_000,
            fate: ({ source }, nth) =>
              (source.kind === 'url' ? fates.get(source.url)?.[nth - 1] : undefined) ?? 'answered',
          },
        });
        try {
          // A list that hides single creates is known for it only once it has hidden one that was answered (limits.md).
          if (one.hidden === 'every third') {
            await scene.submit('earlier', ['Cellar', 'Orchard', 'Meadow']);
            await scene.create();
            await scene.finish(6);
          }
          const from = scene.time;
          for (let at = 0; at < one.older; at += 1) scene.service.add({ title: TITLES[at % TITLES.length]! });
          // A service that stores what it refuses, and hides it, is believed (limits.md).
          const isLate = one.lagMs >= 5 * 60_000;
          const believed = (fate: Fate): Fate =>
            typeof fate === 'object' &&
            'storedBut' in fate &&
            (one.hidden !== 'nothing' || (isLate && fate.storedBut === 422))
              ? { refused: fate.storedBut }
              : fate;
          for (const [at, rows] of one.campaigns.entries()) {
            rows.forEach((each, position) => {
              fates.set(`https://videos.example/campaign-${at}/${position}.mp4`, each.fates.map(believed));
            });
            const values = rows.map(({ title, platform }): Partial<RowValues> => ({
              title: title === '' ? null : title,
              platform,
            }));
            await scene.submit(`campaign-${at}`, values);
            await scene.create();
            await scene.watch();
            scene.time += 45_000;
          }
          scene.service.behaviour.listBroken = (now) =>
            now >= from + one.outage.atMs && now < from + one.outage.atMs + one.outage.forMs;
          expect((await scene.finish(6)).map(({ state, code }) => [state, code])).toEqual([]);
          await scene.retryRejected();
          expect((await scene.finish(6)).map(({ state, code }) => [state, code])).toEqual([]);
          expect(scene.twice()).toEqual([]);
        } finally {
          await scene.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
});
