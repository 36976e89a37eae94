import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { problemLines } from '../../cli/terminal/texts/problems-text';
import { problemsToSend } from '../../submissions/deferred-errors';
import { PROBLEM_CODES } from '../../manifests/problems/problem-codes';
import { checkManifest, readManifest } from '../../manifests/read-manifest';
import { partitionRows } from '../../submissions/partition-rows';
import { visible } from '../../manifests/text';
import { type ManifestReading } from '../../manifests/types';
import { countCharacters } from '../../service/limits';
import { COSTLY_SEEDS, fuzzInputs, type FuzzInput } from './fuzz-input';

/** `node -r register.js fuzz-child.ts SEED MILLISECONDS FILE`: reads made-up manifests until the time is over. */
const [seed = 0, forMs = 0] = process.argv.slice(2, 4).map(Number);
const lastInput = process.argv[4] ?? '';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const PLATFORMS = [
  { name: 'platform_a', kind: 'short' as const },
  { name: 'platform_b', kind: 'long' as const },
];
const PAINT = { paint: (_style: string, text: string) => text, width: 80, local: (text: string): string => text };
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202d\u202e\ufffd]/;

function demand(holds: boolean, what: string, value: unknown): void {
  if (!holds) throw new Error(`${what}: ${(JSON.stringify(value) as string | undefined)?.slice(0, 500) ?? ''}`);
}

function checkProblems({ problems, text, sheet }: ManifestReading): void {
  const lines = Math.max(text.split(/\r\n|\r|\n/).length, sheet?.text.split(/\r\n|\r|\n/).length ?? 0);
  for (const problem of problems) {
    demand(Object.hasOwn(PROBLEM_CODES, problem.code), 'an unknown code', problem);
    demand(visible(problem.message) === problem.message, 'a message that a terminal would not show', problem);
    demand(visible(problem.value ?? '') === (problem.value ?? ''), 'a value that a terminal would not show', problem);
    demand(problem.hint.length > 5, 'no hint', problem);
    const { line } = problem;
    // Text that couldn't be decoded has no lines to compare with.
    demand(line === null || text === '' || (line >= 1 && line <= lines), 'a line outside the file', problem);
  }
}

function checkRows({ rows, problems }: ManifestReading): void {
  const accepted = !problems.some(({ severity }) => severity === 'error');
  demand(!accepted || rows.length > 0, 'neither rows nor an error', problems);
  for (const row of rows) {
    const { title, description, privacy, publishAt, key, platform, source } = row;
    demand(
      PLATFORMS.some(({ name }) => name === platform),
      'a platform',
      row,
    );
    demand(title === null || (title.trim() === title && title !== '' && !/[\r\n]/.test(title)), 'a title', row);
    demand(countCharacters(title ?? '') <= 150 && countCharacters(description ?? '') <= 5000, 'a length', row);
    demand(row.skip || !CONTROL.test(title ?? ''), 'a control character', row);
    demand(privacy === null || ['public', 'private', 'unlisted'].includes(privacy), 'a privacy', row);
    demand(row.platformKind === 'long' || (privacy === null && description === null), 'a field of long ones', row);
    demand(publishAt === null || new Date(publishAt).toISOString() === publishAt, 'a time', row);
    demand(key.length > 0 && countCharacters(key) <= 200, 'a key', row);
    demand(source !== null || row.status !== 'published' || row.skip, 'a source', row);
  }
}

async function examine({ name, bytes, options }: FuzzInput): Promise<void> {
  const source = { text: bytes, name, base: '/nonexistent' };
  const read = { platforms: PLATFORMS, now: NOW, ...options };
  const reading = await readManifest(source, read);
  demand(reading.rows.length + reading.problems.length > 0, 'neither rows nor problems', name);
  checkProblems(reading);
  checkRows(reading);
  const checked = await checkManifest(source, read);
  demand(JSON.stringify(checked.problems) === JSON.stringify(reading.problems), 'another check', checked.problems);
  const good = reading.rows.filter(({ deferredErrors }) => deferredErrors.length === 0).length;
  demand(checked.goodRows === good, 'another count', [checked.goodRows, good]);
  const partitioned = partitionRows(
    reading,
    problemsToSend(reading, () => true),
  );
  demand(partitioned.good.length <= reading.rows.length, 'more rows', partitioned.good);
  problemLines(reading.problems, PAINT, reading);
}

async function main(): Promise<void> {
  const root = join(__dirname, '..', '..');
  const files = ['test/manifests/cases', 'manifests/examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(root, folder, entry.name)))
      .filter((bytes) => bytes.length < 8_000),
  );
  const seeds = [...files, ...COSTLY_SEEDS];
  let runs = 0;
  let slowestMs = 0;
  const property = fc.asyncProperty(fuzzInputs(seeds), async (input) => {
    // Should the process end or hang, its parent finds what it was at.
    writeFileSync(lastInput, JSON.stringify({ ...input, bytes: input.bytes.toString('base64') }));
    process.send?.('begun');
    const started = performance.now();
    await examine(input);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    runs += 1;
  });
  await fc.assert(property, { seed, numRuns: 10_000_000, plugins: [fc.interruptAfterTimeLimit(forMs)] });
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.send?.({ runs, slowestMs: Math.round(slowestMs), peakMb });
}

main().then(
  () => process.disconnect(),
  (error: unknown) => {
    process.stderr.write(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  },
);
