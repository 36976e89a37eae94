import { WorldRandom } from './random';
import {
  withLateAnswer,
  withLateRetry,
  withNotices,
  withPendingDraft,
  withRenamedRow,
  withSchedule,
  withShortPages,
  withSimilarTitle,
  withStaleList,
} from './aimed-worlds';
import { manyOf, SECOND, TITLES } from './parts';
import { type Fate, type World, type WorldCampaign } from './world';
import { campaign } from './make-row';
import { command, draftCommands, incident, window } from './make-incidents';

/** Later than the settling time: documented limits begin here (docs/explanation/limits.md). */
const LONG_LAG_MS = 8 * SECOND;

/** The world of a seed. */
export function makeWorld(seed: number): World {
  const random = new WorldRandom(seed);
  const world = anyWorld(random);
  if (random.chance(0.06)) return withStaleList(random, world);
  if (random.chance(0.08)) return withNotices(random, withSchedule(random, world));
  if (random.chance(0.06)) return withNotices(random, world);
  if (random.chance(0.03)) return withPendingDraft(random, world);
  if (random.chance(0.04)) return withLateRetry(random, world);
  if (random.chance(0.03)) return withLateAnswer(random, world);
  if (random.chance(0.03)) return withShortPages(random, world);
  if (random.chance(0.03)) return withSimilarTitle(random, world);
  return random.chance(0.05) ? withRenamedRow(random, world) : world;
}

function anyWorld(random: WorldRandom): World {
  const lagMs = random.weighed([
    [5, 0],
    [2, 400],
    [1, LONG_LAG_MS],
    [1, 20 * SECOND],
  ] as const);
  const hides = random.weighed([
    [8, 'nothing'],
    [1, 'a platform'],
    [1, 'what is processing'],
  ] as const);
  const limits = { hides: hides !== 'nothing', late: lagMs >= LONG_LAG_MS };
  const service = {
    titles: random.weighed([
      [6, 'exactly'],
      [1, 'lower-cased'],
      [1, 'encoded'],
      [1, 'truncated'],
      [1, 'plain'],
      [2, 'not at all'],
      [1, 'as something else'],
    ] as const),
    order: random.weighed([
      [5, 'newest first'],
      [1, 'by second, then id'],
      [1, 'oldest first'],
      [1, 'by id'],
    ] as const),
    hides,
    renamesPlatforms: random.chance(0.15),
    pageMax: random.weighed([
      [3, 100],
      [1, 20],
      [2, 3],
    ] as const),
    hasTotal: random.chance(0.7),
    hasDate: random.chance(0.8),
    showsCreatedAt: random.chance(0.4),
    lagMs,
    processingMs: random.pick([200, 1 * SECOND, 5 * SECOND]),
    glitches: random.chance(0.25),
    failingReads: random.weighed([
      [4, 0],
      [2, 0.05],
      [1, 0.3],
    ] as const),
    ...(random.chance(0.5) ? { publishesPendingMs: random.pick([100, 1 * SECOND, 4 * SECOND]) } : {}),
    ...(random.chance(0.2) ? { listsDirect: random.pick(['under its id', 'under another id'] as const) } : {}),
  };
  const campaigns: WorldCampaign[] = manyOf(
    random.weighed([
      [8, 1],
      [2.2, 2],
      [0.1, 3],
    ] as const),
    (at) => campaign(random, at, limits),
  );
  const liesAboutIds = campaigns.some(({ rows }) =>
    rows.some(({ fates }) => fates.some(({ answers }) => answers === 'another-id')),
  );
  const hosts = random.weighed([
    [4, [0]],
    [4, [0, 0]],
    [3, [0, 1]],
  ] as const);
  const hasDrafts = campaigns.some(({ rows }) => rows.some(({ sent }) => sent === 'draft'));
  return {
    order: random.whole(1, 2 ** 31),
    campaigns: liesAboutIds ? campaigns.map(withoutRetries) : campaigns,
    // Without titles nothing shows that an answer's id is another create's (docs/explanation/limits.md).
    service: liesAboutIds && service.titles === 'not at all' ? { ...service, titles: 'exactly' } : service,
    workers: hosts,
    exclusive: false,
    incidents: manyOf(
      random.weighed([
        [3, 0],
        [4, 1],
        [2, 2],
        [1, 4],
      ] as const),
      () => incident(random, hosts),
    ),
    commands: manyOf(
      random.weighed([
        [4, 0],
        [4, 1],
        [1, 3],
      ] as const),
      () => command(random, campaigns.length),
    ).concat(hasDrafts ? draftCommands(random, campaigns.length) : []),
    older: manyOf(
      random.weighed([
        [3, 0],
        [3, random.whole(1, 5)],
        [0.3, 130],
      ] as const),
      () => random.pick(TITLES),
    ),
    others: manyOf(
      random.weighed([
        [4, 0],
        [1, 2],
        [1, 5],
      ] as const),
      (at) => ({
        atMs: random.whole(0, 20 * SECOND),
        title: `Somebody else’s ${at * 37}`,
      }),
    ),
    deletions: [],
    ...(random.chance(0.15) ? { listOutage: window(random) } : {}),
    ...(random.chance(0.1) ? { outage: window(random) } : {}),
    ...(random.chance(0.15) ? { fullDisk: { ...window(random), spoolToo: random.chance(0.3) } } : {}),
    lostEnds: random.weighed([
      [4, 0],
      [1, 0.1],
    ] as const),
    clock: {
      aheadMs: random.weighed([
        [4, 0],
        [1, -75 * SECOND],
        [1, 75 * SECOND],
      ] as const),
      jumpAtMs: random.whole(0, 15 * SECOND),
      jumpByMs: random.weighed([
        [5, 0],
        [1, 50 * SECOND],
        [1, -50 * SECOND],
      ] as const),
    },
  };
}

/** A row that takes another's publication, because it was answered with its id, and is retried after that one has failed. */
function withoutRetries(campaign: WorldCampaign): WorldCampaign {
  const answered = ({ stores, ...fate }: Fate): Fate => ({
    ...fate,
    stores: fate.answers === 403 || fate.answers === 422 ? 'never' : stores,
  });
  return { ...campaign, rows: campaign.rows.map((one) => ({ ...one, failing: [], fates: one.fates.map(answered) })) };
}
