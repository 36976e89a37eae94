import { timeHint } from '../../../manifests/times/time-hints';
import { execFileSync } from 'node:child_process';
import { instantsOfLocal } from '../../../manifests/times/local-time';
import { problemsToSend } from '../../../submissions/deferred-errors';
import { errors, list, NOW, read } from '../support';

const timed = (time: string, options: Parameters<typeof read>[1] = {}) =>
  read(`title,source,platform,publish_at\nA,https://example.com/a.mp4,short,${time}\n`, options);

test.each([
  ['2026-06-08T00:00:00+02:00', undefined, '2026-06-07T22:00:00.000Z'],
  ['2026-06-08T00:00Z', undefined, '2026-06-08T00:00:00.000Z'],
  ['2026-06-08 00:00', 'Europe/Berlin', '2026-06-07T22:00:00.000Z'],
  ['2026-12-08 00:00:30', 'America/New_York', '2026-12-08T05:00:30.000Z'],
  ['2026-06-08 00:00+0530', 'Europe/Berlin', '2026-06-07T18:30:00.000Z'],
  ['2026-06-08T00:00[Asia/Tokyo]', 'Europe/Berlin', '2026-06-07T15:00:00.000Z'],
  ['2026-06-08 00:00', '-03:00', '2026-06-08T03:00:00.000Z'],
  // Whichever of the two numbers is the month.
  ['12.12.2026 18:00', 'Europe/Berlin', '2026-12-12T17:00:00.000Z'],
  ['7/7/2026 6:00 PM', '-03:00', '2026-07-07T21:00:00.000Z'],
])('%s in %s is %s', async (time, timezone, expected) => {
  const reading = await timed(time, timezone === undefined ? {} : { timezone });
  expect(list(reading)).toEqual([]);
  expect(reading.rows[0]?.publishAt).toBe(expected);
});

test.each([
  ['2026-06-08 00:00', undefined, 'time-zone-missing'],
  ['2027-03-28 02:30', 'Europe/Paris', 'time-not-real'],
  ['2026-11-01 01:30', 'America/New_York', 'time-twice'],
  ['2026-06-08', 'Europe/Paris', 'bad-time'],
  ['08/06/2026 18:00', 'Europe/Paris', 'bad-time'],
  ['13.13.2026 18:00', 'Europe/Paris', 'bad-time'],
  ['12.12.26 18:00', 'Europe/Paris', 'bad-time'],
  ['2026-02-30 18:00', 'Europe/Paris', 'bad-time'],
  ['2026-06-08 24:00', 'Europe/Paris', 'bad-time'],
  ['2026-05-31T23:00:00Z', undefined, 'time-past'],
])('%s in %s is refused as %s', async (time, timezone, code) => {
  expect(errors(await timed(time, timezone === undefined ? {} : { timezone }))).toEqual([`error 2 publish_at ${code}`]);
});

test.each([
  ['29.02.2027 18:00', {}, 'February 2027 has 28 days. Correct the date.'],
  ['31/04/2027 18:00', {}, 'April 2027 has 30 days. Correct the date.'],
  ['13/14/2026 18:00', {}, 'Neither 13 nor 14 can be the month. Write it as 2026-06-08T18:00:00+02:00.'],
  ['2027-02-29 18:00', {}, 'February 2027 has 28 days.'],
  [
    '29.02.2027 18:00',
    { settings: { dateFormat: 'DD.MM.YYYY' } },
    'February 2027 has 28 days. By the date_format DD.MM.YYYY: are day and month the other way round?',
  ],
])('%s names the month that lacks the day, or says that there is none', async (time, options, hint) => {
  const reading = await timed(time, { timezone: 'Europe/Paris', ...options });
  expect(reading.problems.map((problem) => [problem.code, problem.hint])).toEqual([['bad-time', hint]]);
});

const ONE = 'A row is sent once: keep one of them, and add a row with its own key for each of the others.';

test.each([
  [
    '5.12. 18:00 / 19:00',
    undefined,
    '2 times of day (18:00 and 19:00) and no year',
    `${ONE} Write the year too, with four digits.`,
  ],
  ['2026-12-05 18:00 / 19:00', undefined, '2 times of day (18:00 and 19:00)', ONE],
  ['2026-12-05 18:00-19:00', undefined, '2 times of day (18:00 and 19:00)', ONE],
  ['05.12.2026 6:00 PM; 7:00 PM; 8:00 PM', 'DD.MM.YYYY', '3 times of day (6:00 PM, 7:00 PM and 8:00 PM)', ONE],
  ['5.12.2026 18:00 und 6.12.2026 18:00', 'DD.MM.YYYY', '2 dates (5.12.2026 and 6.12.2026)', ONE],
  ['2026-12-05T18:00Z, 2026-12-06T18:00Z', undefined, '2 dates (2026-12-05 and 2026-12-06)', ONE],
  ['5.12. 18:00', 'DD.MM.YYYY', 'no year', 'Write the year too, with four digits.'],
  [
    '5.12.26 18:00',
    'DD.MM.YYYY',
    'a year with two digits, but the date_format DD.MM.YYYY has one with four',
    'Write the year with four digits.',
  ],
  [
    '5.12.2026 18:00',
    'DD.MM.YY',
    'a year with four digits, but the date_format DD.MM.YY has one with two',
    'Use the date_format DD.MM.YYYY.',
  ],
])('%s (date_format %s) is refused with what is wrong in it', async (time, dateFormat, has, hint) => {
  const settings = dateFormat === undefined ? {} : { settings: { dateFormat } };
  const reading = await timed(`"${time}"`, { timezone: 'Europe/Paris', ...settings });
  expect(reading.problems.map(({ code, message, hint: text }) => [code, message, text])).toEqual([
    ['bad-time', `“${time}” has ${has}.`, hint],
  ]);
});

test('a year with two digits is named, with what the date may be', async () => {
  const problem = async (time: string) => (await timed(time, { timezone: 'Europe/Paris' })).problems[0];
  const dots = await problem('5.12.26 18:00');
  expect([dots?.message, dots?.hint]).toEqual([
    '“5.12.26 18:00” has a year with two digits.',
    expect.stringMatching(
      /2026-05-12 18:00 \(date_format: MM\.DD\.YY\) or 2026-12-05 18:00 \(date_format: DD\.MM\.YY\)/u,
    ),
  ]);
  expect((await problem('26-12-05 18:00'))?.hint).toContain('2026-12-05 18:00 (date_format: YY-MM-DD)');
});

test('a time that has an offset is one time', async () => {
  expect((await timed('"Dec 5, 18:00-05:00"', { timezone: 'Europe/Paris' })).problems[0]?.message).toContain(
    'can’t be read',
  );
});

test('a repeated time is reported with both offsets', async () => {
  const reading = await timed('2026-11-01 01:30', { timezone: 'America/New_York' });
  expect(reading.problems[0]?.hint).toContain('-04:00 or -05:00');
});

test('a far year is warned of', async () => {
  expect(list(await timed('2062-06-08T00:00Z'))).toEqual(['warning 2 publish_at time-far']);
});

test('the year 9999, often written for “never”, is refused: such a row would wait for ever', async () => {
  for (const text of ['9999-12-31T23:59:59Z', '9999-06-01T12:00+02:00']) {
    const reading = await timed(text);
    expect(list(reading)).toEqual(['error 2 publish_at bad-time']);
    expect(reading.problems[0]).toMatchObject({
      message: `“${text}” is so far away that the row would never be sent.`,
      hint: expect.stringContaining('skip'),
    });
  }
});

test('a moment just passed is no past time', async () => {
  const reading = await timed(new Date(NOW - 60_000).toISOString());
  expect(list(reading)).toEqual([]);
});

test('past times are sent now or left out where that is asked for', async () => {
  const past = '2026-05-01T00:00Z';
  expect((await timed(past, { past: 'now' })).rows).toMatchObject([{ publishAt: null, skip: false }]);
  expect((await timed(past, { past: 'skip' })).rows).toMatchObject([{ skip: true }]);
});

test('a past time blocks its row only while that is still to be sent', async () => {
  const reading = await timed('2026-05-01T00:00Z');
  expect(reading.rows).toHaveLength(1);
  expect(problemsToSend(reading, () => false)).toEqual([]);
  expect(list({ problems: problemsToSend(reading, () => true) })).toEqual(['error 2 publish_at time-past']);
});

test('local times around every change of a year agree with the zone’s clock', () => {
  for (const zone of ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata']) {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    for (let local = Date.UTC(2026, 0, 1); local < Date.UTC(2027, 0, 1); local += 6.5 * 3_600_000) {
      const found = instantsOfLocal(zone, local);
      const moments = found.kind === 'none' ? [] : found.kind === 'one' ? [found.ms] : found.ms;
      for (const ms of moments)
        expect(`${clock.format(ms).replace(' ', 'T')}.000Z`).toBe(new Date(local).toISOString());
    }
  }
});

test('the machine’s own zone changes nothing', () => {
  const script = `
    require('@swc/core');
    const { transformSync } = require('@swc/core');
    const { readFileSync } = require('node:fs');
    require.extensions['.ts'] = (module, file) => module._compile(transformSync(readFileSync(file, 'utf8'), { filename: file, jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } }).code, file);
    const { readManifest } = require('./manifests/read-manifest.ts');
    const text = Buffer.from('title,source,platform,publish_at\\nA,https://example.com/a.mp4,short,2026-06-08 00:00\\n');
    readManifest({ text, name: 'a.csv', base: '/' }, { platforms: [{ name: 'p', kind: 'short' }], now: 0, timezone: 'Europe/Berlin' })
      .then((reading) => process.stdout.write(reading.rows[0].publishAt));`;
  const times = ['UTC', 'America/Los_Angeles'].map((TZ) =>
    execFileSync(process.execPath, ['-e', script], { env: { ...process.env, TZ }, encoding: 'utf8' }),
  );
  expect(times).toEqual(['2026-06-07T22:00:00.000Z', '2026-06-07T22:00:00.000Z']);
});

const ended = (deadline: string, time = '') =>
  read(`title,source,platform,publish_at,deadline\nA,https://example.com/a.mp4,short,${time},${deadline}\n`, {
    timezone: 'Europe/Berlin',
  });

test('a deadline is read like publish_at', async () => {
  const reading = await ended('2026-06-08 18:00', '2026-06-08T17:00+02:00');
  expect(list(reading)).toEqual([]);
  expect(reading.rows[0]).toMatchObject({ deadline: '2026-06-08T16:00:00.000Z', deferredErrors: [] });
});

test.each([
  ['2026-06-08 18:00', '2026-06-08 18:01', 'deadline-first'],
  ['2026-05-31T23:00:00Z', '', 'deadline-past'],
  ['soon', '', 'bad-time'],
])('a deadline of %s with a publish_at of “%s” is refused as %s', async (deadline, time, code) => {
  expect(errors(await ended(deadline, time))).toEqual([`error 2 deadline ${code}`]);
});

test('a deadline that has passed is no error for a row that is live', async () => {
  const reading = await ended('2026-05-31T23:00:00Z');
  expect(problemsToSend(reading, () => false)).toEqual([]);
});

test('a hint on how a date may be meant keeps a time of day that can’t be read', () => {
  expect(timeHint('30/11/2026 six pm', undefined)).toMatch(
    /write 2026-11-30 with its time of day instead\. “six pm” can’t be read as a time of day: write it as 18:00\.$/,
  );
  expect(timeHint('30/11/2026 6:00 PM', undefined)).toMatch(/write 2026-11-30 18:00 instead\.$/);
  expect(timeHint('31/12/2026 25:00', undefined)).toMatch(/with its time of day instead\. “25:00” can’t be read/);
});
