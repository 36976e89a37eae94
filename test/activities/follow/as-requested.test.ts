import { noticeText } from '../../../activities/notices/notice-text';
import { runDetails } from '../../../workflows/details';
import { type RowValues } from '../../../ledger/model/types';
import { BEHAVIOURS, type BehaviourName } from '../../../sandbox/behaviours';
import { Harness } from '../harness';

const long = (changes: Partial<RowValues> = {}): Partial<RowValues> => ({
  platform: 'platform_b',
  platformKind: 'long',
  title: ' Tom  & “Zoë”’s 🎬 trip around the whole world ',
  description: ' A\nB, which is long enough for a list to cut it somewhere in its middle ',
  privacy: 'private',
  ...changes,
});

let harness: Harness;
afterEach(() => harness.close());

async function ended(options: Parameters<typeof Harness.open>[0]) {
  harness = await Harness.open({ rows: 1, values: () => long(), ...options });
  await harness.create();
  await harness.finish();
  const [row] = await harness.results();
  return row;
}

test('a row that is live with another privacy is published, and says so in watch, details and notice', async () => {
  const open = { echoTitle: true } as const;
  const row = await ended({ rows: 2, sandbox: { open, faults: ['create nth=1 -> store-as privacy=public'] } });
  expect(row).toMatchObject({
    state: 'published',
    code: 'published-differs',
    message: 'privacy: “private” was requested, “public” is shown',
    privacy: 'public',
  });
  const watch = await harness.watch({ budgetMs: 1 });
  expect(watch).toMatchObject({ counts: { published: 2 }, differing: 1, problems: [{ state: 'published' }] });
  const details = runDetails(harness.run, watch);
  expect(details).toContain('**1 went wrong**');
  expect(details).toContain('| of the published: not as requested | 1 |');
  expect(details).toContain('was requested');
  const brief = { id: 'n', subject: { kind: 'ended' as const, run: harness.run }, targets: [] };
  expect(await noticeText(harness.ledger, brief, false)).toMatchObject({
    ok: false,
    text: 'trial.1 ended: 2 published (1 not as requested)',
  });
});

test.each([
  ['title=Another', 'title: “ Tom & “Zoë”’s 🎬 trip around the whole world ” was requested, “Another” is shown'],
  ['profile-id=5a5d0000-0000-4000-8000-000000000002', /^profile: .*0001” was requested, .*0002” is shown$/],
  ['description=Gone', /^description: “ A B, which.*” was requested, “Gone” is shown$/],
])('another value shown for %s is told', async (change, message) => {
  const values = () => long({ profileId: '5a5d0000-0000-4000-8000-000000000001' });
  const faults = [`create -> store-as ${change}`];
  const row = await ended({ values, sandbox: { behaviours: ['echo'], faults } });
  expect(row).toMatchObject({ state: 'published', code: 'published-differs' });
  expect(row?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
});

/** Faults of answers are no matter of what is shown. */
const SHOWING = (Object.keys(BEHAVIOURS) as BehaviourName[]).filter((name) => !('faults' in BEHAVIOURS[name]));

test.each(SHOWING)('what a service with the behaviour %s shows is no difference', async (name) => {
  expect(await ended({ sandbox: { behaviours: [name] } })).toMatchObject({ state: 'published', code: null });
});

test('an unrequested privacy is private on the long platform, and anything on the short one', async () => {
  const sandbox = { open: { echoTitle: true }, faults: ['create platform=platform_b -> store-as privacy=public'] };
  const values = (index: number) => (index === 0 ? long({ privacy: null }) : {});
  await ended({ rows: 2, values, sandbox });
  const rows = await harness.results();
  expect(rows.map(({ code }) => code)).toEqual(['published-differs', null]);
});

test('a privacy that is shown later than the status is waited for', async () => {
  harness = await Harness.open({ rows: 1, values: () => long({ privacy: 'public' }) });
  await harness.create();
  const [publication] = harness.sandbox.publications();
  const id = publication?.id ?? '';
  await harness.sandbox.edit(id, { privacy: 'private' });
  await harness.sandbox.settle(id, { outcome: 'published' });
  const finished = harness.finish();
  while (harness.sandbox.stats().requests.get < 1) await new Promise((resolve) => setTimeout(resolve, 2));
  await harness.sandbox.edit(id, { privacy: 'public' });
  await finished;
  expect((await harness.results())[0]).toMatchObject({ state: 'published', code: null, privacy: 'public' });
});
