import { parseTiming, type ScheduleTiming, timingText } from '../../../manifests/settings/schedule-timing';
import { readScheduleSetting } from '../../../manifests/settings/schedule-setting';

describe('when a schedule fires', () => {
  const every = { daysOfWeek: null, daysOfMonth: null };
  test.each<[ScheduleTiming, object]>([
    [{ at: '09:00' }, { kind: 'at', calendars: [{ hour: 9, minute: 0, ...every }] }],
    [{ at: 'daily 7:05' }, { kind: 'at', calendars: [{ hour: 7, minute: 5, ...every }] }],
    [
      { at: 'Mon-Fri 09:00,17:30' },
      {
        kind: 'at',
        calendars: [
          { hour: 9, minute: 0, daysOfWeek: [1, 2, 3, 4, 5], daysOfMonth: null },
          { hour: 17, minute: 30, daysOfWeek: [1, 2, 3, 4, 5], daysOfMonth: null },
        ],
      },
    ],
    [{ at: 'fri-mon 23:59' }, { calendars: [{ hour: 23, minute: 59, daysOfWeek: [0, 1, 5, 6], daysOfMonth: null }] }],
    [{ at: 'sat,sunday 00:00' }, { calendars: [{ hour: 0, minute: 0, daysOfWeek: [0, 6], daysOfMonth: null }] }],
    [{ at: '1,15th 08:00' }, { calendars: [{ hour: 8, minute: 0, daysOfWeek: null, daysOfMonth: [1, 15] }] }],
    [
      { every: '6h', offset: '30m' },
      { kind: 'every', everyMs: 21_600_000, offsetMs: 1_800_000 },
    ],
    [{ cron: ' 0 9 * * MON-FRI ' }, { kind: 'cron', cron: '0 9 * * MON-FRI' }],
    [{ cron: '@daily' }, { kind: 'cron', cron: '@daily' }],
    [{ cron: '0 9 1-7 * 1-7' }, { kind: 'cron', cron: '0 9 1-7 * 1,2,3,4,5,6,0' }],
    [{ cron: '0 9 * * 5-7,2' }, { kind: 'cron', cron: '0 9 * * 5,6,0,2' }],
    [{ cron: '0 9 * * 1-7/2' }, { kind: 'cron', cron: '0 9 * * 1,3,5,0' }],
    [{ cron: '0 9 * * 0-7' }, { kind: 'cron', cron: '0 9 * * 0,1,2,3,4,5,6' }],
    [{ cron: '0 9 * * Mon-Sun' }, { kind: 'cron', cron: '0 9 * * 1,2,3,4,5,6,0' }],
    [{ cron: '0 9 * * 7' }, { kind: 'cron', cron: '0 9 * * 7' }],
  ])('%j is understood', (timing, parsed) => {
    expect(parseTiming(timing)).toMatchObject(parsed);
  });

  test.each<[ScheduleTiming, RegExp]>([
    [{}, /sets none of/],
    [{ at: '09:00', cron: '0 9 * * *' }, /more than one of/],
    [{ at: '09:00', offset: '5m' }, /offset belongs to every/],
    [{ at: '24:00' }, /isn’t a time/],
    [{ at: 'noday 09:00' }, /isn’t a time/],
    [{ at: '0 09:00' }, /isn’t a time/],
    [{ at: '20-10 09:00' }, /isn’t a time/],
    [{ at: 'mon tue 09:00' }, /isn’t a time/],
    [{ every: '0s' }, /isn’t an interval/],
    [{ every: '1.5s' }, /isn’t an interval/],
    [{ every: '1h', offset: '1h' }, /shorter than every/],
    [{ cron: '0 9 * *' }, /4 fields/],
    [{ cron: '0 0 9 * * 1' }, /6 fields/],
    [{ cron: '0 9 L * *' }, /“L”/],
    [{ cron: '0 9 * * 1#1' }, /“#”/],
    [{ cron: 'CRON_TZ=UTC 0 9 * * *' }, /names its zone/],
    [{ cron: '@every 6h' }, /is an interval/],
    [{ cron: '@fortnightly' }, /is not known/],
  ])('%j is refused with the reason and the way out', (timing, reason) => {
    expect(parseTiming(timing)).toMatchObject({
      message: expect.stringMatching(reason),
      hint: expect.stringMatching(/./),
    });
  });

  test('it is shown as it was given', () => {
    expect([{ at: 'mon 09:00' }, { every: '6h', offset: '30m' }, { cron: '0 9 * * 1' }].map(timingText)).toEqual([
      'at mon 09:00',
      'every 6h + 30m',
      'cron 0 9 * * 1',
    ]);
  });
});

test('a schedule in a manifest has all that the command’s flags say', () => {
  const all = { name: 'weekly', at: 'mon 09:00', timezone: 'UTC', overlap: 'wait', catch_up: '2h', pause_after: 0 };
  expect(readScheduleSetting({ ...all, rows_gone: 'prune' })).toEqual({
    name: 'weekly',
    timing: { at: 'mon 09:00' },
    timezone: 'UTC',
    overlap: 'wait',
    catchUpMs: 7_200_000,
    pauseAfter: 0,
    rowsGone: 'prune',
  });
});
