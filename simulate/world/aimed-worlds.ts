import { type WorldRandom } from './random';
import { manyOf, SECOND, TITLES } from './parts';
import { type Fate, type World, type WorldRow } from './world';

/** A create is lost, and listed on another page than those that went well. */
export function withShortPages(random: WorldRandom, world: World): World {
  const lost = random.whole(0, 3);
  const rows = manyOf(4, (at): WorldRow => ({
    title: `Part ${at + 1} of everything`,
    platform: 'platform_b',
    fates: at === lost ? [{ stores: 'at-once', answers: random.pick(['cut', 'never']) }] : [],
    failing: [],
  }));
  const service = { ...world.service, titles: 'exactly', hides: 'nothing', lagMs: 0, glitches: false, failingReads: 0 };
  return {
    ...world,
    campaigns: [{ rows, atMs: 0, ambiguous: 'reconcile', width: 1 }],
    service: { ...service, order: random.pick(['by id', 'oldest first']), pageMax: random.whole(2, 3) },
    older: manyOf(random.whole(0, 6), () => random.pick(TITLES)),
  };
}

/** A create that never happened, and another client's publication with almost its title. */
export function withSimilarTitle(random: WorldRandom, world: World): World {
  const lost: Fate = { stores: 'never', answers: random.pick(['cut', 'never']) };
  const rows: WorldRow[] = [
    { title: 'Harvest of the early apples', platform: 'platform_b', fates: [], failing: [] },
    { title: 'Winter bees', platform: 'platform_b', fates: [lost], failing: [] },
  ];
  return {
    ...world,
    campaigns: [{ rows, atMs: 0, ambiguous: 'reconcile', width: 1 }],
    service: { ...world.service, titles: 'exactly', hides: 'nothing', lagMs: 0 },
    older: [],
    others: [{ atMs: random.whole(1 * SECOND, 5 * SECOND), title: 'Winter beers' }],
  };
}

/** Notices are configured; most deliveries fail at first. */
export function withNotices(random: WorldRandom, world: World): World {
  const deliveries = () =>
    manyOf(random.whole(0, 3), () => random.pick(['fails', 'hangs', 'is lost', 'well'] as const));
  return {
    ...world,
    notices: {
      ...(random.chance(0.7) ? { command: deliveries() } : {}),
      ...(random.chance(0.7) ? { url: deliveries() } : {}),
      ...(random.chance(0.3) ? { neverHeard: true } : {}),
    },
  };
}

/** A draft is made pending and then replaced, by a worker that pauses while the service publishes it. */
export function withPendingDraft(random: WorldRandom, world: World): World {
  const [first] = world.campaigns;
  const [row] = first?.rows ?? [];
  if (first === undefined || row === undefined) return world;
  const { title, platform } = row;
  const rows: WorldRow[] = [{ title, platform, sent: 'draft', fates: [], failing: [] }];
  return {
    ...world,
    campaigns: [{ ...first, atMs: 0, rows }],
    service: { ...world.service, publishesPendingMs: random.whole(3, 6) * SECOND },
    workers: [0],
    incidents: [{ worker: 0, point: 'claim before', nth: 2, does: 'freeze', forMs: random.whole(2, 6) * SECOND }],
    commands: [
      { atMs: 6 * SECOND, campaign: 0, does: 'pend-drafts' },
      { atMs: 7 * SECOND + random.whole(0, 2 * SECOND), campaign: 0, does: 'replace-drafts' },
    ],
  };
}

/** Points at which firings are interrupted. */
const FIRING_POINTS = [
  ...(['open before', 'open after', 'submit before', 'submit before', 'submit after', 'startCampaign before'] as const),
  ...(['end before', 'end after', 'note before', 'mark after', 'matchingTimes before'] as const),
] as const;

/** A schedule submits the first campaign, and its firings come close to one another. */
export function withSchedule(random: WorldRandom, world: World): World {
  const [first, ...others] = world.campaigns;
  if (first === undefined) return world;
  const rows = first.rows.map(({ title, platform, fates, failing }) => ({ title, platform, fates, failing }));
  const times = manyOf(random.whole(2, 4), (at) => 1_500 + at * 3 * SECOND + random.whole(0, 2 * SECOND));
  const does = [
    ...([
      'trigger',
      'pause-schedule',
      'unpause-schedule',
      'reset-firing',
      'terminate-firing',
      'cancel-firing',
    ] as const),
    ...(['write-manifest', 'write-manifest', 'terminate', 'pause', 'resume', 'cancel', 'retry', 'resolve'] as const),
  ] as const;
  return {
    ...world,
    campaigns: [{ ...first, rows }, ...others],
    // A worker's clock always differs slightly from the server's.
    clock: { aheadMs: random.pick([0, -300, 300]), jumpAtMs: 0, jumpByMs: 0 },
    schedule: {
      campaign: 0,
      times,
      take: random.pick([null, 1, 1, 2]),
      overlap: random.pick(['skip', 'wait', 'join']),
      ...(random.chance(0.2) ? { away: { atMs: 2 * SECOND, forMs: random.whole(1, 8) * SECOND } } : {}),
      ...(random.chance(0.3) ? { twice: random.whole(0, times.length - 1) } : {}),
    },
    incidents: manyOf(random.whole(0, 2), () => ({
      worker: random.whole(0, world.workers.length - 1),
      point: random.chance(0.3) ? 'submit before' : random.pick(FIRING_POINTS),
      nth: random.whole(1, 2),
      does: random.chance(0.4) ? 'crash' : 'freeze',
      forMs: random.pick([2 * SECOND, 14 * SECOND, 20 * SECOND]),
    })),
    commands: [
      ...manyOf(random.whole(0, 3), () => ({
        atMs: random.whole(0, 16 * SECOND),
        campaign: 0,
        does: random.pick(does),
      })),
      // The manifest is being written when it is about to be read.
      ...manyOf(random.whole(0, 1), () => ({
        atMs: (times[0] ?? 0) - random.whole(0, 800),
        campaign: 0,
        does: 'write-manifest' as const,
      })),
    ],
  };
}

/** A person retries a refused row right when its run is about to close, with a worker that pauses. */
export function withLateRetry(random: WorldRandom, world: World): World {
  const [first, ...others] = world.campaigns;
  if (first === undefined) return world;
  const refused: Fate = { stores: 'never', answers: random.pick([400, 422]) };
  const [row, ...rows] = first.rows;
  if (row === undefined) return world;
  return {
    ...world,
    campaigns: [{ ...first, rows: [{ ...row, fates: [refused] }, ...rows] }, ...others],
    workers: [0],
    incidents: [{ worker: 0, point: 'finishRun before', nth: 1, does: 'freeze', forMs: 3 * SECOND }],
    commands: [{ atMs: 0, on: 'finishRun before', campaign: 0, does: 'retry' }],
  };
}

/** The video of a refused row, which the service may have stored, comes back under a new key. */
export function withRenamedRow(random: WorldRandom, world: World): World {
  const [first] = world.campaigns;
  const [row, ...rows] = first?.rows ?? [];
  if (first === undefined || row === undefined || row.sent === 'direct') return world;
  const refused: Fate = { stores: random.chance(0.7) ? 'at-once' : 'never', answers: 422 };
  return {
    ...world,
    campaigns: [{ ...first, rows: [{ ...row, fates: [refused] }, ...rows.map((one) => ({ ...one, fates: [] }))] }],
    // A service that stores what it refuses, and hides it, is trusted (docs/explanation/limits.md).
    service: { ...world.service, hides: 'nothing', lagMs: 0 },
    commands: [
      ...world.commands.filter(({ campaign }) => campaign === 0),
      { atMs: random.whole(1, 12) * SECOND, campaign: 0, does: 'rename' },
    ],
  };
}

/** The answer that a run no longer waits for, from a worker on another host, comes when the run is about to close. */
export function withLateAnswer(random: WorldRandom, world: World): World {
  const [first, ...others] = world.campaigns;
  const [row] = first?.rows ?? [];
  if (first === undefined || row === undefined) return world;
  const { title, platform } = row;
  return {
    ...world,
    campaigns: [{ ...first, rows: [{ title, platform, fates: [], failing: [] }] }, ...others],
    service: { ...world.service, lagMs: 30 * SECOND, processingMs: 5 * SECOND },
    workers: [0, 1],
    incidents: [
      { worker: 1, point: 'record before', nth: 1, does: 'freeze', forMs: random.whole(14, 24) * SECOND },
      { worker: 0, point: 'finishRun before', nth: 1, does: 'freeze', forMs: random.whole(4, 14) * SECOND },
    ],
    commands: [],
  };
}

/**
 * The list, or every read, stops for longer than the settling time, or goes back to an earlier state. This shows if a
 * successful create isn't in it, so one happened before (and its answer was recorded): without one, this is a
 * documented limit (docs/explanation/limits.md).
 */
export function withStaleList(random: WorldRandom, world: World): World {
  const nth = random.whole(2, 3);
  const byId = random.chance(0.7);
  // What is hidden was seen before: another create is sent only once the one before it has ended.
  const goesBack = byId && random.chance(0.6);
  const rows = manyOf(6, (at): WorldRow => {
    const lost: Fate = { stores: 'at-once', answers: random.pick(['cut', 'never']) };
    return {
      title: `Part ${at + 1} of ${random.pick(TITLES) ?? 'something'}`,
      platform: 'platform_b',
      fates: at >= nth && random.chance(0.6) ? [lost] : [],
      failing: [],
    };
  });
  return {
    order: world.order,
    exclusive: world.exclusive,
    older: world.older,
    deletions: world.deletions,
    campaigns: [{ rows, atMs: 0, ambiguous: 'reconcile', width: 1, ...(goesBack ? { minGapMs: 4 * SECOND } : {}) }],
    service: {
      ...world.service,
      ...{ titles: 'exactly', hides: 'nothing', lagMs: 0, glitches: false, failingReads: 0 },
      ...(goesBack ? { processingMs: 200 } : {}),
    },
    workers: [0],
    incidents: [],
    commands: [],
    others: [],
    staleList: {
      nth,
      forMs: random.whole(7, 14) * SECOND,
      ...(byId ? { byId, ...(goesBack ? { afterMs: 3 * SECOND } : {}) } : {}),
    },
    lostEnds: 0,
    clock: { aheadMs: 0, jumpAtMs: 0, jumpByMs: 0 },
  };
}
