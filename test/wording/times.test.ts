import { inReaderZone, localTime, relativeTime, timeText } from '../../wording/times';

const now = Date.parse('2026-12-01T08:00:00Z');
const berlin = { zone: 'Europe/Berlin', now };

test.each([
  ['2026-12-05T17:00:00.123Z', 'Europe/Berlin', 'Sat 5 Dec 18:00'],
  ['2027-07-05T17:00:00Z', 'Europe/Berlin', 'Mon 5 Jul 2027 19:00'],
  ['2026-12-31T23:30:00Z', '+01:00', 'Fri 1 Jan 2027 00:30'],
  ['2026-12-05T02:00:00Z', '-03:30', 'Fri 4 Dec 22:30'],
  ['2026-12-05T17:00:00Z', 'Z', 'Sat 5 Dec 17:00'],
])('%s in %s is %s, without seconds, and with the year only where it is another one', (iso, zone, shown) => {
  expect(localTime(iso, { zone, now })).toBe(shown);
});

test('how long until then, or ago, is beside it', () => {
  expect(timeText('2026-12-01T11:00:00Z', berlin)).toBe('Tue 1 Dec 12:00 (in 3 h)');
  expect(timeText('2026-12-01T07:55:00Z', berlin)).toBe('Tue 1 Dec 08:55 (5 min ago)');
  expect(relativeTime(now + 400, now)).toBe('now');
});

test('rows that wait for a person have no time', () => {
  expect(timeText('9999-12-31T23:59:59.000Z', berlin)).toBe('never automatically');
});

test('a sentence has its UTC times in the reader’s zone; what only looks like one stays', () => {
  const text = 'paused since 2026-12-01T07:55:00.120Z; file 2026-12-01, v2026-12-01T07:55:00Z';
  expect(inReaderZone(text, berlin)).toBe(
    'paused since Tue 1 Dec 08:55 (5 min ago); file 2026-12-01, v2026-12-01T07:55:00Z',
  );
  expect(inReaderZone(text, berlin, { steady: true })).toContain('paused since Tue 1 Dec 08:55; file');
});
