import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../../cli/run-cli';
import { type PublicationView } from '../../../../cli/commands/account/publications/publication-views';
import { type OpenChoices } from '../../../../sandbox/faults/open-choices';
import { type SandboxOptions } from '../../../../sandbox/options';
import { importManifest } from '../../../../activities/run/run-activities';
import { type Entry } from '../../../../ledger/model/types';
import { Harness, manifestOf } from '../../../activities/harness';
import { CapturedStream } from '../../capture';

const before = { ...process.env };
let harness: Harness;

const NEW_YEAR = '2026-01-01T00:00:00.000Z';

interface Answer {
  publications: PublicationView[];
  publication: PublicationView;
  decisions: { kind: string }[];
  profiles: { id: string; name: string; channels: { platform: string }[]; rows: Record<string, number> }[];
  profile: { means?: string; rows: Record<string, number>; channels: object[] };
  deleted: object[];
  already_gone: number;
  total: number;
  error: { code: string; message: string; hint: string };
}

/** One published row, one failed, two drafts (one on each platform), one planned. */
async function open(choices: Partial<OpenChoices> = {}, profiles: SandboxOptions['profiles'] = 3): Promise<void> {
  harness = await Harness.open({
    rows: 5,
    sandbox: { faults: ['create title="Video 1" -> outcome failed'], open: choices, profiles },
    values: (index) => ({
      ...(index === 2 || index === 3 ? { status: 'draft' as const } : {}),
      ...(index === 3 ? { platform: 'platform_b', platformKind: 'long' as const, description: 'Old' } : {}),
      ...(index === 4
        ? { platform: 'platform_b', platformKind: 'long' as const, publishAt: '2099-01-01T00:00:00.000Z' }
        : {}),
    }),
  });
  await harness.create();
  await until(async () => {
    await harness.follow();
    return (await states()).filter((state) => state === 'processing').length === 0;
  });
  await writeFile(
    join(harness.folder, 'reelay.config.yaml'),
    `accounts: { main: { base_url: "${harness.sandbox.baseUrl}" } }\n`,
  );
  process.env = { ...before, REELAY_HOME: harness.folder, REELAY_API_KEY_MAIN: harness.sandbox.apiKey };
}

afterEach(async () => {
  process.env = { ...before };
  await harness.close();
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const states = async (): Promise<string[]> => (await harness.results()).map(({ state }) => state);
const idOf = async (key: string): Promise<string> =>
  (await harness.results()).find((row) => row.key === key)?.publication_id ?? '';

async function cli(...args: string[]): Promise<{ code: number; answer: Answer; text: string; said: string }> {
  const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
  const config = join(harness.folder, 'reelay.config.yaml');
  const code = await runCli([...args, '--config', config], { stdout, stderr });
  const answer = (args.includes('json') ? JSON.parse(stdout.text) : {}) as Answer;
  return { code, answer, text: stdout.text, said: stderr.text };
}

const listed = async (...flags: string[]): Promise<PublicationView[]> =>
  (await cli('publications', 'list', '-o', 'json', ...flags)).answer.publications;

describe('publications', () => {
  test('are listed newest first, each with the row it belongs to, as table, JSON and JSON lines', async () => {
    await open();
    const foreign = await harness.sandbox.injectPublication();
    const all = await listed('--all');
    expect(all.map(({ id }) => id)).toEqual(
      harness.sandbox
        .publications()
        .map(({ id }) => id)
        .reverse(),
    );
    expect(all[0]).toMatchObject({ id: foreign, row: null });
    expect(all.map(({ row }) => row?.key ?? null).sort()).toEqual(['k0', 'k1', 'k2', 'k3', null].sort());
    expect(all.find(({ row }) => row?.key === 'k1')).toMatchObject({
      status: 'failed',
      row: { campaign: 'trial', line: 3 },
    });
    const { text } = await cli('publications');
    expect(text.split('\n')[0]).toBe('ID\tPLATFORM\tSTATUS\tCAMPAIGN\tKEY\tROW\tTITLE\tPUBLISHED\tURL');
    expect(text.trim().split('\n')).toHaveLength(6);
    const lines = (await cli('publications', 'list', '-o', 'jsonl')).text.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as PublicationView).id)).toEqual(all.map(({ id }) => id));
  });

  test('are filtered as the interface offers it; drafts come through the ledger, also where the list hides them', async () => {
    await open({ draftsListed: false });
    expect((await listed('--status', 'failed')).map(({ row }) => row?.key)).toEqual(['k1']);
    expect(await listed('--platform', 'long')).toEqual([]);
    expect((await listed('--limit', '1', '--offset', '1')).map(({ row }) => row?.key)).toEqual(['k0']);
    expect((await listed('--status', 'draft')).map(({ row }) => row?.key).sort()).toEqual(['k2', 'k3']);
    expect((await listed('--status', 'draft', '--platform', 'platform_b')).map(({ row }) => row?.key)).toEqual(['k3']);
    for (const wrong of [
      ['--limit', '101'],
      ['--limit', '0'],
      ['--offset', 'x'],
      ['--platform', 'films'],
      ['--all', '--limit', '3'],
    ])
      expect((await cli('publications', 'list', ...wrong)).code).toBe(2);
    expect(harness.sandbox.stats().answers['400']).toBeUndefined();
  });

  test.each([
    {},
    { echoTitle: true, echoDescription: true, echoProfile: true, echoCreatedAt: true, furtherFields: true },
  ])('are shown with all fields that the service shows: %j', async (choices) => {
    await open(choices);
    const { answer } = await cli('publications', 'show', await idOf('k0'), '-o', 'json');
    expect(answer.publication).toMatchObject({
      status: 'published',
      privacy: 'public',
      video_url: expect.stringMatching(/^https/),
      title: 'echoTitle' in choices ? 'Video 0' : null,
      row: { campaign: 'trial', key: 'k0', state: 'published' },
    });
    expect(Object.keys(answer.publication.further).length > 0).toBe('furtherFields' in choices);
    expect((await cli('publications', 'show', await idOf('k0'))).text).toContain('campaign trial, row 2, key k0');
    expect((await cli('publications', 'show', 'nobody', '-o', 'json')).answer.error.code).toBe('no-such-publication');
  });

  test('a draft is changed, and a later look shows who did it', async () => {
    await open({ echoTitle: true });
    const id = await idOf('k3');
    const edited = await cli(
      'publications',
      'edit',
      id,
      '--title',
      'New',
      '--privacy',
      'unlisted',
      '--status',
      'pending',
      '-o',
      'json',
    );
    expect([edited.code, edited.answer.publication]).toEqual([
      0,
      expect.objectContaining({ title: 'New', status: 'pending', privacy: 'unlisted' }),
    ]);
    expect((await cli('publications', 'show', id, '-o', 'json')).answer.decisions).toMatchObject([{ kind: 'edited' }]);
    expect(edited.said).toContain('campaign trial');
  });

  test('what the interface rules out of a change is refused without asking the service for it', async () => {
    await open();
    const [draft, short, published] = await Promise.all([idOf('k3'), idOf('k2'), idOf('k0')]);
    const refusals: [string[], string][] = [
      [[draft, '--status', 'published'], 'draft-cannot-be-published'],
      [[draft, '--status', 'failed'], 'bad-status'],
      [[draft, '--privacy', 'secret'], 'bad-privacy'],
      [[draft, '--title', 'x'.repeat(101)], 'title-too-long'],
      [[draft, '--title', ' '], 'title-missing'],
      [[draft, '--description', 'x'.repeat(5001)], 'description-too-long'],
      [[short, '--title', 'x'.repeat(151)], 'title-too-long'],
      [[short, '--description', 'x'], 'description-not-offered'],
      [[published, '--title', 'x'], 'publication-immutable'],
      [['nobody', '--title', 'x'], 'no-such-publication'],
      [[draft], 'usage'],
    ];
    for (const [args, code] of refusals) {
      const refused = await cli('publications', 'edit', ...args, '-o', 'json');
      expect([args, refused.code, refused.answer.error.code]).toEqual([args, 2, code]);
    }
    expect(harness.sandbox.stats().requests.update).toBe(0);
    expect((await cli('publications', 'edit', draft, '--title', 'x'.repeat(100))).code).toBe(0);
  });

  test('records of failed rows are deleted and counted; rows and history stay, and missing records are no error', async () => {
    await open();
    const failed = await idOf('k1');
    expect(
      (await cli('publications', 'delete', '--run', 'trial', '--state', 'failed', '-o', 'json')).answer.error.code,
    ).toBe('not-confirmed');
    const { answer, said } = await cli(
      'publications',
      'delete',
      '--run',
      'trial',
      '--state',
      'failed',
      '--yes',
      '-o',
      'json',
    );
    expect(answer.deleted).toMatchObject([{ id: failed, campaign: 'trial', key: 'k1' }]);
    expect(said).toMatch(/Videos on the platforms stay/);
    expect((await states())[1]).toBe('failed');
    const again = await cli('publications', 'delete', failed, '--yes', '-o', 'json');
    expect([again.code, again.answer.already_gone]).toEqual([0, 1]);
    expect((await cli('publications', 'show', failed, '-o', 'json')).answer.error.hint).toMatch(
      /key k1 in campaign trial/,
    );
    for (const wrong of [
      [],
      ['--state', 'failed'],
      ['--run', 'trial'],
      ['--run', 'trial', '--state', 'planned'],
      [failed, '--run', 'trial', '--state', 'failed'],
    ])
      expect((await cli('publications', 'delete', '--yes', ...wrong)).code).toBe(2);
  });

  test('an id that neither the service nor the ledger knows is an error, and nothing is deleted with it', async () => {
    await open();
    const failed = await idOf('k1');
    const { code, answer } = await cli('publications', 'delete', 'no-such', failed, '--yes', '-o', 'json');
    expect([code, answer.error]).toMatchObject([
      2,
      { code: 'no-such-publication', message: expect.stringContaining('no-such; nothing was deleted') },
    ]);
    expect(harness.sandbox.publications().map(({ id }) => id)).toContain(failed);
  });

  test('a processing one is deleted only with --force, and its row doesn’t wait for it any more', async () => {
    await open();
    harness.sandbox.rules.clear();
    harness.sandbox.rules.add('create -> outcome never');
    await harness.ledger.retry({ run: harness.run, by: 'test' });
    await harness.create();
    const id = await idOf('k1');
    expect((await cli('publications', 'delete', id, '--yes', '-o', 'json')).answer.error.code).toBe('still-processing');
    expect((await cli('publications', 'delete', id, '--yes', '--force', '-o', 'json')).answer.deleted).toHaveLength(1);
    expect((await harness.results())[1]).toMatchObject({ state: 'overdue', code: 'record-deleted' });
  });

  test('one made by hand becomes that of a row, which is never created then; one that has a row stays with it', async () => {
    await open();
    const foreign = await harness.sandbox.injectPublication();
    await harness.sandbox.settle(foreign, { outcome: 'published' });
    const args = ['publications', 'adopt', foreign, '--campaign', 'trial', '-o', 'json', '--yes'];
    expect((await cli(...args, '--key', 'nobody')).answer.error).toMatchObject({
      code: 'not-adopted',
      hint: expect.stringContaining('--profile'),
    });
    expect((await cli(...args, '--key', 'k0')).answer.error.message).toMatch(/no row .* platform_b/);
    expect((await cli(...args, '--key', 'k3')).answer.error).toMatchObject({
      code: 'not-adopted',
      message: expect.stringMatching(/drafted already/),
    });
    expect(await cli(...args, '--key', 'k4')).toMatchObject({ code: 0, answer: { state: 'published' } });
    expect((await harness.results())[4]).toMatchObject({
      state: 'published',
      publication_id: foreign,
      video_url: expect.any(String),
    });
    expect((await cli(...args, '--key', 'k4')).answer.error.code).toBe('publication-owned');
    const created = harness.sandbox.log().length;
    await harness.create();
    expect(harness.sandbox.log()).toHaveLength(created);
  });

  test.each([
    [['--campaign', 'Show', '--key', 'k9'], /“Show” can’t be a campaign’s name/, /Did you mean show/],
    [['--campaign', 'show', '--key', ' '], /key is empty/, undefined],
    [['--campaign', 'show', '--key', './clips/a.mp4'], /no row is known as “.\/clips\/a.mp4”/, /“clips\/a.mp4”/],
    [['--campaign', 'show', '--key', 'HTTPS://Videos.example/a.mp4'], /no row is known/, /“https:\/\/videos.example/],
  ])('is not adopted for a row that no manifest can have: %j', async (named, message, hint) => {
    await open();
    const foreign = await harness.sandbox.injectPublication();
    const args = ['publications', 'adopt', foreign, '--profile', 'default', '--yes', '-o', 'json'];
    const { code, answer } = await cli(...args, ...named);
    expect([code, answer.error.message]).toEqual([2, expect.stringMatching(message)]);
    if (hint !== undefined) expect(answer.error.hint).toMatch(hint);
  });

  test('is adopted for the row whose key is the same without blanks around it, composed', async () => {
    await open();
    const foreign = await harness.sandbox.injectPublication();
    const args = [
      'publications',
      'adopt',
      foreign,
      '--campaign',
      'show',
      '--profile',
      'default',
      '--yes',
      '-o',
      'json',
    ];
    expect((await cli(...args, '--key', ' cafe\u0301 ')).answer).toMatchObject({ key: 'café', campaign: 'show' });
  });

  test('one made by hand in another channel than its key’s row gets a row of its own, which is announced first', async () => {
    await open();
    const foreign = await harness.sandbox.injectPublication();
    const args = ['publications', 'adopt', foreign, '--campaign', 'trial', '-o', 'json', '--yes'];
    // Whether the service is done with it by then is its own affair.
    const adopted = expect.stringMatching(/^(processing|published)$/u);
    // k4 waits for its time on the same platform, in the default channel.
    const { answer, said } = await cli(...args, '--key', 'k4', '--profile', 'Kitchen');
    expect(said).toMatch(/key k4 of campaign trial is in another channel: default channel · long \(waiting\)/);
    expect(said).toContain('still created');
    expect(answer).toMatchObject({
      ...{ key: 'k4', state: adopted },
      elsewhere: [{ channel: 'default channel · long', line: 6, state: 'waiting' }],
    });
    const rows = await harness.ledger.keyRows('trial', 'k4');
    expect(rows.map(({ channel, state }) => [channel, state])).toEqual([
      ['default channel · long', 'waiting'],
      ['Kitchen · long', adopted],
    ]);
    const fitting = await harness.sandbox.injectPublication();
    const own = await cli('publications', 'adopt', fitting, ...args.slice(3), '--key', 'k4', '--profile', 'default');
    expect([own.said, own.answer]).toEqual([
      expect.not.stringContaining('stands in'),
      expect.objectContaining({ elsewhere: [] }),
    ]);
  });

  test.each(['trial', 'brand-new'])(
    'one made by hand is adopted before any manifest of %s has its row, and no later submit creates that',
    async (campaign) => {
      await open({ echoTitle: true });
      const foreign = await harness.sandbox.injectPublication('By hand');
      await harness.sandbox.settle(foreign, { outcome: 'published' });
      const args = ['publications', 'adopt', foreign, '--campaign', campaign, '--profile', 'default', '--yes'];
      expect(await cli(...args, '--key', 'k5', '-o', 'json')).toMatchObject({
        code: 0,
        answer: { state: 'published' },
      });
      expect((await listed('--all')).find(({ id }) => id === foreign)).toMatchObject({ row: { campaign, key: 'k5' } });

      const { ledger, deps } = harness;
      const values = () => ({ platform: 'platform_b', platformKind: 'long' as const });
      const manifest = { ...manifestOf({ rows: 6, values }, 'later'), campaign };
      manifest.snapshot.settings.repeat = 'allow';
      const entries = [...(manifest.entries as Iterable<Entry>)].filter(({ key }) => key === 'k5');
      const plan = await ledger.plan({ ...manifest, entries, vanished: 'keep' });
      expect([plan.actions.leave, plan.actions.create]).toEqual([1, undefined]);
      expect(plan.problems).toEqual([]);
      await ledger.submit({ ...manifest, entries, vanished: 'keep' });
      const run = (await ledger.beginRun({ campaign, workflowId: `campaign/${campaign}`, workflowRunId: 'r2' }))!;
      harness.run = run;
      await importManifest(deps, { run }, { heartbeat: () => undefined });
      const created = harness.sandbox.log().length;
      await harness.create();
      expect(harness.sandbox.log()).toHaveLength(created);
      const k5 = (await harness.results()).filter(({ key }) => key === 'k5');
      expect(k5).toMatchObject([{ state: 'published', publication_id: foreign, code: null }]);
    },
  );

  test('one that is processing still is adopted into a campaign of its own, and followed to its end', async () => {
    await open();
    harness.sandbox.rules.add('create -> outcome never');
    const foreign = await harness.sandbox.injectPublication('By hand');
    const { ledger } = harness;
    const { profileId, profileName } = { profileId: null, profileName: null };
    const { run, state } = await ledger.adopt({
      ...{ campaign: 'hand', key: 'a', account: 'main', platform: 'platform_b', publicationId: foreign, by: 'ana' },
      status: 'processing',
      make: {
        ...{ source: null, sourceKind: 'none', platform: 'platform_b', platformKind: 'long', profileId, profileName },
        ...{ title: null, description: null, privacy: null, status: 'published', publishAt: null, via: 'publication' },
        adopted: true,
      },
    });
    expect(state).toBe('processing');
    expect(await ledger.counts(run!)).toEqual({ processing: 1 });
    await ledger.beginRun({ campaign: 'hand', workflowId: 'campaign/hand', workflowRunId: 'r9' });
    harness.run = run!;
    await importManifest(harness.deps, { run: run! }, { heartbeat: () => undefined });
    await harness.sandbox.settle(foreign, { outcome: 'published' });
    await harness.finish();
    expect(await ledger.counts(run!)).toEqual({ published: 1 });
  });
});

describe('each choice that the interface leaves open', () => {
  const choices: Partial<OpenChoices>[] = [
    { echoTitle: true, echoDescription: true, echoProfile: true, echoCreatedAt: true, furtherFields: true },
    { failureField: 'failure_reason', privacyOnShort: false },
    { profileEnvelope: 'bare', draftsListed: false },
    { updateStatus: 202, deleteStatus: 202, directStatus: 201 },
    { pageLimit: 'clamp', longOnlyFields: 'ignore', directListed: true },
    { immutableStatus: 422, invalidStatus: 422, errorBody: 'message' },
    ...(['text', 'html', 'empty', 'huge'] as const).map((errorBody) => ({ errorBody })),
  ];
  test.each(choices)('leaves rows and every command on publications right: %j', async (choice) => {
    await open(choice);
    expect(await states()).toEqual(['published', 'failed', 'drafted', 'drafted', 'waiting']);
    const draft = await idOf('k3');
    const edited = await cli('publications', 'edit', draft, '--title', 'New', '--status', 'pending', '-o', 'json');
    expect(edited.code).toBe(0);
    expect((await cli('publications', 'show', draft, '-o', 'json')).answer.publication).toMatchObject({
      status: 'pending',
      row: { key: 'k3' },
    });
    const published = await idOf('k0');
    expect((await cli('publications', 'edit', published, '--title', 'New', '-o', 'json')).code).toBe(2);
    const ids = (await listed('--all')).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([published, await idOf('k1')]));
    expect((await listed('--status', 'failed')).map(({ row }) => row?.key)).toEqual(['k1']);
    expect((await cli('profiles', 'list', '-o', 'json')).answer.profiles).toHaveLength(3);
    const gone = await cli('publications', 'delete', await idOf('k1'), '--yes', '-o', 'json');
    expect([gone.code, gone.answer.deleted]).toEqual([0, [expect.anything()]]);
    const unknown = await cli('publications', 'show', 'no-such-id', '-o', 'json');
    expect(unknown.code).not.toBe(0);
    expect(unknown.answer.error.message.length).toBeLessThan(600);
  });
});

describe('profiles', () => {
  test.each([{}, { profileEnvelope: 'bare', furtherFields: true } as const])(
    'are listed with all their channels and our rows, and shown one by one: %j',
    async (choices) => {
      await open(choices);
      const { answer } = await cli('profiles', 'list', '-o', 'json');
      expect(answer.profiles).toHaveLength(3);
      expect(new Set(answer.profiles[0]?.channels.map(({ platform }) => platform))).toContain('platform_c');
      const [first] = answer.profiles;
      const shown = await cli('profiles', 'show', first?.name ?? '', '-o', 'json');
      expect(shown.answer.profile).toMatchObject({ id: first?.id, channels: first?.channels });
      expect((await cli('profiles', 'show', first?.id ?? '')).text).toMatch(/platform_c .*nothing is published there/);
      const byDefault = await cli('profiles', 'show', 'default', '-o', 'json');
      expect(byDefault.answer.profile).toMatchObject({
        rows: { published: 1, failed: 1, drafted: 2, waiting: 1 },
        means: expect.stringMatching(/may change/),
      });
      expect((await cli('profiles', 'show', 'Nobody')).code).toBe(2);
    },
  );

  test('JSON has the fields that the interface doesn’t name, of profiles and of their channels', async () => {
    const channel = {
      platform: 'platform_a',
      account_name: 'a',
      account_id: '1',
      connected_at: NEW_YEAR,
      verified: true,
    };
    const profile = { id: 'one', name: 'Garden', created_at: NEW_YEAR, channels: [channel] };
    await open({ furtherFields: true }, [profile]);
    const further = { plan: 'basic', labels: { color: 'green' } };
    const expected = { id: 'one', further, channels: [{ platform: 'platform_a', further: { verified: true } }] };
    expect((await cli('profiles', 'list', '-o', 'json')).answer.profiles).toMatchObject([expected]);
    expect((await cli('profiles', 'show', 'one', '-o', 'json')).answer.profile).toMatchObject(expected);
  });

  test('two with one name are an error that lists both ids', async () => {
    const twin = (id: string) => ({ id, name: 'Garden', created_at: '2026-01-01T00:00:00.000Z', channels: [] });
    await open({}, [twin('one'), twin('two')]);
    const { code, answer } = await cli('profiles', 'show', 'Garden', '-o', 'json');
    expect([code, answer.error.code]).toEqual([2, 'profile-ambiguous']);
    expect(answer.error.message).toContain('one and two');
    expect((await cli('profiles', 'list')).said).toContain('one, two');
    expect((await cli('profiles', 'show', 'two')).code).toBe(0);
  });
});
