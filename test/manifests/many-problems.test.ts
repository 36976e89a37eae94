import { siftRows } from '../../submissions/partition-rows';
import { read } from './support';

const ROWS = 100_500;

test('the rows that can be left out are bounded: a manifest with more of them is refused, not read as good', async () => {
  const bad = Array.from({ length: ROWS }, (_, index) => `T,https://videos.example/${index}.mp4,nowhere\n`).join('');
  const good = 'T,https://videos.example/good.mp4,short\n';
  const reading = await read(`title,source,platform\n${good}${bad}`, { allProblems: true });
  expect(reading.problems).toHaveLength(100_001);
  expect(reading.problems.at(-1)?.message).toContain(' 500 more');
  expect(reading.invalidRows).toHaveLength(100_000);
  expect(reading.unsoundRows.length).toBeLessThanOrEqual(100_000);
  expect(reading.invalidLines).toHaveLength(ROWS);
  const { good: left, left: problems } = siftRows(reading, reading.problems);
  expect(left).toHaveLength(1);
  expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', line: null }));
});
