import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { checkManifest } from '../../../manifests/read-manifest';
import { errors, folder, NOW, PLATFORMS, readYaml, removeFolders } from '../support';

afterEach(removeFolders);

const OPTIONS = { platforms: PLATFORMS, now: NOW };

/** A file of this many bytes that takes no space on disk. */
function largeFile(name: string, bytes: number, start = ''): string {
  const path = join(folder({ [name]: start }), name);
  truncateSync(path, bytes);
  return path;
}

test.each([
  ['200 MB on one line', 200_000_000],
  ['more than a string of Node can hold', 600 * 1024 * 1024],
  ['ten gigabytes', 10 * 1024 ** 3],
])('a manifest of %s is refused without being read', async (_name, bytes) => {
  const path = largeFile('spring.csv', bytes, 'title,source');
  const before = process.memoryUsage().rss;
  const { problems } = await checkManifest({ path }, OPTIONS);
  expect(problems).toMatchObject([{ code: 'manifest-too-large', severity: 'error', value: path }]);
  expect(problems[0]?.message).toMatch(/ MiB; at most 100 MiB are read/);
  expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
});

test('a sheet that is too large is refused where the manifest names it', async () => {
  const sheet = largeFile('rows.csv', 200_000_000);
  const reading = await readYaml(`campaign: spring\nvideos: ${sheet}\n`);
  expect(errors(reading)).toEqual(['error 2 videos manifest-too-large']);
});

const row = (index: number, more: string): string =>
  `  - {title: T${index}, source: "https://e.example/${index}.mp4", platform: short, ${more}}\n`;
const rows = (count: number, more: string): string =>
  `videos:\n${Array.from({ length: count }, (_one, index) => row(index, more)).join('')}`;
const keys = (count: number): string => Array.from({ length: count }, (_one, index) => `k${index}: v`).join(', ');

// Followed to their ends these take from half a minute to hours.
test.each([
  ['aliases of a long list', `x-a: &a [${'x, '.repeat(9_000)}x]\n${rows(10_000, 'notes: *a')}`],
  ['aliases of a large mapping', `x-a: &a {${keys(4_000)}}\n${rows(10_000, 'notes: *a')}`],
  ['merges of a large mapping', `x-a: &a {${keys(1_000)}}\n${rows(2_000, '<<: *a')}`],
  ['aliases of a long text', `x-a: &a "${'x'.repeat(1_000_000)}"\n${rows(5_000, 'notes: *a')}`],
])('%s are refused soon', async (_name, text) => {
  const before = process.cpuUsage();
  const reading = await readYaml(text);
  const { user, system } = process.cpuUsage(before);
  expect(reading.problems).toContainEqual(
    expect.objectContaining({ code: 'yaml-alias', message: expect.stringContaining('add up to') as string }),
  );
  // Processor time, so that a busy machine doesn't matter.
  expect((user + system) / 1e6).toBeLessThan(20);
});

test('ten merged fields in each of 20,000 rows are no problem', async () => {
  const reading = await readYaml(`x-a: &a {${keys(10)}}\n${rows(20_000, '<<: *a')}`);
  expect(errors(reading)).toEqual([]);
  expect(reading.rows).toHaveLength(20_000);
});

/** A nest of `count` levels, each a line that is indented further than the last. */
const steps = (count: number): string =>
  Array.from({ length: count }, (_one, level) => `${' '.repeat(level)}a:\n`).join('');

test.each([
  ['lists in brackets', `campaign: spring\nx: ${'['.repeat(50_000)}`, 2],
  ['closed brackets', `campaign: spring\nx: ${'['.repeat(50_000)}${']'.repeat(50_000)}`, 2],
  ['mappings in braces', `campaign: spring\nx: ${'{a: '.repeat(50_000)}`, 2],
  ['dashes', `campaign: spring\nx:\n  ${'- '.repeat(50_000)}a\n`, 3],
  ['question marks', `${'? '.repeat(50_000)}a\n`, 1],
  ['lines, which end at once', `campaign: spring\n${steps(4_000)}b: 1\n`, 201],
])('a YAML nested by %s is refused, and the line is named', async (_name, text, line) => {
  const { problems } = await readYaml(text);
  expect(problems).toMatchObject([{ code: 'yaml-shape', line, message: expect.stringMatching(/200 levels deep/) }]);
});
