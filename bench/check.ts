import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parse as parseYaml } from 'yaml';
import { checkManifest } from '../manifests/read-manifest';

/**
 * The cost of checking a manifest compared with only parsing it, on the path that `reelay check` takes: a CSV of
 * 100,000 rows (28 MB) against csv-parse, and a YAML of 10,000 rows against `yaml`, in the same process; and the memory
 * of a process that does nothing but that check: `npm run bench:check`. Exits with 1 if a limit is exceeded.
 */
const CSV_ROWS = 100_000;
const YAML_ROWS = 10_000;
const MOST = { csv: 3, yaml: 2, megabytes: 300 } as const;
const ROUNDS = 3;

const OPTIONS = {
  platforms: [
    { name: 'platform_a', kind: 'short' as const },
    { name: 'platform_b', kind: 'long' as const },
  ],
  now: Date.UTC(2026, 5, 1),
};

function csv(): string {
  const lines = ['key,title,source,description,platform,privacy,publish_at,note'];
  for (let at = 0; at < CSV_ROWS; at++) {
    const minute = String(at % 60).padStart(2, '0');
    const description = `"What happens in episode ${at}, told in a sentence, as people do: ${'lorem ipsum, '.repeat(8)}"`;
    lines.push(
      `video-${at},Episode ${at},https://media.example/v/${at}.mp4,${description},long,public,2026-07-0${(at % 9) + 1}T18:${minute}:00Z,a note`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function yaml(): string {
  const items = Array.from(
    { length: YAML_ROWS },
    (_, at) => `  - key: video-${at}
    title: "Episode ${at}"
    source: https://media.example/v/${at}.mp4
    description: What happens in episode ${at}, told in a sentence.
    platform: long
    privacy: public
`,
  );
  return `version: 1\ncampaign: bench\nvideos:\n${items.join('')}`;
}

async function timed(work: () => unknown): Promise<number> {
  global.gc?.();
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function check(path: string): Promise<void> {
  const { problems } = await checkManifest({ path }, OPTIONS);
  const error = problems.find((problem) => problem.severity === 'error');
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
}

/** Returns whether the limit holds. */
function show(what: string, times: { ours: number; theirs: number }, most: number): boolean {
  const ratio = times.ours / times.theirs;
  console.log(
    `${what}: ${times.ours.toFixed(0)} ms, the bare parser ${times.theirs.toFixed(0)} ms: ` +
      `${ratio.toFixed(2)} times (at most ${most})`,
  );
  return ratio <= most;
}

/** The peak memory (MB) of a separate process for one check. */
function peakMegabytes(path: string): number {
  const args = [...process.execArgv, __filename, 'once', path];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return Number(child.stdout);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reelay-bench-'));
  try {
    const sheetPath = join(folder, 'bench.csv');
    const listPath = join(folder, 'bench.yaml');
    const sheet = csv();
    const list = yaml();
    writeFileSync(sheetPath, sheet);
    writeFileSync(listPath, list);
    const ofCsv = { ours: Infinity, theirs: Infinity };
    const ofYaml = { ours: Infinity, theirs: Infinity };
    // Alternating, so that both are equally slow on a machine that others use too.
    for (let round = 0; round < ROUNDS; round++) {
      ofCsv.theirs = Math.min(ofCsv.theirs, await timed(() => parse(sheet, { columns: true })));
      ofCsv.ours = Math.min(ofCsv.ours, await timed(() => check(sheetPath)));
      ofYaml.theirs = Math.min(ofYaml.theirs, await timed(() => parseYaml(list) as unknown));
      ofYaml.ours = Math.min(ofYaml.ours, await timed(() => check(listPath)));
    }
    const megabytes = peakMegabytes(sheetPath);
    const size = (sheet.length / 1e6).toFixed(0);
    const held = [
      show(`check of ${CSV_ROWS} CSV rows, ${size} MB`, ofCsv, MOST.csv),
      show(`check of ${YAML_ROWS} YAML rows`, ofYaml, MOST.yaml),
      megabytes <= MOST.megabytes,
    ];
    console.log(`memory of the CSV's check: ${megabytes.toFixed(0)} MB (at most ${MOST.megabytes})`);
    if (held.includes(false)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function once(path: string): Promise<void> {
  await check(path);
  console.log(process.resourceUsage().maxRSS / 1024);
}

const [, , mode, path] = process.argv;
void (mode === 'once' && path !== undefined ? once(path) : main());
