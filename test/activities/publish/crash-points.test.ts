import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inParallel } from '../../../activities/in-parallel';
import { type CrashInput } from '../crash-child';
import { Harness } from '../harness';

jest.setTimeout(600_000);

const ECHO = { echoTitle: true, echoProfile: true, echoCreatedAt: true };
/** More than any of the walks has. */
const ROWS = 60;

let harness: Harness;

beforeEach(async () => {
  harness = await Harness.open({ rows: ROWS, sandbox: { open: ECHO }, timings: { reconcileForMs: 20_000 } });
});

afterEach(() => harness.close());

/** Runs the child; null when it was killed, else the steps it went through. */
async function child(input: Omit<CrashInput, 'folder' | 'baseUrl' | 'apiKey' | 'run'>): Promise<string[] | null> {
  const { folder, run, sandbox } = harness;
  const given: CrashInput = { ...input, folder, run, baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
  const ended = spawn(
    process.execPath,
    [
      '-r',
      join(__dirname, '..', '..', 'support', 'register.js'),
      join(__dirname, '..', 'crash-child.ts'),
      JSON.stringify(given),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  ended.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    ended.once('close', (...end) => resolve(end));
  });
  if (signal === 'SIGKILL') return null;
  if (code !== 0) throw new Error(`the child ended with ${String(code)}`);
  return JSON.parse(said) as string[];
}

/**
 * Kills one child at each step of the create of a row of its own, then lets this process settle all of them. Where recordings
 * fail, at each step from the first on that a create without failures doesn't have: those before are the other walk's.
 */
async function walk(failingRecords: number): Promise<string[]> {
  const [channel] = await harness.ledger.channels(harness.run);
  const channelId = channel?.id ?? '';
  const page = await harness.ledger.takePage({ run: harness.run, channelId, limit: ROWS, now: Date.now() });
  const ids = page.map((row) => row.id);
  const steps = await child({ channelId, rowId: ids[0] ?? 0, killAt: 0, failingRecords });
  if (steps === null) throw new Error('the child without a kill was killed');
  const usual =
    failingRecords === 0 ? [] : await child({ channelId, rowId: ids[1] ?? 0, killAt: 0, failingRecords: 0 });
  const from = steps.findIndex((step, index) => step !== usual?.[index]);
  const points = steps.map((_, index) => index + 1).slice(from);
  expect(points.length).toBeLessThan(ROWS - 2);
  const killed = new Set<number>();
  const rows = ids.slice(2);
  await inParallel(2, [...points.entries()], async ([index, killAt]) => {
    const ended = await child({ channelId, rowId: rows[index] ?? 0, killAt, failingRecords });
    if (ended === null) killed.add(killAt);
  });
  expect(killed.size).toBe(points.length);
  await harness.finish();
  await harness.create();
  await harness.finish();
  const results = await harness.results();
  expect(results.filter((row) => row.state !== 'published')).toEqual([]);
  expect([...harness.accepted().values()]).toEqual(Array(ROWS).fill(1));
  for (const entry of harness.sandbox.log()) {
    expect(results.find((row) => row.publication_id === entry.id)?.title).toBe(entry.title);
  }
  return steps;
}

describe('a worker killed at any step of a create', () => {
  it('leaves no row published twice and none lost', async () => {
    const steps = await walk(0);
    for (const step of ['after ledger.claim', 'before service.createPublication', 'after ledger.record']) {
      expect(steps).toContain(step);
    }
  });

  it('loses no outcome that the ledger could not take: not before the spool, not in it, not on the way back', async () => {
    const steps = await walk(1);
    for (const step of ['before spool.add', 'before files.rename', 'before files.rm', 'after spool.drainInto']) {
      expect(steps).toContain(step);
    }
  });
});
