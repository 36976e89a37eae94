import { offsetAt } from './local-time';

const FIXED: Readonly<Record<string, string>> = {
  EST: 'America/New_York',
  MST: 'America/Denver',
  HST: 'Pacific/Honolulu',
};

/** What people write for a zone, and the places where they do. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...FIXED,
  ...all('America/Los_Angeles', 'PST', 'PDT', 'PT', 'Pacific'),
  ...all('America/Denver', 'MDT', 'MT', 'Mountain'),
  ...all('America/Chicago', 'CDT', 'CT', 'Central'),
  ...all('America/New_York', 'EDT', 'ET', 'Eastern'),
  ...all('America/Anchorage', 'AKST', 'AKDT'),
  ...all('America/Sao_Paulo', 'BRT'),
  ...all('Europe/Lisbon', 'WET', 'WEST'),
  ...all('Europe/Berlin', 'CET', 'CEST', 'MEZ', 'MESZ'),
  ...all('Europe/Athens', 'EET', 'EEST'),
  ...all('Europe/Moscow', 'MSK'),
  ...all('Asia/Tokyo', 'JST'),
  ...all('Asia/Seoul', 'KST'),
  ...all('Asia/Hong_Kong', 'HKT'),
  ...all('Asia/Singapore', 'SGT'),
  ...all('Australia/Sydney', 'AEST', 'AEDT'),
  ...all('Australia/Perth', 'AWST'),
  ...all('Pacific/Auckland', 'NZST', 'NZDT'),
  CST: 'America/Chicago or Asia/Shanghai',
  IST: 'Asia/Kolkata, Europe/Dublin or Asia/Jerusalem',
  BST: 'Europe/London or Asia/Dhaka',
  AST: 'America/Halifax or Asia/Riyadh',
};

/** Well-known ones, from which those with a given offset are named. */
const PLACES = [
  ...['Pacific/Honolulu', 'America/Anchorage', 'America/Los_Angeles', 'America/Denver', 'America/Phoenix'],
  ...['America/Chicago', 'America/Mexico_City', 'America/New_York', 'America/Bogota', 'America/Halifax'],
  ...['America/Caracas', 'America/Sao_Paulo', 'America/Argentina/Buenos_Aires', 'Europe/London', 'Africa/Accra'],
  ...['Europe/Berlin', 'Africa/Lagos', 'Europe/Athens', 'Africa/Johannesburg', 'Europe/Istanbul', 'Africa/Nairobi'],
  ...['Asia/Dubai', 'Asia/Karachi', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Dhaka', 'Asia/Bangkok', 'Asia/Jakarta'],
  ...['Asia/Shanghai', 'Asia/Singapore', 'Asia/Tokyo', 'Asia/Seoul', 'Australia/Adelaide', 'Australia/Brisbane'],
  ...['Australia/Sydney', 'Pacific/Noumea', 'Pacific/Auckland', 'Pacific/Fiji'],
];

/** The format of a zone, with the zones that were most likely meant. */
export function zoneRule(zone: unknown, now = Date.now()): string {
  return `must be a zone such as ${zonesMeant(zone, now)}, or an offset such as ${offsetIn(zone) ?? '+02:00'}`;
}

/** The zones that a text was most likely meant for: by an abbreviation, an offset (`UTC+2`), or a city; an example otherwise. */
export function zonesMeant(zone: unknown, now = Date.now()): string {
  const text = String(zone).trim();
  const written = Object.keys(ABBREVIATIONS).find((name) => name.toLowerCase() === text.toLowerCase());
  if (written !== undefined) return ABBREVIATIONS[written] ?? '';
  const offset = offsetIn(text);
  if (offset !== null) return placesAt(offset, now) ?? 'Europe/Berlin';
  const city = text.toLowerCase().replace(/\s+/g, '_');
  const meant = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().split('/').at(-1) === city);
  return meant ?? 'Europe/Berlin';
}

/** The offset in `UTC+2`, `GMT-05:30` or `+2`, as `+02:00`; null in any other text. */
function offsetIn(zone: unknown): string | null {
  const found = /^(?:UTC|GMT)?\s?([+-])(\d{1,2})(?::?([0-5]\d))?$/i.exec(String(zone).trim());
  if (found === null) return null;
  const [, sign = '', hours = '', minutes = '00'] = found;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** Two places that have the offset now: in the other half of the year they may have another one. */
function placesAt(offset: string, now: number): string | null {
  const [one, other] = PLACES.filter((place) => offsetAt(place, now) === offset);
  return one === undefined ? null : `${one}${other === undefined ? '' : ` or ${other}`} (now at ${offset})`;
}

function all(zone: string, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, zone]));
}

/** The warning for a zone that is valid, but hardly the intended one. */
export function fixedZone(zone: string, now = Date.now()): { message: string; hint: string } | null {
  const etc = /^Etc\/GMT([+-])(\d{1,2})$/i.exec(zone);
  if (etc !== null && etc[2] !== '0') {
    const [, sign, hours = ''] = etc;
    const offset = `${sign === '+' ? '-' : '+'}${hours.padStart(2, '0')}:00`;
    return {
      message: `${zone} is UTC${offset}, not UTC${sign ?? ''}${hours}: the sign in these names is reversed.`,
      hint: `Name the place, such as ${placesAt(offset, now) ?? 'Europe/Berlin'}; or write the offset: ${offset}.`,
    };
  }
  const place = Object.hasOwn(FIXED, zone.toUpperCase()) ? FIXED[zone.toUpperCase()] : undefined;
  if (place === undefined) return null;
  return {
    message: `${zone} has the same offset all year, without daylight-saving time.`,
    hint: `Name the place, such as ${place}.`,
  };
}
