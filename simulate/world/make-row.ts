import { type WorldRandom } from './random';
import { manyOf, SECOND, TITLES } from './parts';
import { type Fate, type FileChange, type WorldCampaign, type WorldRow } from './world';

/** Maximum time until a request is stored, well within the settling time. */
const LATE_MOST_MS = 2_200;

export function row(random: WorldRandom, limits: { hides: boolean; late: boolean }): WorldRow {
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

export function fate(random: WorldRandom, limits: { hides: boolean; late: boolean }): Fate {
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

export function campaign(random: WorldRandom, at: number, limits: { hides: boolean; late: boolean }): WorldCampaign {
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
