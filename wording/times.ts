/** How times are shown to a reader: the zone, and the current time (ms since the epoch). */
export interface Clock {
  /** An IANA zone, an offset such as `+02:00`, or `Z`. */
  zone: string;
  now: number;
}

const NAMED = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const NUMBERS = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
const HOURS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const LONG = { ...NAMED, ...HOURS };
/** The end of the year 9999 marks rows that wait for a person; no time of a row is in the years before it. */
export const NEVER_MS = Date.UTC(9000, 0, 1);

const FAR_MS = 31 * 86_400_000;

/** The zone of this machine, by its name. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `Sat 5 Dec 18:00` in the zone, with the year if it isn't the current one. `at`: ms, or ISO. */
export function localTime(at: number | string, { zone, now }: Clock): string {
  const time = typeof at === 'string' ? Date.parse(at) : at;
  if (!Number.isFinite(time)) return String(at);
  const part = partsOf(time, zone);
  const year = part('year') === partsOf(now, zone)('year') ? '' : ` ${part('year')}`;
  return `${part('weekday')} ${part('day')} ${part('month')}${year} ${part('hour')}:${part('minute')}`;
}

/** `2026-12-05` in the zone: the calendar day. */
export function localDay(at: number, zone: string): string {
  const part = partsOf(at, zone, NUMBERS);
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** `in 3 h`, `5 min ago`, `now`. */
export function relativeTime(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return 'now';
  return at > now ? `in ${showDuration(at - now)}` : `${showDuration(now - at)} ago`;
}

/** `Sat 5 Dec 18:00 (in 3 h)`; without the relative time if it is more than a month. `at`: ms, or ISO. */
export function timeText(at: number | string, clock: Clock): string {
  const time = typeof at === 'string' ? Date.parse(at) : at;
  if (!Number.isFinite(time)) return String(at);
  if (time >= NEVER_MS) return 'never automatically';
  const far = Math.abs(time - clock.now) > FAR_MS;
  return far ? localTime(time, clock) : `${localTime(time, clock)} (${relativeTime(time, clock.now)})`;
}

const INSTANT = /(?<![\w-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?!\w)/g;

/**
 * A sentence of ours with its UTC times (ISO 8601) in the reader's zone: not for commands, titles or keys. `steady`:
 * without the relative time, for lines that are compared with earlier ones.
 */
export function inReaderZone(text: string, clock: Clock, { steady = false } = {}): string {
  return text.replace(INSTANT, (iso) => (steady ? localTime(iso, clock) : timeText(iso, clock)));
}

/** For people: `45 s`, `3 min`, `2 h 10 min`, `3 d 4 h`. */
export function showDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating one takes longer than using it a hundred times, and a report has three times per row. */
function formatOf(zone: string, parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${Object.values(parts).join()}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone });
  formats.set(key, made);
  return made;
}

/** The parts of a local time. Node.js 20 doesn't know offsets as zones. */
function partsOf(
  at: number,
  zone: string,
  shown: Intl.DateTimeFormatOptions = LONG,
): (name: Intl.DateTimeFormatPartTypes) => string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const shift = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const format = formatOf(sign !== undefined || /^z$/i.test(zone) ? 'UTC' : zone, shown);
  const parts = new Map(format.formatToParts(at + shift).map((one) => [one.type, one.value]));
  return (name) => parts.get(name) ?? '';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** The local time of a zone at a moment (ms since the epoch), as if it were UTC: in ms, with its seconds. */
export function localClockMs(at: number, zone: string): number {
  const part = partsOf(at, zone);
  const minute = Date.UTC(
    Number(part('year')),
    MONTHS.findIndex((name) => name.slice(0, 3) === part('month').slice(0, 3)),
    Number(part('day')),
    Number(part('hour')),
    Number(part('minute')),
  );
  // Zones are whole minutes off today.
  return minute + (((Math.floor(at / 1000) % 60) + 60) % 60) * 1000;
}
