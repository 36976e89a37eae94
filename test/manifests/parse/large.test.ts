import { read } from '../support';

/** User and system time (µs) of this process: other work on the machine doesn't count. */
async function check(rows: number): Promise<number> {
  const lines = Array.from({ length: rows }, (_one, index) => {
    const minute = String(index % 60).padStart(2, '0');
    return `Title ${index},https://example.com/v/${index}.mp4,"${'lorem ipsum, '.repeat(16)}",long,public,2026-07-0${(index % 9) + 1} 18:${minute}\n`;
  });
  const text = `title,source,description,platform,privacy,publish_at\n${lines.join('')}`;
  const before = process.cpuUsage();
  const reading = await read(text, { timezone: 'Europe/Berlin' });
  expect(reading.problems).toEqual([]);
  expect(reading.rows).toHaveLength(rows);
  expect(reading.rows.at(-1)).toMatchObject({ position: rows - 1, line: rows + 1 });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

test('a hundred thousand rows are checked, and each costs about what it costs in a small file', async () => {
  const few = await check(10_000);
  // Ten times the rows; anything quadratic would take a hundred times as long.
  expect(await check(100_000)).toBeLessThan(40 * few);
});
