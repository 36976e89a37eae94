import { type World, type WorldCampaign, type WorldRow } from './world';

/** Maximum number of steps of shrinking a world. */
const MOST_TRIES = 400;

const CALM_SERVICE: World['service'] = {
  titles: 'exactly',
  order: 'newest first',
  hides: 'nothing',
  renamesPlatforms: false,
  pageMax: 100,
  hasTotal: true,
  hasDate: true,
  showsCreatedAt: false,
  lagMs: 0,
  processingMs: 1_000,
  glitches: false,
  failingReads: 0,
};

/**
 * Leaves out of a world everything without which it still fails, and tries other orders of what is left.
 * @returns the smallest world found for which `fails` holds
 */
export async function shrink(world: World, fails: (world: World) => Promise<boolean>): Promise<World> {
  let smallest = world;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MOST_TRIES;) {
    isSmaller = false;
    for (const candidate of smallerWorlds(smallest)) {
      if (tries >= MOST_TRIES) break;
      let found: World | undefined;
      for (const order of [smallest.order, smallest.order + 1, smallest.order + 2]) {
        tries += 1;
        const ordered = { ...candidate, order };
        if (!(await fails(ordered))) continue;
        found = ordered;
        break;
      }
      if (found === undefined) continue;
      smallest = found;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Each with one thing less, the largest things first. */
function* smallerWorlds(world: World): Generator<World> {
  for (const name of ['campaigns', 'incidents', 'commands', 'others', 'deletions', 'older'] as const) {
    const least = name === 'campaigns' ? 1 : 0;
    if (world[name].length > least + 1) yield { ...world, [name]: world[name].slice(0, least) };
    for (let at = world[name].length - 1; at >= 0 && world[name].length > least; at -= 1) {
      // A campaign's number is its rows' name: only the last can be removed.
      if (name === 'campaigns' && at !== world[name].length - 1) continue;
      yield { ...world, [name]: world[name].filter((_, index) => index !== at) };
    }
  }
  for (const name of ['listOutage', 'staleList', 'outage', 'fullDisk', 'notices'] as const) {
    const { [name]: left, ...others } = world;
    if (left !== undefined) yield others;
  }
  for (const [at, campaign] of world.campaigns.entries()) {
    for (const smaller of smallerCampaigns(campaign))
      yield { ...world, campaigns: world.campaigns.map((one, index) => (index === at ? smaller : one)) };
  }
  if (world.workers.length > 1 && world.incidents.every(({ worker }) => worker === 0))
    yield { ...world, workers: [world.workers[0] ?? 0] };
  if (world.lostEnds > 0) yield { ...world, lostEnds: 0 };
  if (world.clock.aheadMs !== 0 || world.clock.jumpByMs !== 0)
    yield { ...world, clock: { aheadMs: 0, jumpAtMs: 0, jumpByMs: 0 } };
  for (const [name, calm] of Object.entries(CALM_SERVICE)) {
    const key = name as keyof World['service'];
    if (world.service[key] !== calm) yield { ...world, service: { ...world.service, [key]: calm } };
  }
}

function* smallerCampaigns(campaign: WorldCampaign): Generator<WorldCampaign> {
  const { rows } = campaign;
  if (rows.length > 1) yield { ...campaign, rows: rows.slice(0, -1) };
  for (const [at, row] of rows.entries()) {
    for (const smaller of smallerRows(row))
      yield { ...campaign, rows: rows.map((one, index) => (index === at ? smaller : one)) };
  }
  if (campaign.width > 1) yield { ...campaign, width: 1 };
  if (campaign.atMs > 0) yield { ...campaign, atMs: 0 };
  const { minGapMs, ...unpaced } = campaign;
  if (minGapMs !== undefined) yield unpaced;
}

function* smallerRows(row: WorldRow): Generator<WorldRow> {
  if (row.fates.length > 0) yield { ...row, fates: row.fates.slice(0, -1) };
  if (row.failing.length > 0) yield { ...row, failing: [] };
  const { file, ...steady } = row;
  if (file !== undefined) yield steady;
  const { publishAtMs, ...prompt } = row;
  if (publishAtMs !== undefined) yield prompt;
}
