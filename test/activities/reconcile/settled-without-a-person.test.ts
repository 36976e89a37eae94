import { seededRandom } from '../../../sandbox/random';
import { AccountScene } from './account-scene';
import { type Behaviour, type Fate } from './stand-in-service';

jest.setTimeout(300_000);

const CAMPAIGNS = 2;
/** Of each campaign: more than a hundred answers are lost where one of a hundred counts. */
const ROWS = { 0.99: 72, 0.95: 36 } as const;
const LOST_SHARE = 0.75;
const SEED = 15;

/** Titles as people give them: episodes of series, and what services are known to rewrite. */
const TITLES: readonly ((campaign: string, at: number) => string)[] = [
  (campaign, at) => `${campaign}: Episode ${at}`,
  (_campaign, at) => `Take ${at}:  two   spaces & an ampersand`,
  (campaign, at) => `“Part ${at}” of ${campaign} isn’t <plain> 🌱`,
  (campaign, at) => `No. ${at} of the ${campaign} series, whose title goes far beyond thirty characters`,
];

const SERVICES: readonly [shown: string, least: keyof typeof ROWS, (title: string) => string][] = [
  ['exactly as they were sent', 0.99, (title) => title],
  ['with their whitespace collapsed', 0.95, (title) => title.replaceAll(/\s+/gu, ' ')],
  [
    'HTML-encoded',
    0.95,
    (title) =>
      title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('“', '&ldquo;'),
  ],
  ['truncated', 0.95, (title) => (title.length > 30 ? `${title.slice(0, 29)}…` : title)],
];

/** Three of four creates lose their answer: of these, half had been stored. Repeats are answered. */
class Fates {
  lost = 0;
  private creates = 0;

  readonly next: Behaviour['fate'] = (_input, nth): Fate => {
    this.creates += 1;
    if (nth > 1 || seededRandom(SEED, this.creates) >= LOST_SHARE) return 'answered';
    this.lost += 1;
    return seededRandom(SEED, this.creates, 1) < 0.5 ? 'lost' : 'dropped';
  };
}

describe('lost answers that are settled without a person', () => {
  it.each(SERVICES)('on a service that shows titles %s: at least %d', async (_shown, least, show) => {
    const fates = new Fates();
    const scene = await AccountScene.open({
      stepMs: 60_000,
      behaviour: {
        show: ({ input }) => ({ title: show(input.title ?? '') }),
        fate: fates.next,
        processingMs: 30_000,
      },
    });
    try {
      for (let at = 0; at < 20; at += 1) scene.service.add({ title: `Older video ${at}` });
      for (let campaign = 0; campaign < CAMPAIGNS; campaign += 1) {
        const name = ['garden', 'kitchen'][campaign] ?? `campaign-${campaign}`;
        const rows = Array.from({ length: ROWS[least] }, (_, at) => ({
          title: TITLES[at % TITLES.length]!(name, 100 * campaign + at),
          platform: at % 2 === 0 ? 'platform_a' : 'platform_b',
        }));
        await scene.submit(name, rows);
        await scene.create();
        scene.service.add({ title: `Made by hand meanwhile ${campaign}` });
      }
      expect(await scene.finish()).toEqual([]);
      expect(scene.twice()).toEqual([]);
      const states = await scene.states();
      const left = states.filter((state) => state !== 'published').length;
      expect(fates.lost).toBeGreaterThan(1 / (1 - least));
      expect(1 - left / fates.lost).toBeGreaterThanOrEqual(least);
    } finally {
      await scene.close();
    }
  });
});
