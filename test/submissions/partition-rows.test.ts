import { partitionRows } from '../../submissions/partition-rows';
import { type ReadOptions } from '../../manifests/types';
import { folder, read, readYaml, removeFolders } from '../manifests/support';

afterEach(removeFolders);

const HEADER = 'key,source,platform,title';
const good = (key: string) => `${key},https://videos.example/${key}.mp4,short,Title`;

async function sift(text: string, options: Partial<ReadOptions> = {}) {
  const reading = await read(text, { allProblems: true, ...options });
  const { good: rows, rejected, left } = partitionRows(reading, reading.problems);
  return {
    good: rows.map((row) => row.key),
    rejected: rejected.map(({ line, code }) => [line, code]),
    errors: left.filter(({ severity }) => severity === 'error').map(({ code }) => code),
  };
}

describe('rows with errors beside good ones', () => {
  test('are parted from the good ones, each with all its errors', async () => {
    const time = 'e,,short|long,T,soon';
    const text = [`${HEADER},publish_at`, `${good('a')},`, time].join('\n');
    const reading = await read(text, { allProblems: true });
    const { rejected, skipped } = partitionRows(reading, reading.problems);
    expect(rejected).toMatchObject([{ line: 3, code: 'source-missing bad-time' }]);
    const message = rejected[0]?.message ?? '';
    for (const problem of skipped) expect(message).toContain(`${problem.column ?? ''}: ${problem.message}`);
    expect(message.match(/publish_at: /gu)).toHaveLength(1);
  });

  test('are parted from the good ones', async () => {
    const text = [HEADER, good('a'), 'b,,short,', good('c'), 'd,https://videos.example/d.mp4,sideways,T'].join('\n');
    expect(await sift(text)).toEqual({
      good: ['a', 'c'],
      rejected: [
        [3, 'source-missing'],
        [5, 'platform-unknown'],
      ],
      errors: [],
    });
  });

  test('all have their reason, however many there are of one kind', async () => {
    const text = [HEADER, good('a'), ...Array.from({ length: 2500 }, (_, at) => `k${at},,short,T`)].join('\n');
    const { rejected, errors } = await sift(text);
    expect([rejected.length, errors]).toEqual([2500, []]);
  });

  test('are those with a warning too, where warnings are errors', async () => {
    const text = [HEADER, good('a'), `b,https://videos.example/b.mp4,short`].join('\n');
    expect(await sift(text)).toMatchObject({ good: ['a', 'b'], rejected: [] });
    expect(await sift(text, { strict: true })).toMatchObject({
      good: ['a'],
      rejected: [[3, 'short-row title-missing']],
    });
  });

  test.each([
    ['an unknown column', [`${HEADER},visibilty`, `${good('a')},private`]],
    ['a missing column', ['key,platform', 'a,short']],
    ['a quote that is never closed', [HEADER, good('a'), 'b,"https://videos.example/b.mp4,short,T', good('c')]],
    ['wrong quotes throughout', [HEADER, good('a'), ...Array.from({ length: 120 }, (_, at) => `k${at},x"y,short,T`)]],
  ])('cannot be left out because of %s', async (_what, lines) => {
    expect((await sift(lines.join('\n'))).errors).not.toEqual([]);
  });

  test('are distinguished from errors of the YAML with the same line numbers as its sheet', async () => {
    const base = folder({ 'rows.csv': [HEADER, good('a'), good('b'), good('c'), 'd,,short,T'].join('\n') });
    const text = 'version: 1\ncampaign: spring\nlate: never\nvideos: rows.csv\n';
    const reading = await readYaml(text, { base });
    const { rejected, left } = partitionRows(reading, reading.problems);
    expect(rejected.map(({ line }) => line)).toEqual([5]);
    expect(left.filter(({ severity }) => severity === 'error').map(({ line }) => line)).toEqual([3]);
  });
});
