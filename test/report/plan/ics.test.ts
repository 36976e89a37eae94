import fc from 'fast-check';
import { folded, icsCalendar, icsText } from '../../../report/plan/ics';

const AT = Date.UTC(2026, 11, 5, 17);
const item = { at: AT, title: 'Lisbon; on foot, part 1\nBEGIN:VEVENT', channel: 'Garden · long', key: 'ep-1', line: 2 };
const unfolded = (text: string): string => text.replace(/\r\n[ \t]/g, '');

test('a row is an event with its time in UTC; text of its own can’t be a line', () => {
  const text = unfolded(icsCalendar('spring', [item], AT));
  expect(text.split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//reelay//plan//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'NAME:spring',
    'X-WR-CALNAME:spring',
    'BEGIN:VEVENT',
    expect.stringMatching(/^UID:[0-9a-f]{32}@reelay$/),
    'DTSTAMP:20261205T170000Z',
    'DTSTART:20261205T170000Z',
    'DURATION:PT15M',
    'SUMMARY:Lisbon\\; on foot\\, part 1\\nBEGIN:VEVENT · Garden · long',
    'DESCRIPTION:Campaign spring\\, row 2\\, key ep-1',
    'CATEGORIES:Garden · long',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

test('a row keeps its id when its time, title or line changes: the calendar moves the event', () => {
  const uid = (one: typeof item): string | undefined => /UID:.*/.exec(icsCalendar('spring', [one], AT))?.[0];
  expect(uid({ ...item, at: AT + 1, title: 'Other', line: 9 })).toBe(uid(item));
  expect(uid({ ...item, key: 'ep-2' })).not.toBe(uid(item));
});

test('any text comes back whole from lines of at most 75 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (title) => {
      const line = `SUMMARY:${icsText(title)}`;
      const text = folded(line);
      for (const piece of text.split('\r\n')) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(75);
      expect(unfolded(text)).toBe(line);
      expect(line).not.toMatch(/[\r\n]/);
    }),
  );
});
