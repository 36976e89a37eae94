import { errors, read, readYaml } from '../support';

/** A sheet of which the last column, `Datum`, has these cells. */
const sheet = (cells: readonly string[], header = 'Datum') =>
  [
    'title,source,platform,' + header,
    ...cells.map((cell, at) => `T${at},https://example.com/${at}.mp4,short,${cell}`),
  ].join('\n');

test.each([
  ['24.12.2026', '24.12.2026 18:00'],
  ['2026-06-01', ''],
  ['12/24/2026', '12/25/26'],
  ['', '24.12.26', '01.02.2025'],
])('a column of one’s own with the dates %j is refused where nothing else says when to publish', async (...cells) => {
  const reading = await read(sheet(cells));
  const line = cells.findIndex((cell) => cell !== '') + 2;
  expect(errors(reading)).toEqual([`error ${line} Datum times-unread`]);
  const problem = reading.problems.find(({ code }) => code === 'times-unread');
  expect(problem?.hint).toContain('--column Datum=publish_at');
});

test.each<[string, readonly string[], Parameters<typeof read>[1]]>([
  ['dates that are over', ['24.12.2025', '31.05.2026'], {}],
  ['other cells too', ['24.12.2026', 'soon'], {}],
  ['numbers', ['12', '2026'], {}],
  ['versions', ['10.20.30.40', '1.99.1'], {}],
  [
    'dates, and a mapping that says that it is one’s own',
    ['24.12.2026'],
    { settings: { columns: { Datum: 'ignore' } } },
  ],
  ['dates, beside a default for the time', ['24.12.2026'], { defaults: { publish_at: '2026-12-24T18:00Z' } }],
])('a column of one’s own is accepted with %s', async (_, cells, options) => {
  expect(errors(await read(sheet(cells), options))).toEqual([]);
});

test('a column of one’s own with dates is accepted beside a column for the time, even if that is blank', async () => {
  const reading = await read(sheet(['24.12.2026,', '25.12.2026,2026-12-25T18:00Z'], 'Datum,publish_at'));
  expect(errors(reading)).toEqual([]);
});

test('a YAML may have keys of one’s own with dates', async () => {
  const row = 'title: A, source: https://example.com/a.mp4, platform: short, date_of_event: 24.12.2026';
  expect(errors(await readYaml(`videos: [{${row}}]\n`))).toEqual([]);
});

test('the time of day in a column that isn’t read is found where a date lacks it', async () => {
  const columns = { Datum: 'publish_date' };
  const text = sheet(['24.12.2026,18:00'], 'Datum,Uhrzeit').replace('T0', '6:30');
  const [problem, ...more] = (await read(text, { settings: { columns } })).problems.filter(
    ({ severity }) => severity === 'error',
  );
  expect(more).toEqual([]);
  expect(problem).toMatchObject({ code: 'bad-time', column: 'Datum' });
  expect(problem?.hint).toBe(
    'The column “Uhrzeit” has a time of day, but isn’t read: map it with --column Uhrzeit=publish_time.',
  );
  const without = await read(sheet(['24.12.2026,soon'], 'Datum,Uhrzeit'), { settings: { columns } });
  expect(without.problems.find(({ code }) => code === 'bad-time')?.hint).toBe('Fill in publish_time too.');
});
