import { firingKey, keysOf } from '../../../activities/schedules/firing-key';
import { type CalendarTimes } from '../../../activities/schedules/schedule-server';
import { changedTimes } from '../../../activities/schedules/skipped-times';

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

function calendar(hour: number | number[], minute: number, change: Partial<CalendarTimes> = {}): CalendarTimes {
  return {
    seconds: [0],
    minutes: [minute],
    hours: [hour].flat(),
    daysOfMonth: upTo(31),
    months: upTo(12),
    daysOfWeek: upTo(6, 0),
    years: [],
    ...change,
  };
}

const YEAR = { from: Date.parse('2026-09-01T00:00:00Z'), to: Date.parse('2027-09-01T00:00:00Z') };

describe('the key of a firing', () => {
  const at = Date.parse('2026-11-01T05:30:00Z');
  test('is what the wall clock shows, or UTC', () => {
    expect(firingKey(at, 'date', 'America/New_York')).toBe('2026-11-01');
    expect(firingKey(at, 'time', 'America/New_York')).toBe('2026-11-01T01:30');
    expect(firingKey(at, 'utc', 'America/New_York')).toBe('2026-11-01T05:30:00Z');
    expect(firingKey(at, 'date', 'Pacific/Auckland')).toBe('2026-11-01');
    expect(firingKey(Date.parse('2026-11-01T23:30:00Z'), 'date', 'Pacific/Auckland')).toBe('2026-11-02');
  });

  test('is the same for both of an hour that comes twice, but not where every hour fires', () => {
    const later = at + 3_600_000;
    for (const keyed of ['date', 'time'] as const)
      expect(firingKey(later, keyed, 'America/New_York')).toBe(firingKey(at, keyed, 'America/New_York'));
    expect(firingKey(later, 'utc', 'America/New_York')).not.toBe(firingKey(at, 'utc', 'America/New_York'));
  });

  test('is by date with one time a day, by time with several, by UTC for every hour and intervals', () => {
    expect(keysOf([calendar(9, 0)], 0)).toBe('date');
    expect(keysOf([calendar(9, 0, { daysOfWeek: [1] }), calendar(9, 0, { daysOfWeek: [3] })], 0)).toBe('date');
    expect(keysOf([calendar([9, 17], 0)], 0)).toBe('time');
    expect(keysOf([calendar(9, 0), calendar(9, 30)], 0)).toBe('time');
    expect(keysOf([calendar(upTo(23, 0), 0)], 0)).toBe('utc');
    expect(keysOf([], 1)).toBe('utc');
  });
});

describe('times inside a change of the clocks', () => {
  test.each([
    ['America/New_York', 1, 30, ['2026-11-01 01:30 repeated 2026-11-01T05:30:00.000Z']],
    ['America/Los_Angeles', 1, 30, ['2026-11-01 01:30 repeated 2026-11-01T08:30:00.000Z']],
    ['America/New_York', 2, 30, ['2027-03-14 02:30 skipped 2027-03-14T07:00:00.000Z']],
    [
      'Europe/Paris',
      2,
      30,
      ['2026-10-25 02:30 repeated 2026-10-25T00:30:00.000Z', '2027-03-28 02:30 skipped 2027-03-28T01:00:00.000Z'],
    ],
    [
      'Australia/Sydney',
      2,
      30,
      ['2026-10-04 02:30 skipped 2026-10-03T16:00:00.000Z', '2027-04-04 02:30 repeated 2027-04-03T15:30:00.000Z'],
    ],
    // Half an hour only.
    ['Australia/Lord_Howe', 2, 15, ['2026-10-04 02:15 skipped 2026-10-03T15:30:00.000Z']],
    ['Europe/Paris', 4, 0, []],
    ['Asia/Tokyo', 2, 30, []],
    ['UTC', 2, 30, []],
  ])('%s at %i:%i', (zone, hour, minute, expected) => {
    const found = changedTimes({ calendars: [calendar(hour, minute)], zone, keyed: 'date', ...YEAR });
    expect(found.map(({ local, kind, at }) => `${local} ${kind} ${new Date(at).toISOString()}`)).toEqual(expected);
  });

  test('count only on days of the calendar, and in the time asked for', () => {
    const monday = [calendar(2, 30, { daysOfWeek: [1] })];
    expect(changedTimes({ calendars: monday, zone: 'Europe/Paris', keyed: 'date', ...YEAR })).toEqual([]);
    const sunday = [calendar(2, 30, { daysOfWeek: [0] })];
    const from = Date.parse('2027-03-28T01:00:00Z');
    const within = (start: number, to: number) =>
      changedTimes({ calendars: sunday, zone: 'Europe/Paris', keyed: 'time', from: start, to });
    expect(within(from - 1, from)).toMatchObject([{ key: '2027-03-28T02:30', kind: 'skipped' }]);
    expect(within(from, from + 1)).toEqual([]);
  });
});
