import { fixedZone, zoneRule, zonesMeant } from '../../../manifests/times/zone-hints';
import { isTimeZone } from '../../../manifests/times/local-time';

const WINTER = Date.parse('2026-12-01T12:00:00Z');
const SUMMER = Date.parse('2026-07-01T12:00:00Z');

describe('the zones that are suggested', () => {
  test.each([
    ['PST', 'America/Los_Angeles'],
    ['pdt', 'America/Los_Angeles'],
    ['EDT', 'America/New_York'],
    ['EST', 'America/New_York'],
    ['CST', 'America/Chicago or Asia/Shanghai'],
    ['IST', 'Asia/Kolkata, Europe/Dublin or Asia/Jerusalem'],
    ['CEST', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['Atlantis', 'Europe/Berlin'],
    [7, 'Europe/Berlin'],
  ])('for %s are %s', (written, zones) => {
    expect(zonesMeant(written, WINTER)).toBe(zones);
    for (const zone of zones.split(/, | or /)) expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
  });

  test.each([
    ['UTC+2', WINTER, 'Europe/Athens or Africa/Johannesburg (now at +02:00)'],
    ['UTC+2', SUMMER, 'Europe/Berlin or Africa/Johannesburg (now at +02:00)'],
    ['GMT-5', WINTER, 'America/New_York or America/Bogota (now at -05:00)'],
    ['gmt -5', SUMMER, 'America/Chicago or America/Bogota (now at -05:00)'],
    ['UTC+05:30', WINTER, 'Asia/Kolkata (now at +05:30)'],
    ['+2', WINTER, 'Europe/Athens or Africa/Johannesburg (now at +02:00)'],
    ['UTC+11:30', WINTER, 'Europe/Berlin'],
  ])('for the offset %s are those of places where it holds now', (written, now, zones) => {
    expect(zonesMeant(written, now)).toBe(zones);
  });

  test('come with the offset itself, where offsets are taken', () => {
    expect(zoneRule('GMT-5', WINTER)).toMatch(
      /^must be a zone such as America\/New_York .*, or an offset such as -05:00$/,
    );
    expect(zoneRule('CST', WINTER)).toMatch(/, or an offset such as \+02:00$/);
    expect(fixedZone('Etc/GMT+5', WINTER)?.hint).toContain('America/New_York or America/Bogota');
  });
});
