import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type RunningSandbox, startSandbox } from '../../sandbox/server';
import { ServiceClient } from '../../service/api/client';
import { prepareSubmission } from '../../submissions/prepare-submission';
import { Bench } from '../ledger/support';

const PLATFORMS = [
  { name: 'platform_a', kind: 'short' as const, titleLimit: 150 },
  { name: 'platform_b', kind: 'long' as const, titleLimit: 100 },
];
const TOP = 'campaign: spring\ntimezone: UTC\n';
const BOTH = 'short|long, privacy.long: private';

describe('a folder’s files', () => {
  let bench: Bench;
  let sandbox: RunningSandbox;
  let client: ServiceClient;
  let days: number;
  beforeEach(async () => {
    days = 0;
    bench = await new Bench().open();
    mkdirSync(join(bench.folder, 'in'));
    sandbox = await startSandbox({});
    client = new ServiceClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, environment: {} });
  });
  afterEach(async () => {
    await client.close();
    await sandbox.close();
    await bench.close();
  });

  const at = (name: string) => join(bench.folder, 'in', name);

  /** A video that was changed on a day of its own, long ago. */
  function video(name: string, content: string): void {
    writeFileSync(at(name), Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from(`ftypisom${content}`)]));
    const changed = 1_700_000_000 + ++days * 86_400;
    utimesSync(at(name), changed, changed);
  }

  const move = (from: string, to: string) => renameSync(at(from), at(to));

  /** Submits the folder as it is, and imports what was accepted. Why files are left out, and rows stay as they are. */
  async function submit(changes: { platforms?: string; acceptDifferences?: boolean } = {}): Promise<string[]> {
    const { platforms = 'short', acceptDifferences = false } = changes;
    const path = join(bench.folder, 'clips.yaml');
    const defaults = `profile: Garden, platform: ${platforms}`;
    writeFileSync(path, `${TOP}defaults: {${defaults}}\nvideos: {folder: in, title: '{name}'}\n`);
    const get = () => ({ name: 'main', client, exclusive: false, trust429: false });
    const prepared = await prepareSubmission(
      {
        accounts: { get, names: () => ['main'] },
        plan: (input) => bench.ledger.plan(input),
        knownFiles: (campaign) => bench.ledger.knownFiles(campaign),
      },
      {
        manifest: { path },
        read: { platforms: PLATFORMS, now: Date.now() },
        account: 'main',
        by: 'test',
        ...(acceptDifferences ? { acceptDifferences } : {}),
      },
    );
    const errors = prepared.problems.filter(({ severity }) => severity === 'error');
    if (prepared.input === null) return errors.map(({ message }) => message);
    const refused = await bench.problems(prepared.input);
    if (refused.length > 0) return refused.map(({ message }) => message);
    await bench.import();
    return prepared.problems.map(({ code, value }) => `${code} ${value ?? ''}`);
  }

  /** Sends the rows that aren't sent yet, or one of them: the key, platform and file name of each. */
  async function send(limit = Infinity): Promise<string[]> {
    const run = await bench.import();
    const sent: string[] = [];
    for (const id of (await bench.rowIds(run)).slice(0, limit)) {
      const claim = await bench.claim(run, id);
      if (!claim.claimed) throw new Error(`not claimed: ${claim.reason}`);
      await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: `pub-${id}`, status: 'processing' });
      sent.push(`${claim.key} ${claim.values.platformKind} ${basename(claim.values.source ?? '')}`);
    }
    return sent;
  }

  it('renamed before it was sent keeps its key at every later submit, and new files are sent', async () => {
    video('c.mp4', 'c');
    expect(await submit()).toEqual([]);
    move('c.mp4', 'd.mp4');
    expect(await submit()).toEqual([]);
    expect(await send()).toEqual(['in/c.mp4 short d.mp4']);
    video('new.mp4', 'new');
    expect(await submit()).toEqual([]);
    expect(await send()).toEqual(['in/new.mp4 short new.mp4']);
    video('d.mp4', 'exported again');
    expect(await submit({ acceptDifferences: true })).toEqual([]);
    expect(await submit()).toEqual([]);
    expect(await send()).toEqual([]);
  });

  it('renamed twice, and back again, is sent once', async () => {
    video('c.mp4', 'c');
    await submit();
    for (const [from, to] of [
      ['c.mp4', 'd.mp4'],
      ['d.mp4', 'e.mp4'],
      ['e.mp4', 'c.mp4'],
      ['c.mp4', 'd.mp4'],
    ] as const) {
      move(from, to);
      expect(await submit()).toEqual([]);
      expect(await submit()).toEqual([]);
    }
    expect(await send()).toEqual(['in/c.mp4 short d.mp4']);
    move('d.mp4', 'c.mp4');
    expect(await submit()).toEqual(['folder-again c.mp4']);
    move('c.mp4', 'd.mp4');
    expect(await submit()).toEqual([]);
    expect(await send()).toEqual([]);
  });

  it.each(['before', 'after'])(
    'under a name that a renamed file had is a video of its own: sent %s it',
    async (when) => {
      video('c.mp4', 'c');
      await submit();
      move('c.mp4', 'd.mp4');
      await submit();
      const first = when === 'before' ? await send() : [];
      if (when === 'before') rmSync(at('d.mp4'));
      video('c.mp4', 'another');
      for (const count of [1, 2]) expect([count, await submit()]).toEqual([count, []]);
      expect([...first, ...(await send())].sort()).toEqual(['in/c.mp4 (2) short c.mp4', 'in/c.mp4 short d.mp4']);
      expect(await submit()).toEqual([]);
      expect(await send()).toEqual([]);
    },
  );

  it('renamed and copied before it was sent counts as one', async () => {
    video('c.mp4', 'c');
    await submit();
    move('c.mp4', 'd.mp4');
    video('e.mp4', 'c');
    for (const count of [1, 2]) expect([count, await submit()]).toEqual([count, ['folder-again e.mp4']]);
    expect(await send()).toEqual(['in/c.mp4 short d.mp4']);
  });

  it('renamed after one of its platforms was sent goes to the other one only, and a new video of its old name needs a word', async () => {
    video('c.mp4', 'c');
    expect(await submit({ platforms: BOTH })).toEqual([]);
    expect(await send(1)).toEqual(['in/c.mp4 short c.mp4']);
    move('c.mp4', 'd.mp4');
    for (const count of [1, 2]) expect([count, await submit({ platforms: BOTH })]).toEqual([count, []]);
    expect(await send()).toEqual(['in/c.mp4 long d.mp4']);
    video('c.mp4', 'another');
    expect((await submit({ platforms: BOTH })).at(-1)).toMatch(/^key in\/c\.mp4 \(2\) is new, but key in\/c\.mp4 was/u);
    expect(await send()).toEqual([]);
  });
});
