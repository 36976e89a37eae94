const NAMED = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** The zone of this machine, by its name. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `Sat 5 Dec 18:00` in the zone, with the year where it is another one than now. */
export function localTime(at: number, zone: string, now: number): string {
  const year = (time: number): string | undefined => partsOf(time, zone).get('year');
  const parts = partsOf(at, zone);
  const part = (name: string): string => parts.get(name) ?? '';
  const day = `${part('weekday')} ${part('day')} ${part('month')}`;
  return `${day}${year(at) === year(now) ? '' : ` ${part('year')}`} ${part('hour')}:${part('minute')}`;
}

function partsOf(at: number, zone: string): Map<string, string> {
  const format = new Intl.DateTimeFormat('en-GB', { ...NAMED, ...CLOCK, timeZone: intlZone(zone) });
  return new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Manifests may name an offset, or `Z`. */
function intlZone(zone: string): string {
  return /^z$/i.test(zone) ? 'UTC' : zone;
}
