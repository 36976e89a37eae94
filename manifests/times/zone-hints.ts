const FIXED: Readonly<Record<string, string>> = {
  EST: 'America/New_York',
  MST: 'America/Denver',
  HST: 'Pacific/Honolulu',
};

/** The format of a zone, with the zone of the city that was written instead: `Berlin`. */
export function zoneRule(zone: unknown): string {
  const city = String(zone).trim().toLowerCase().replace(/\s+/g, '_');
  const meant = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().split('/').at(-1) === city);
  return `must be a zone such as ${meant ?? 'Europe/Berlin'}, or an offset such as +02:00`;
}

/** The warning for a zone that is valid, but hardly the intended one. */
export function fixedZone(zone: string): { message: string; hint: string } | null {
  const etc = /^Etc\/GMT([+-])(\d{1,2})$/i.exec(zone);
  if (etc !== null && etc[2] !== '0') {
    const [, sign, hours = ''] = etc;
    const offset = `${sign === '+' ? '-' : '+'}${hours.padStart(2, '0')}:00`;
    return {
      message: `${zone} is UTC${offset}, not UTC${sign ?? ''}${hours}: the sign in these names is reversed.`,
      hint: `Name the place, such as Europe/Berlin; or write the offset: ${offset}.`,
    };
  }
  const place = Object.hasOwn(FIXED, zone.toUpperCase()) ? FIXED[zone.toUpperCase()] : undefined;
  if (place === undefined) return null;
  return {
    message: `${zone} has the same offset all year, without daylight-saving time.`,
    hint: `Name the place, such as ${place}.`,
  };
}
