import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { Harness, type HarnessOptions } from '../harness';

jest.setTimeout(300_000);

const ROWS = 5;
const HOUR = 3_600_000;
const atMost = (count: number): PaceLayer => ({ maxPer: [{ count, windowMs: HOUR }] });
const ECHO = { echoTitle: true, echoProfile: true, echoCreatedAt: true };

let folder: string;
let harness: Harness;
let worker: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelay-live-'));
});
afterEach(async () => {
  worker?.kill('SIGKILL');
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

type PhaseOptions = HarnessOptions & { fault?: string };

/** What the worker is doing when it is killed. */
const PHASES = {
  creating: () => ({ fault: 'create -> slow-answer 60000' }),
  waiting: () => ({ settings: { pace: [atMost(2)] } }),
  uploading: async () => {
    const source = join(folder, 'clip.mp4');
    await writeFile(source, Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0'), Buffer.alloc(4_000_000)]));
    const { size, mtimeMs } = await stat(source);
    return {
      values: () => ({ source, sourceKind: 'file' as const, fileSize: size, fileModifiedMs: mtimeMs }),
      fault: 'create times=1 -> slow-body 50000',
    };
  },
} satisfies Record<string, () => PhaseOptions | Promise<PhaseOptions>>;
type Phase = keyof typeof PHASES;

async function workUntil(phase: Phase): Promise<void> {
  const { folder: place, run, sandbox } = harness;
  const given = { folder: place, run, baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
  worker = spawn(
    process.execPath,
    [
      '-r',
      join(__dirname, '..', '..', 'support', 'register.js'),
      join(__dirname, '..', 'worker-child.ts'),
      JSON.stringify(given),
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await until(async () =>
    phase === 'waiting' ? harness.accepted().size === 2 : ((await harness.ledger.counts(run)).creating ?? 0) > 0,
  );
}

async function kill(): Promise<void> {
  const gone = new Promise((resolve) => worker?.once('close', resolve));
  worker?.kill('SIGKILL');
  await gone;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Creates that were claimed after a moment (ISO). */
function claimedAfter(at: string): number {
  const db = new Database(join(harness.folder, 'ledger.db'), { readonly: true });
  try {
    const { n } = db.prepare('select count(*) as n from attempts where claimed_at > ?').get(Date.parse(at)) as {
      n: number;
    };
    return n;
  } finally {
    db.close();
  }
}

/** What a new worker does after the crash: settles what the dead one left, and creates what it may. */
async function goOn(): Promise<void> {
  await harness.create();
  await harness.follow();
  await until(async () => {
    await harness.follow();
    return ((await harness.ledger.counts(harness.run)).creating ?? 0) === 0;
  });
  await harness.create();
}

async function endsOnce(): Promise<void> {
  harness.sandbox.rules.clear();
  await harness.create();
  await harness.finish();
  expect(await harness.ledger.counts(harness.run)).toEqual({ published: ROWS });
  expect([...harness.accepted().values()]).toEqual(Array(ROWS).fill(1));
}

const by = 'ana@desk';
const set = (layer: PaceLayer) =>
  harness.ledger.setLive({ run: harness.run, by, settings: [{ name: 'max_per', shown: 'x', layer }] });

describe.each(Object.keys(PHASES) as Phase[])('a worker killed while %s, right after', (phase) => {
  beforeEach(async () => {
    const { fault, ...options }: PhaseOptions = await PHASES[phase]();
    harness = await Harness.open({
      rows: ROWS,
      sandbox: { open: ECHO },
      timings: { reconcileForMs: 20_000 },
      limits: { createAnswerMs: 5_000 },
      ...options,
    });
    // Its list shows own creates: without that, a lost create stays unconfirmed.
    await harness.createFirst();
    await harness.follow();
    if (fault !== undefined) harness.sandbox.rules.add(fault);
    await workUntil(phase);
  });

  it('a pause: nothing more is claimed until resume, and then every row is published once', async () => {
    const { at } = await harness.ledger.pause({ run: harness.run, by });
    await kill();
    await goOn();
    expect(claimedAfter(at)).toBe(0);
    await harness.ledger.resume({ run: harness.run, by });
    if (phase === 'waiting') await set({ maxPer: [] });
    await endsOnce();
  });

  it('a resume: the run continues to its end', async () => {
    await harness.ledger.pause({ run: harness.run, by });
    const { opened } = await harness.ledger.resume({ run: harness.run, by });
    await kill();
    expect(opened).toMatchObject([{ kind: 'paused' }]);
    if (phase === 'waiting') await set({ maxPer: [] });
    await endsOnce();
  });

  it('a cancel: nothing more is claimed, and no row is published twice or left open', async () => {
    await harness.ledger.cancel({ run: harness.run, by });
    const at = new Date().toISOString();
    await kill();
    harness.sandbox.rules.clear();
    await goOn();
    await harness.finish();
    expect(claimedAfter(at)).toBe(0);
    const counts = await harness.ledger.counts(harness.run);
    expect(Object.keys(counts).filter((state) => !['cancelled', 'published', 'unconfirmed'].includes(state))).toEqual(
      [],
    );
    expect(counts.cancelled).toBeGreaterThanOrEqual(ROWS - 4);
    expect(Math.max(0, ...harness.accepted().values())).toBeLessThanOrEqual(1);
    expect(harness.accepted().size).toBeLessThanOrEqual(ROWS - (counts.cancelled ?? 0));
  });

  it('a set: every later claim keeps to it', async () => {
    const { at } = await set(phase === 'waiting' ? atMost(3) : atMost(1));
    await kill();
    await goOn();
    expect(claimedAfter(at)).toBe(phase === 'waiting' ? 1 : 0);
    await set({ maxPer: [] });
    await endsOnce();
  });
});
