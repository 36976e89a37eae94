import { read } from './support';

test('a hundred thousand rows are checked in seconds', async () => {
  const lines = Array.from({ length: 100_000 }, (_one, index) => {
    const minute = String(index % 60).padStart(2, '0');
    return `Title ${index},https://example.com/v/${index}.mp4,"${'lorem ipsum, '.repeat(16)}",long,public,2026-07-0${(index % 9) + 1} 18:${minute}\n`;
  });
  const text = `title,source,description,platform,privacy,publish_at\n${lines.join('')}`;
  const started = Date.now();
  const reading = await read(text, { timezone: 'Europe/Berlin' });
  expect(reading.problems).toEqual([]);
  expect(reading.rows).toHaveLength(100_000);
  expect(reading.rows.at(-1)).toMatchObject({ position: 99_999, line: 100_001 });
  // Some seconds on an idle machine; anything quadratic would take minutes.
  expect(Date.now() - started).toBeLessThan(45_000);
});
