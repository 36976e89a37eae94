import { readPace, readPaceValue } from '../../../manifests/settings/pace';
import { readYaml } from '../support';

const item = (extra: string): string =>
  `videos:\n  - source: https://example.com/a.mp4\n    platform: long\n    privacy: public\n    title: T\n${extra}`;

const HOUR = 3_600_000;

describe('pace', () => {
  it('is read with all its parts, the strongest source last, and hours in the zone of the manifest', async () => {
    const text = [
      'timezone: Europe/Berlin',
      'pace:',
      '  min_gap: 10m',
      '  max_per: [15 per 24h, 5/h]',
      '  hours: ["Mon-Fri 09:00-21:00", "Sat, Sun 22:00-02:00"]',
      '  channels:',
      '    - {profile: Garden, platform: long, concurrency: 1, tolerate: 3}',
      'tolerate: 5%',
      'canary: 3',
      item(''),
    ];
    const reading = await readYaml(text.join('\n'), { fallbackSettings: { pace: [{ minGapMs: HOUR }] } });
    expect(reading.problems).toEqual([]);
    expect(reading.settings.pace).toEqual([
      { minGapMs: HOUR },
      {
        minGapMs: HOUR / 6,
        maxPer: [
          { count: 15, windowMs: 24 * HOUR },
          { count: 5, windowMs: HOUR },
        ],
        hours: {
          zone: 'Europe/Berlin',
          spans: [
            { days: [1, 2, 3, 4, 5], from: 540, until: 1260 },
            { days: [6, 7], from: 1320, until: 120 },
          ],
        },
        channels: [{ match: { profile: 'Garden', platform: 'long' }, concurrency: 1, tolerate: { rows: 3 } }],
        tolerate: { share: 0.05, sample: 20 },
        canary: { rows: 3, share: 0 },
      },
    ]);
  });

  it.each<[string, string, object]>([
    ['max_per', '5 per hour', { maxPer: [{ count: 5, windowMs: HOUR }] }],
    ['max_per', '1 per 24h', { maxPer: [{ count: 1, windowMs: 24 * HOUR }] }],
    ['max_per', '1 per day', { maxPer: [{ count: 1, windowMs: 24 * HOUR, zone: '' }] }],
    ['max_per', '2/day', { maxPer: [{ count: 2, windowMs: 24 * HOUR, zone: '' }] }],
    [
      'max_per',
      '20 per 30 minutes, 2/second',
      {
        maxPer: [
          { count: 20, windowMs: HOUR / 2 },
          { count: 2, windowMs: 1_000 },
        ],
      },
    ],
    ['hours', 'Mon-Fri 9-17', { hours: { zone: '', spans: [{ days: [1, 2, 3, 4, 5], from: 540, until: 1020 }] } }],
    ['hours', '9:30-17', { hours: { zone: '', spans: [{ days: [1, 2, 3, 4, 5, 6, 7], from: 570, until: 1020 }] } }],
    ['hours', 'weekdays', { hours: { zone: '', spans: [{ days: [1, 2, 3, 4, 5], from: 0, until: 1440 }] } }],
    [
      'hours',
      'weekdays 9-17; Weekends 10:00-12:00',
      {
        hours: {
          zone: '',
          spans: [
            { days: [1, 2, 3, 4, 5], from: 540, until: 1020 },
            { days: [6, 7], from: 600, until: 720 },
          ],
        },
      },
    ],
  ])('%s %s is understood', (name, value, read) => {
    expect(readPaceValue(name, value)).toEqual(read);
  });

  it('needs a zone for its hours', async () => {
    const reading = await readYaml(`pace: {hours: "09:00-21:00"}\n${item('')}`);
    const hint = 'Add --timezone Europe/Berlin, for example, or timezone: in the YAML or the config.';
    expect(reading.problems).toMatchObject([{ severity: 'error', code: 'bad-setting', column: 'pace', hint }]);
  });

  it.each([
    ['concurrency', 0],
    ['concurrency', '1.5'],
    ['min_gap', '10'],
    ['jitter', 0.1],
    ['jitter', '101%'],
    ['max_per', '15'],
    ['max_per', '0 per 24h'],
    ['max_per', ''],
    ['hours', '9-21'],
    ['hours', '25:00-26:00'],
    ['hours', 'Someday 09:00-10:00'],
    ['hours', []],
    ['tolerate', '-1%'],
    ['tolerate', { failures: '5%', other: 1 }],
    ['canary', -1],
    ['speed', 1],
  ])('%s: %j is refused', (name, value) => {
    expect(() => readPaceValue(name, value)).toThrow(/must|has no/u);
  });

  it('names the part of it that is wrong', () => {
    expect(() => readPace({ min_gap: 'soon' })).toThrow('min_gap must be a duration');
    expect(() => readPace({ speed: 1 })).toThrow('has no “speed”');
    expect(() => readPace({ channels: [{ min_gap: '1m' }] })).toThrow('a profile, a platform or an account');
  });
});
