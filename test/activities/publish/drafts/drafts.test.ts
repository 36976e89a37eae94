import { noticeText } from '../../../../activities/notices/notice-text';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importManifest } from '../../../../activities/run/run-activities';
import { type Entry, type RowValues } from '../../../../ledger/model/types';
import { type OpenChoices } from '../../../../sandbox/faults/open-choices';
import { defaultProfiles } from '../../../../sandbox/profiles';
import { type CrashInput } from '../../crash-child';
import { Harness, manifestOf } from '../../harness';

let harness: Harness;
afterEach(() => harness.close());

const draft = (changes: Partial<RowValues> = {}): Partial<RowValues> => ({
  status: 'draft',
  platform: 'platform_b',
  platformKind: 'long',
  title: 'Old title',
  description: 'Old text',
  privacy: 'private',
  ...changes,
});

async function open(choices: Partial<OpenChoices> = {}): Promise<string> {
  harness = await Harness.open({ rows: 1, values: () => draft(), sandbox: { open: { echoTitle: true, ...choices } } });
  await harness.create();
  const [row] = await harness.results();
  expect(row?.state).toBe('drafted');
  return row?.publication_id ?? '';
}

/** Submits another version of the manifest, as a new run, and imports it as its workflow would. */
async function submit(
  changes: Partial<RowValues>,
  { key, ...options }: { recreate?: boolean; key?: string } = {},
): Promise<void> {
  await harness.ledger.finishRun(harness.run);
  const { ledger } = harness;
  const { entries, ...manifest } = manifestOf(
    { rows: 1, values: () => draft(changes) },
    JSON.stringify([changes, key]),
  );
  const renamed = [...(entries as Iterable<Entry>)].map((one) => (key === undefined ? one : { ...one, key }));
  const { run } = await ledger.submit({ ...manifest, entries: renamed, ...options });
  await ledger.beginRun({ campaign: run.campaign, workflowId: 'campaign/trial', workflowRunId: `r${run.number}` });
  harness.run = run;
  await importManifest(harness.deps, { run }, { heartbeat: () => undefined });
}

const row = async () => (await harness.results())[0];
const atService = (id: string) => harness.sandbox.publications().find((one) => one.id === id);

test('a changed draft is changed at the service, once, and its row keeps its publication', async () => {
  const id = await open();
  await submit({ title: 'New title', privacy: 'unlisted', status: 'pending' });
  expect(atService(id)).toMatchObject({
    title: 'New title',
    description: 'Old text',
    privacy: 'unlisted',
    status: 'pending',
  });
  expect(await row()).toMatchObject({ state: 'drafted', publication_id: id, title: 'New title', code: null });
  await submit({ title: 'New title', privacy: 'unlisted', status: 'pending' });
  expect(harness.sandbox.stats().requests.update).toBe(1);
  expect(harness.accepted().size).toBe(1);
});

test('an answer that was lost is asked for again while the run is followed, and nothing is created meanwhile', async () => {
  const id = await open();
  harness.sandbox.rules.add('update nth=1 -> status 503 accept');
  await submit({ title: 'New title' });
  expect(await row()).toMatchObject({
    state: 'drafted',
    code: 'patch-pending',
    message: expect.stringContaining('503'),
  });
  expect(await harness.ledger.unchangedDrafts(harness.run)).toBe(1);
  const notice = { id: 'n', subject: { kind: 'ended' as const, run: harness.run }, targets: [] };
  expect(await noticeText(harness.ledger, notice, false)).toMatchObject({
    ok: false,
    text: expect.stringContaining('1 drafted (1 could not be changed)'),
  });
  await harness.finish();
  expect(await noticeText(harness.ledger, notice, false)).toMatchObject({ ok: true });
  expect(atService(id)?.title).toBe('New title');
  expect(await row()).toMatchObject({ state: 'drafted', title: 'New title', code: null });
  expect(harness.accepted().size).toBe(1);
});

test('a change that meets a conflict, or a failure that lasts, keeps no other draft and no new row waiting', async () => {
  const values = (at: number, title: string): Partial<RowValues> =>
    at === 3 ? { title: 'New row' } : draft({ title: `${title} ${at}` });
  const options = (title: string) => ({ rows: 3, values: (at: number) => values(at, title) });
  harness = await Harness.open({
    ...options('Old'),
    sandbox: { open: { echoTitle: true } },
    timings: { reconcileForMs: 700 },
  });
  await harness.create();
  const ids = (await harness.results()).map((record) => record.publication_id);
  harness.sandbox.rules.add(`update id=${ids[0]} -> status 409`);
  harness.sandbox.rules.add(`update id=${ids[1]} -> status 500`);
  await harness.ledger.finishRun(harness.run);
  const { run } = await harness.ledger.submit(manifestOf({ ...options('New'), rows: 4 }, 'new'));
  await harness.ledger.beginRun({ campaign: run.campaign, workflowId: 'campaign/trial', workflowRunId: 'r2' });
  harness.run = run;
  await importManifest(harness.deps, { run }, { heartbeat: () => undefined });
  await harness.create();
  expect(atService(ids[2] ?? '')?.title).toBe('New 2');
  expect(harness.accepted().get('New row')).toBe(1);
  await harness.finish();
  expect(await harness.results()).toMatchObject([
    { state: 'drafted', code: 'patch-refused', message: expect.stringContaining('409') },
    { state: 'drafted', code: 'patch-refused', message: expect.stringContaining('500') },
    { state: 'drafted', code: null },
    { state: 'published' },
  ]);
});

test('a change that a newer manifest takes back is no longer waited for', async () => {
  await open();
  harness.sandbox.rules.add('update -> status 500');
  await submit({ title: 'New title' });
  expect((await row())?.code).toBe('patch-pending');
  await submit({});
  expect(await row()).toMatchObject({ state: 'drafted', code: null });
  await harness.finish();
});

test('a change that the service refuses is kept with its reason, and tried again by the next submit', async () => {
  const id = await open();
  harness.sandbox.rules.add('update nth=1 -> status 422');
  await submit({ title: 'Bad' });
  expect(await row()).toMatchObject({
    state: 'drafted',
    code: 'patch-refused',
    message: expect.stringContaining('422'),
  });
  expect(await harness.ledger.unchangedDrafts(harness.run)).toBe(1);
  await submit({ title: 'Good' });
  expect(atService(id)?.title).toBe('Good');
  expect(await row()).toMatchObject({ code: null });
  expect(await harness.ledger.unchangedDrafts(harness.run)).toBe(0);
});

test('a draft whose record is gone is no error: its row says so', async () => {
  const id = await open();
  await harness.service.deletePublication(id);
  await submit({ title: 'New' });
  expect(await row()).toMatchObject({ state: 'drafted', code: 'record-deleted' });
});

test('one that the service went on with is followed instead of changed', async () => {
  const id = await open({ pending: 'goes-on', pendingMs: 0 });
  await submit({ status: 'pending' });
  await harness.sandbox.settle(id, { outcome: 'published' });
  await submit({ title: 'Too late', status: 'pending' });
  await harness.finish();
  expect(await row()).toMatchObject({ state: 'published', publication_id: id });
  expect(harness.accepted().size).toBe(1);
});

test('draft to published is refused, unless a new publication is asked for: then the draft’s record goes', async () => {
  const id = await open();
  await expect(submit({ status: 'published' })).rejects.toMatchObject({
    problems: [expect.objectContaining({ code: 'draft-cannot-be-published', severity: 'error' })],
  });
  await submit({ status: 'published' }, { recreate: true });
  await harness.create();
  await harness.finish();
  const after = await row();
  expect(after).toMatchObject({ state: 'published' });
  expect(after?.publication_id).not.toBe(id);
  expect(harness.sandbox.publications().map((one) => one.id)).toEqual([after?.publication_id]);
});

test('a crash between the new publication and the end of the draft’s record leaves no draft behind', async () => {
  const id = await open({ echoProfile: true });
  await submit({ status: 'published' }, { recreate: true });
  const { folder, ledger, run, sandbox } = harness;
  const [channel] = await ledger.channels(run);
  const [page] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
  const given: CrashInput = {
    ...{ folder, run, baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, channelId: channel!.id, rowId: page!.id },
    ...{ killAt: 'before service.deletePublication', failingRecords: 0 },
  };
  const register = join(__dirname, '..', '..', '..', 'support', 'register.js');
  const child = spawn(process.execPath, [
    '-r',
    register,
    join(__dirname, '..', '..', 'crash-child.ts'),
    JSON.stringify(given),
  ]);
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  expect(sandbox.publications()).toHaveLength(2);
  await harness.finish();
  const after = await row();
  expect(after).toMatchObject({ state: 'published' });
  expect(after?.publication_id).not.toBe(id);
  expect(sandbox.publications().map((one) => one.id)).toEqual([after?.publication_id]);
  await harness.follow();
  expect(sandbox.stats().requests.delete).toBe(1);
});

test('a replacement is not created when the draft turns out to have been published meanwhile', async () => {
  const id = await open({ pending: 'goes-on', pendingMs: 0 });
  await submit({ status: 'published' }, { recreate: true });
  await harness.sandbox.settle(id, { outcome: 'published' });
  await harness.create();
  await harness.finish();
  expect(await row()).toMatchObject({ state: 'published', publication_id: id });
  expect(harness.sandbox.publications()).toHaveLength(1);
});

test('a pending one is made a draft again before its replacement is created: the service could publish both', async () => {
  const id = await open();
  await submit({ status: 'pending' });
  await submit({ status: 'published' }, { recreate: true });
  // Its record stays, as if the worker had died before it could delete it.
  harness.sandbox.rules.add('delete -> status 503');
  await harness.create();
  expect(atService(id)?.status).toBe('draft');
  expect(harness.sandbox.publications()).toHaveLength(2);
});

test('a pending one that can’t be made a draft again is followed, and nothing is created in its place', async () => {
  const id = await open();
  await submit({ status: 'pending' });
  await submit({ status: 'published' }, { recreate: true });
  harness.sandbox.rules.add('update -> status 409');
  await harness.create();
  expect(await row()).toMatchObject({ state: 'processing', publication_id: id });
  expect(harness.sandbox.publications()).toHaveLength(1);
});

test('a draft that was answered with a refusal is found with what was sent, and changed to what its row says by then', async () => {
  harness = await Harness.open({
    rows: 1,
    values: () => draft(),
    sandbox: { faults: ['create nth=1 -> status 422 accept'], open: { echoTitle: true } },
  });
  await harness.create();
  expect(await row()).toMatchObject({ state: 'rejected' });
  await submit({ title: 'Old title, corrected' });
  await harness.create();
  await harness.finish();
  const [stored] = harness.sandbox.publications();
  expect(stored?.title).toBe('Old title, corrected');
  expect(await row()).toMatchObject({ state: 'drafted', publication_id: stored?.id, code: null });
  expect(harness.sandbox.publications()).toHaveLength(1);
});

test('a draft that was answered with a refusal is found, and changed, by a row of another key with its video', async () => {
  harness = await Harness.open({
    rows: 1,
    values: () => draft(),
    sandbox: { faults: ['create nth=1 -> status 422 accept'], open: { echoTitle: true } },
  });
  await harness.create();
  await submit({ title: 'Old title, corrected' }, { key: 'renamed' });
  await harness.create();
  await harness.finish();
  const [stored, ...others] = harness.sandbox.publications();
  expect([stored?.title, others]).toEqual(['Old title, corrected', []]);
  expect(await row()).toMatchObject({ key: 'renamed', state: 'drafted', publication_id: stored?.id, code: null });
});

test('a draft that was answered with a refusal isn’t taken for the publication that its row has become', async () => {
  harness = await Harness.open({
    rows: 1,
    values: () => draft(),
    sandbox: { faults: ['create nth=1 -> status 422 accept'], open: { echoTitle: true } },
  });
  await harness.create();
  await submit({ status: 'published' });
  await harness.create();
  await harness.finish();
  expect(await row()).toMatchObject({ state: 'drafted', code: 'patch-refused' });
  expect(harness.sandbox.publications()).toHaveLength(1);
});

test('a direct publish whose answer was lost is unconfirmed at once, also where the list shows something like it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-direct-'));
  const source = join(folder, 'clip.mp4');
  await copyFile(join(__dirname, '../../../../manifests/examples/clips/garden-tour.mp4'), source);
  const [profile] = defaultProfiles(1, { short: 'platform_a', long: 'platform_b', photo: 'platform_c' });
  harness = await Harness.open({
    rows: 1,
    exclusive: true,
    sandbox: { faults: ['direct -> lost'], open: { directListed: true, echoTitle: true } },
    values: () => ({ via: 'direct', source, sourceKind: 'file', profileId: profile?.id ?? null }),
    // A scan of the list would have to wait for the settling time.
    timings: { settleMs: 600_000, settleUploadMs: 600_000 },
  });
  try {
    await harness.create();
    await harness.finish();
    expect(await row()).toMatchObject({ state: 'unconfirmed', code: 'direct-unread', publication_id: null });
    expect(harness.sandbox.log()).toHaveLength(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});
