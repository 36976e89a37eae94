import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger } from '../../../ledger/ledger';
import { openLedger } from '../../../ledger/open';
import { type RowValues } from '../../../ledger/model/types';
import { type AccountConnection } from '../../../service/accounts';
import { AccountScene, type SceneOptions } from './account-scene';
import { compareLedger } from './compare-ledger';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const CAMPAIGN = 'spring';
const EPISODES = ['Bees in winter', 'A pond for frogs', 'Pruning roses', 'Compost in a week'];

let folder: string;
let scene: AccountScene;
let restored: Ledger;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-reconcile-ledger-'));
});
afterEach(async () => {
  await restored.close();
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

interface Story {
  scene?: SceneOptions;
  rows?: readonly (string | Partial<RowValues>)[];
  /** How many of them were sent when the copy was made; all of them are sent afterwards. */
  before?: number;
  /** From the copy's creates until the others, ms. */
  laterMs?: number;
}

/** A row that is sent long after all others. */
const later = (title: string): Partial<RowValues> => ({ title, publishAt: '2026-03-09T12:00:00Z' });

/** A ledger is copied during a run, which continues; then the copy is restored. */
async function rollBack({ scene: options, rows = EPISODES, before = 2, laterMs = 20 * MINUTE }: Story): Promise<void> {
  scene = await AccountScene.open(options);
  await scene.submit(CAMPAIGN, rows.slice(0, before));
  await scene.create();
  scene.time += laterMs;
  await scene.watch();
  const entries = 2;
  await scene.submit(CAMPAIGN, rows, entries);
  const path = join(folder, 'ledger.db');
  await scene.ledger.backup(path);
  await scene.create();
  restored = await openLedger({ path }, { now: () => scene.time });
}

const connection = (): AccountConnection =>
  ({ name: 'main', client: scene.service, exclusive: false, trust429: false }) as unknown as AccountConnection;

async function reconcile() {
  const since = scene.time;
  const time = { now: () => scene.time, pass: (ms: number) => (scene.time += ms) };
  const { strays, ...found } = await compareLedger(restored, connection(), time);
  await restored.acceptRolledBack(strays);
  return { ...found, tookMs: scene.time - since };
}

async function rows() {
  const found = [];
  for await (const row of restored.results(scene.runs.get(CAMPAIGN)!)) found.push(row);
  return found;
}

const states = async () => (await rows()).map(({ state }) => state);

it('waits until the list shows what was sent last', async () => {
  await rollBack({ scene: { behaviour: { lagMs: 90 * SECOND } } });
  expect(await reconcile()).toMatchObject({ adopted: 2, unconfirmed: 0 });
  expect(await states()).not.toContain('planned');
});

it('sends what the list proves not to have been sent, two minutes later', async () => {
  await rollBack({ rows: [...EPISODES, later('A roof of grass')], laterMs: SECOND });
  const { tookMs, ...found } = await reconcile();
  expect(found).toEqual({ unowned: 2, adopted: 2, unconfirmed: 0 });
  expect((await states()).at(-1)).toBe('waiting');
  expect(tookMs).toBeGreaterThanOrEqual(2 * MINUTE);
  expect(tookMs).toBeLessThan(4 * MINUTE);
});

it('waits twice as long as the list ever took to show a create', async () => {
  await rollBack({ scene: { behaviour: { lagMs: 10 * MINUTE } }, laterMs: 11 * MINUTE });
  expect(await reconcile()).toMatchObject({ adopted: 2, unconfirmed: 0 });
});

it.each(['an upload', 'a video by URL'])('of %s, waits as after a lost answer', async (kind) => {
  const file = { sourceKind: 'file' as const, source: '/videos/roof.mp4' };
  await rollBack({ rows: [...EPISODES, { ...later('A roof of grass'), ...(kind === 'an upload' ? file : {}) }] });
  const { tookMs } = await reconcile();
  expect(tookMs).toBeGreaterThanOrEqual((kind === 'an upload' ? 15 : 2) * MINUTE);
  expect((await states()).at(-1)).toBe('waiting');
});

describe('leaves to a person what the list doesn’t prove', () => {
  const asked = async () => (await rows()).filter(({ state }) => state === 'unconfirmed');

  it('where it stays behind: a create from before the copy is missing', async () => {
    const isBehind = { since: Infinity };
    const listed = ({ at }: { at: number }) => at < isBehind.since;
    await rollBack({
      scene: { behaviour: { listed, found: listed } },
      before: 3,
      rows: [...EPISODES, 'A roof of grass'],
    });
    // From here on, list and reads show what was there before the newest create that the copy has.
    isBehind.since = scene.service.stored[0]!.at;
    const { tookMs, ...found } = await reconcile();
    expect(found).toMatchObject({ adopted: 0, unconfirmed: 2 });
    expect(tookMs).toBeGreaterThanOrEqual(30 * MINUTE);
    expect((await asked()).map(({ code, message }) => [code, message])).toEqual(
      Array(2).fill(['ledger-rolled-back', expect.stringContaining('missing from the account’s list')]),
    );
  });

  it('where titles come back as others', async () => {
    const show = ({ nth }: { nth: number }) => ({ title: `Clip number ${nth * 7919}` });
    await rollBack({ scene: { behaviour: { show } } });
    expect(await reconcile()).toMatchObject({ adopted: 0, unconfirmed: 2 });
    expect((await asked()).map(({ candidates }) => candidates.length)).toEqual([2, 2]);
  });

  it('where it never showed a create of the channel', async () => {
    const listed = ({ input }: { input: { platform: string } }) => input.platform === 'platform_a';
    const short = { platform: 'platform_a', platformKind: 'short' as const };
    const long = { platform: 'platform_b', platformKind: 'long' as const };
    const of = (values: object) => EPISODES.map((title) => ({ title, ...values }));
    const [first, second, third] = of(short);
    await rollBack({
      scene: { behaviour: { listed } },
      rows: [first!, second!, third!, { ...long, title: 'A long one' }],
    });
    expect(await reconcile()).toMatchObject({ adopted: 1, unconfirmed: 1 });
    expect((await asked())[0]?.message).toMatch(/none of your creates on its channel was ever seen/u);
  });

  it('of drafts, which no list has to show', async () => {
    const listed = ({ input }: { input: { status?: string } }) => input.status !== 'draft';
    await rollBack({
      scene: { behaviour: { listed } },
      rows: [...EPISODES.slice(0, 3), { title: 'Later, perhaps', status: 'draft' }],
    });
    expect(await reconcile()).toMatchObject({ adopted: 1, unconfirmed: 1 });
  });

  it('with `ambiguous: hold`', async () => {
    await rollBack({ scene: { ambiguous: 'hold' }, rows: [...EPISODES, later('A roof of grass')] });
    expect(await reconcile()).toMatchObject({ adopted: 2, unconfirmed: 1 });
  });
});

it('counts a record as deleted that it had seen, whose row has ended, and after which the list shows a newer one', async () => {
  await rollBack({ before: 3, rows: [...EPISODES, later('A roof of grass')] });
  const [oldest] = scene.service.stored.splice(0, 1);
  expect(oldest?.input.title).toBe(EPISODES[0]);
  expect(await reconcile()).toMatchObject({ adopted: 1 });
  expect((await states()).at(-1)).toBe('waiting');
});

describe('remembers publications that no row owns', () => {
  const elsewhere = (input: { title?: string }) => scene.service.add({ platform: 'platform_b', ...input });
  const remembered = async () => {
    const { strays } = await compareLedger(restored, connection(), {
      now: () => scene.time,
      pass: (ms) => (scene.time += ms),
    });
    return strays.map((one) => one.publication_id);
  };

  it.each([
    ['shown with titles', () => ({}), 3],
    ['shown without titles, if they are newer than the copy', () => ({ title: undefined }), 2],
  ])('%s', async (_, show, count) => {
    scene = await AccountScene.open({ behaviour: { show } });
    elsewhere({ title: 'A bird in the hand' });
    await scene.submit(CAMPAIGN, EPISODES.slice(0, 2));
    await scene.create();
    await scene.watch();
    const path = join(folder, 'ledger.db');
    await scene.ledger.backup(path);
    scene.time += MINUTE;
    const lost = [elsewhere({ title: EPISODES[2]! }), elsewhere({ title: 'Something else' })];
    restored = await openLedger({ path }, { now: () => scene.time });
    const found = await remembered();
    expect(found).toHaveLength(count);
    expect(found).toEqual(expect.arrayContaining(lost.map(({ id }) => id)));
  });
});
