import { WorldRandom } from './random';
import { CRASH_POINTS } from '../actors/points';
import {
  withLateAnswer,
  withLateRetry,
  withNotices,
  withPendingDraft,
  withSchedule,
  withShortPages,
  withSimilarTitle,
  withStaleList,
} from './aimed-worlds';
import { manyOf, SECOND, TITLES } from './parts';
import {
  type Fate,
  type FileChange,
  type World,
  type WorldCampaign,
  type WorldCommand,
  type WorldIncident,
  type WorldRow,
} from './world';

/** Later than the settling time: documented limits begin here (docs/explanation/limits.md). */
const LONG_LAG_MS = 8 * SECOND;
/** Maximum time until a request is stored, well within the settling time. */
const LATE_MOST_MS = 2_200;

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
  return random.chance(0.03) ? withSimilarTitle(random, world) : world;
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
    service,
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

function campaign(random: WorldRandom, at: number, limits: { hides: boolean; late: boolean }): WorldCampaign {
  // Most faults show with one or two rows, and small worlds run faster.
  const rows = random.weighed([
    [5, 1],
    [3.6, 2],
    [0.7, 3],
    [0.15, 5],
    [0.03, 12],
  ] as const);
  return {
    rows: manyOf(rows, () => row(random, limits)),
    atMs: at === 0 ? 0 : random.whole(0, 8 * SECOND),
    ambiguous: random.chance(0.1) ? 'hold' : 'reconcile',
    width: random.pick([1, 2, 4]),
    ...(random.chance(0.1) ? { minGapMs: 2_000 } : {}),
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

function row(random: WorldRandom, limits: { hides: boolean; late: boolean }): WorldRow {
  const sent = random.weighed([
    [8, {}],
    [1.5, { sent: 'file' }],
    [0.5, { sent: 'direct' }],
    [0.6, { sent: 'draft' }],
  ] as const);
  const made = anyRow(random, limits);
  if (!('sent' in sent)) return made;
  const { fates, failing, ...others } = { ...made, ...sent };
  if (sent.sent === 'draft') return { ...others, fates, failing: [] };
  const file = random.chance(0.5) ? { file: fileChange(random) } : {};
  if (sent.sent === 'file') return { ...others, ...file, fates, failing };
  // If nothing of it can be read, the service's answer is all there is (docs/explanation/limits.md).
  const isReadable = ({ answers, stores }: Fate): boolean =>
    answers !== 'another-id' && (stores === 'never' || (answers !== 403 && answers !== 422));
  return { ...others, ...file, fates: fates.filter(isReadable), failing: [] };
}

/**
 * Reads of one upload: for its type, to open it, when opened, a read of all of it, when it was sent, and finally at its
 * path.
 */
const STYLES = 6;
const READ = 4;

function fileChange(random: WorldRandom): FileChange {
  const becomes = ['longer', 'shorter', 'rewritten', 'replaced', 'gone'] as const;
  const look = random.chance(0.4) ? READ : random.whole(1, STYLES + 2);
  return { look, becomes: random.pick(becomes) };
}

function anyRow(random: WorldRandom, limits: { hides: boolean; late: boolean }): WorldRow {
  return {
    title: random.pick(TITLES),
    platform: random.pick(['platform_a', 'platform_b']),
    fates: manyOf(
      random.weighed([
        [4, 0],
        [4, 1],
        [2, 2],
      ] as const),
      () => fate(random, limits),
    ),
    failing: random.chance(0.08) ? [1] : [],
    ...(random.chance(0.1) ? { publishAtMs: random.whole(0, 12 * SECOND) } : {}),
  };
}

function fate(random: WorldRandom, limits: { hides: boolean; late: boolean }): Fate {
  const lost: Fate['answers'] = random.pick(['cut', 'never']);
  const late = { lateMs: random.whole(200, LATE_MOST_MS) };
  const chosen = random.weighed<Fate>([
    [5, { stores: 'at-once', answers: lost }],
    [3, { stores: 'never', answers: lost }],
    [3, { stores: late, answers: lost }],
    [2, { stores: 'at-once', answers: random.pick([500, 502, 504, 408, 409]) }],
    [1, { stores: 'never', answers: random.pick([500, 503]) }],
    [1, { stores: 'at-once', answers: 'garbage' }],
    [
      1,
      {
        stores: random.pick(['at-once', 'never']),
        answers: random.pick([429, 503]),
        retryAfterS: random.whole(1, 4),
      },
    ],
    [1, { stores: 'never', answers: 'unreachable' }],
    [1, { stores: 'at-once', answers: random.pick([403, 422]) }],
    [1, { stores: 'never', answers: random.pick([400, 403, 422]) }],
    [1, { stores: 'at-once', answers: 'another-id' }],
  ]);
  // A service that stores what it refuses, and hides it, is trusted (docs/explanation/limits.md).
  const believed = chosen.answers === 403 || chosen.answers === 422;
  if (believed && (limits.hides || (limits.late && chosen.answers === 422))) return { ...chosen, stores: 'never' };
  return chosen;
}

/** A worker that doesn't come back for the rest of the world. */
const FOR_GOOD_MS = 3_600 * SECOND;

function incident(random: WorldRandom, hosts: readonly number[]): WorldIncident {
  const workers = hosts.length;
  // On another host its death can't be proven: it stays silent, or has an answer that it records much later.
  if (workers > 1 && hosts[1] !== hosts[0] && random.chance(0.4)) {
    const points = ['POST answered', 'record before', 'record before', 'claim after', 'POST sent'] as const;
    const base = { worker: 1, point: random.pick(points), nth: random.whole(1, 2) };
    return random.chance(0.3)
      ? { ...base, does: 'crash', forMs: FOR_GOOD_MS }
      : { ...base, does: 'freeze', forMs: 25 * SECOND };
  }
  return {
    worker: random.whole(0, workers - 1),
    point: random.pick(CRASH_POINTS),
    nth: random.weighed([
      [6, 1],
      [3, 2],
      [1, random.whole(3, 6)],
    ] as const),
    does: random.chance(0.6) ? 'crash' : 'freeze',
    forMs: random.pick([300, 2 * SECOND, 8 * SECOND, 20 * SECOND]),
  };
}

/** When a person acts exactly in between: a run is about to close, a row about to be settled. */
const MOMENTS = ['finishRun before', 'finishRun after', 'settle before', 'recordEnds after', 'claim after'] as const;

function command(random: WorldRandom, campaigns: number): WorldCommand {
  return {
    atMs: random.whole(0, 25 * SECOND),
    ...(random.chance(0.3) ? { on: random.pick(MOMENTS) } : {}),
    campaign: random.whole(0, campaigns - 1),
    does: random.weighed([
      [3, 'submit-again'],
      [2, 'submit-more'],
      [2, 'pause'],
      [1, 'resume'],
      [1, 'cancel'],
      [3, 'retry'],
      [3, 'resolve'],
      [1, 'give-up'],
      [1, 'cancel-in-temporal'],
      [2, 'terminate'],
      [1, 'fire'],
    ] as const),
  };
}

/** Drafts are changed, some before they exist. */
function draftCommands(random: WorldRandom, campaigns: number): WorldCommand[] {
  return manyOf(random.whole(1, 3), () => ({
    atMs: random.whole(0, 20 * SECOND),
    campaign: random.whole(0, campaigns - 1),
    does: random.pick(['change-drafts', 'pend-drafts', 'replace-drafts', 'replace-drafts']),
  }));
}

function window(random: WorldRandom): { atMs: number; forMs: number } {
  return { atMs: random.whole(0, 12 * SECOND), forMs: random.pick([1 * SECOND, 4 * SECOND, 12 * SECOND]) };
}
