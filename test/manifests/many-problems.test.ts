import { partitionRows } from '../../submissions/partition-rows';
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
  const { good: left, left: problems } = partitionRows(reading, reading.problems);
  expect(left).toHaveLength(1);
  expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', line: null }));
});

describe('an error among many warnings of its code', () => {
  const platforms = (index: number, written: string): string =>
    `T,https://videos.example/${String(index)}.mp4,${written},words\n`;
  const warned = Array.from({ length: 1_100 }, (_, index) => platforms(index, 'long|short')).join('');
  const text = `title,source,platform,description\n${warned}${platforms(2_000, 'short')}`;

  test('is listed, so that the manifest is refused and the row isn’t lost', async () => {
    const { problems, rows } = await read(text);
    expect(rows).toHaveLength(2_200);
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'description-not-offered', line: 1_102 }),
    );
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        line: null,
        message: expect.stringContaining(' 100 more') as string,
      }),
    );
  });

  test('leaves the warnings bounded where every error is listed', async () => {
    const { problems } = await read(text, { allProblems: true });
    const warnings = problems.filter(({ code, line }) => code === 'description-not-offered' && line !== null);
    expect(warnings).toHaveLength(1_001);
  });
});
