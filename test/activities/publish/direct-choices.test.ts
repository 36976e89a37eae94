import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenChoices } from '../../../sandbox/faults/open-choices';
import { defaultProfiles } from '../../../sandbox/profiles';
import { Harness } from '../harness';
import { compareLedger } from '../reconcile/compare-ledger';

let folder: string;
let harness: Harness;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-direct-'));
});
afterEach(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

const CHOICES: Partial<OpenChoices>[] = [
  {},
  { directStatus: 201 },
  { directStatus: 202 },
  { directStatus: 203 },
  { directListed: true },
  { directListed: true, echoTitle: true, echoProfile: true, echoCreatedAt: true },
];

/** A direct publish beside a row of the same title whose answer is lost. */
async function openPair(open: Partial<OpenChoices>, exclusive = false): Promise<void> {
  const source = join(folder, 'clip.mp4');
  await copyFile(join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4'), source);
  const [profile] = defaultProfiles(1, { short: 'platform_a', long: 'platform_b', photo: 'platform_c' });
  const common = {
    title: 'Same',
    profileId: profile?.id ?? null,
    platform: 'platform_b',
    platformKind: 'long' as const,
  };
  harness = await Harness.open({
    rows: 2,
    exclusive,
    sandbox: { open, faults: ['create -> lost accept=false'] },
    values: (index) => (index === 0 ? { ...common, via: 'direct', source, sourceKind: 'file' } : common),
  });
}

test.each(CHOICES)(
  'a direct publish is submitted, and no other row’s publication, where the service chose %j',
  async (open) => {
    await openPair(open);
    await harness.create();
    await harness.finish();
    const [direct, other] = await harness.results();
    expect(direct).toMatchObject({
      state: 'submitted',
      publish_id: expect.any(String),
      publication_id: null,
      code: null,
    });
    expect(direct?.message).toMatch(/no outcome can be read/u);
    expect(other?.publication_id).toBeNull();
    expect(harness.sandbox.log().filter(({ kind }) => kind === 'direct')).toHaveLength(1);
  },
);

test.each([
  ['titles that are shown', { echoTitle: true }, false],
  ['an account of one’s own', {}, true],
])(
  'what may be a direct publish under another id is not taken for a lost create, by %s',
  async (_, open, exclusive) => {
    await openPair(open, exclusive);
    await harness.create();
    const listed = await harness.sandbox.injectPublication('Same');
    await harness.finish();
    const [, other] = await harness.results();
    expect(other).toMatchObject({ state: 'unconfirmed', publication_id: null, candidates: [listed] });
  },
);

const LISTED = { directListed: true, echoTitle: true, echoProfile: true, echoCreatedAt: true };

describe('a ledger that is reconciled with the service', () => {
  const compare = () => compareLedger(harness.ledger, harness.deps.accounts.get('main'));
  /** Nothing could be the other row's, but the list has never shown a create of its channel. */
  const expectUnproven = async () => {
    const [direct, other] = await harness.results();
    expect(direct?.state).toBe('submitted');
    const message = expect.stringMatching(/none of your creates on its channel/u);
    expect(other).toMatchObject({ state: 'unconfirmed', candidates: [], message });
  };

  test('leaves out what is listed under the id of a direct publish', async () => {
    await openPair(LISTED);
    await harness.createFirst();
    expect(await compare()).toEqual({ unowned: 0, adopted: 0, unconfirmed: 1, strays: [] });
    await expectUnproven();
  });

  test('leaves out what a person has named as a direct publish', async () => {
    await openPair({ echoTitle: true });
    const { run } = harness;
    const [channel] = await harness.ledger.channels(run);
    const [row] = await harness.ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    await harness.ledger.claim({ rowId: row!.id, run, worker: harness.deps.worker.id, now: Date.now() });
    await harness.ledger.record(row!.id, 1, { kind: 'unknown', code: 'lost', message: 'cut off' });
    await harness.ledger.settle(row!.id, 1, { kind: 'unconfirmed', code: 'x', message: 'x', candidates: [] });
    const listed = await harness.sandbox.injectPublication('Same');
    const decision = { kind: 'submitted', publishId: listed } as const;
    await harness.ledger.resolve({ run, key: 'k0', decision, by: 'ana' });
    expect(await compare()).toMatchObject({ unowned: 0, adopted: 0, unconfirmed: 1 });
    await expectUnproven();
  });

  test('asks where a publication may be a direct publish under another id', async () => {
    await openPair({ echoTitle: true });
    await harness.createFirst();
    const listed = await harness.sandbox.injectPublication('Same');
    expect(await compare()).toMatchObject({ unowned: 1, adopted: 0, unconfirmed: 1 });
    expect((await harness.results())[1]).toMatchObject({ state: 'unconfirmed', candidates: [listed] });
  });
});
