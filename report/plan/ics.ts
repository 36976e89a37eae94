import { createHash } from 'node:crypto';
import { type PlannedItem } from './planned';

/** Content lines longer than this (octets, without the line break) are folded (RFC 5545, section 3.1). */
const LINE_OCTETS = 75;

/** Planned rows as an iCalendar (RFC 5545), one event each, with times in UTC. `madeAt`: ms since the epoch. */
export function icsCalendar(campaign: string, items: Iterable<PlannedItem>, madeAt: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//reelay//plan//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${icsText(campaign)}`,
    `X-WR-CALNAME:${icsText(campaign)}`,
  ];
  for (const item of items) {
    lines.push(
      'BEGIN:VEVENT',
      `UID:${uidOf(campaign, item)}`,
      `DTSTAMP:${icsTime(madeAt)}`,
      `DTSTART:${icsTime(item.at)}`,
      'DURATION:PT15M',
      `SUMMARY:${icsText(`${item.title} · ${item.channel}`)}`,
      `DESCRIPTION:${icsText(`Campaign ${campaign}, row ${item.line}, key ${item.key}`)}`,
      `CATEGORIES:${icsText(item.channel)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    );
  }
  lines.push('END:VCALENDAR');
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** The same row always has the same id, so that importing the calendar again moves its event. */
function uidOf(campaign: string, { channel, key }: PlannedItem): string {
  const name = JSON.stringify([campaign, channel, key]);
  return `${createHash('sha256').update(name).digest('hex').slice(0, 32)}@reelay`;
}

/** `20261205T170000Z` */
function icsTime(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Text as a value (section 3.3.11). Control characters that no value may have are left out. */
export function icsText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\n/g, '\\n');
}

/**
 * A line in pieces of at most 75 octets, never cut inside a character; each further one begins with a space, which
 * counts.
 */
export function folded(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS) {
      pieces.push(piece);
      piece = '';
      octets = 1;
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join('\r\n ');
}
