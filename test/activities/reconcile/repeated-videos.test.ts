import { type Publication } from '../../../service/api/publication';
import { AccountScene } from './account-scene';
import { type Behaviour, type Fate, type Stored } from './stand-in-service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const FATES = ['answered', 'lost', 'dropped'] as const;
const SOURCE = 'https://videos.example/bees.mp4';

const titles: Record<string, (stored: Stored) => Partial<Publication>> = {
  'as they were sent': () => ({}),
  'as others': ({ nth }) => ({ title: `Clip number ${nth * 7919}` }),
};

const lags = { 'at once': 0, '90 s late': 90 * SECOND };

let scene: AccountScene;
afterEach(() => scene.close());

/** Creates of the video by its try: the first is one row's, the second the other's, each further one a repetition. */
async function play(
  behaviour: Partial<Behaviour>,
  fates: readonly Fate[],
  { exclusive, campaigns }: { exclusive: boolean; campaigns: readonly string[] },
): Promise<void> {
  const fate = ({ source }: { source: { kind: string; url?: string } }, nth: number): Fate =>
    source.url === SOURCE ? (fates[nth - 1] ?? 'answered') : 'answered';
  scene = await AccountScene.open({ exclusive, behaviour: { ...behaviour, fate: fate } });
  await scene.submit('before', ['A pond for frogs', 'Pruning roses']);
  await scene.create();
  // The list has shown them, so that it is proven.
  for (let rounds = 0; rounds < 30; rounds += 1) {
    scene.time += MINUTE;
    await scene.watch();
  }
  const twin = { title: 'Bees in winter', source: SOURCE, sourceKind: 'url' as const };
  if (campaigns.length === 1) await scene.submit('spring', [twin, twin]);
  else for (const campaign of campaigns) await scene.submit(campaign, [twin]);
  await scene.finish(12);
}

const PAIRS = FATES.flatMap((one) => FATES.map((two) => [one, two] as const)).filter(
  (pair) => !pair.every((fate) => fate === 'answered'),
);
const CASES = Object.keys(titles).flatMap((shown) =>
  (Object.keys(lags) as (keyof typeof lags)[]).flatMap((listed) =>
    PAIRS.flatMap(([one, two]) => ['one campaign', 'two campaigns'].map((of) => ({ shown, listed, one, two, of }))),
  ),
);

it.each(CASES)(
  'two rows of $of with one video, title and channel are out twice at most: titles $shown, listed $listed, the first create $one, the second $two',
  async ({ shown, listed, one, two, of }) => {
    const campaigns = of === 'one campaign' ? ['spring'] : ['spring', 'summer'];
    const exclusive = shown === 'as others';
    await play({ show: titles[shown]!, lagMs: lags[listed] }, [one, two], { exclusive, campaigns });
    const stored = scene.service.timesBySource().get(SOURCE) ?? 0;
    const rows = (await scene.rows()).filter(({ run }) => !run?.startsWith('before'));
    const asked = rows.filter(({ state }) => state === 'unconfirmed').length;
    const live = rows.flatMap(({ state, publication_id: id }) => (state === 'published' ? [id] : []));
    expect(live.length + asked).toBe(2);
    expect(new Set(live).size).toBe(live.length);
    expect(stored).toBeLessThanOrEqual(2);
    if (asked === 0) expect(stored).toBe(2);
    // One of them is known, and nothing hides the other: no one is asked.
    const isPlain = shown === 'as they were sent' && [one, two].includes('answered');
    if (isPlain) expect(asked).toBe(0);
  },
);
