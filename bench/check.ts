import { readManifest } from '../manifests/read-manifest';
import { parse } from 'csv-parse/sync';
import { parse as parseYaml } from 'yaml';

/**
 * What checking a manifest costs beside only parsing it: a CSV of 100,000 rows (28 MB) against csv-parse, and a YAML of
 * 10,000 rows against `yaml`, in the same process: `npm run bench:check`.
 */
const CSV_ROWS = Number(process.argv[2] ?? 100_000);
const YAML_ROWS = Number(process.argv[3] ?? 10_000);
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

async function fastest(work: () => unknown): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    global.gc?.();
    const started = performance.now();
    await work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

async function check(text: string, name: string): Promise<void> {
  const reading = await readManifest({ text: Buffer.from(text), name, base: '/' }, OPTIONS);
  const errors = reading.problems.filter((problem) => problem.severity === 'error');
  if (errors.length > 0) throw new Error(`${errors[0]!.code}: ${errors[0]!.message}`);
}

function show(what: string, ours: number, theirs: number): void {
  const ratio = (ours / theirs).toFixed(2);
  console.log(`${what}: ${ours.toFixed(0)} ms, the bare parser ${theirs.toFixed(0)} ms: ${ratio} times`);
}

async function main(): Promise<void> {
  const sheet = csv();
  const ours = await fastest(() => check(sheet, 'bench.csv'));
  const peak = process.resourceUsage().maxRSS / 1024;
  const theirs = await fastest(() => parse(sheet, { columns: true }));
  show(`check of ${CSV_ROWS} CSV rows, ${(sheet.length / 1e6).toFixed(0)} MB`, ours, theirs);
  console.log(`memory at most ${peak.toFixed(0)} MB`);
  const list = yaml();
  const theirYaml = await fastest(() => parseYaml(list) as unknown);
  const ourYaml = await fastest(() => check(list, 'bench.yaml'));
  show(`check of ${YAML_ROWS} YAML rows`, ourYaml, theirYaml);
}

void main();
