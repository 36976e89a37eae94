import { type PaceLayer } from '../../../ledger/pace/pace-rules';
import { UsageError } from '../../errors/errors';

export interface Assignment {
  name: string;
  /** The value as it was given, followed by the zone that applies to it: `Mon-Fri 09:00-21:00 timezone=Europe/Berlin`. */
  shown: string;
  /** For data: the given value under each name; null removes it. */
  given: Readonly<Record<string, string | null>>;
  /** Null removes the setting. */
  layer: PaceLayer | null;
}

/** Reads `NAME=VALUE …` for `reelay set`. @throws UsageError for a name or value that isn't valid */
export async function readAssignments(texts: readonly string[]): Promise<Assignment[]> {
  const [{ PACE_NAMES, readPaceValue, withZone }, { PaceValueError }, { isTimeZone }] = await Promise.all([
    import('../../../manifests/settings/pace.js'),
    import('../../../manifests/settings/pace-value-error.js'),
    import('../../../manifests/times/local-time.js'),
  ]);
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at <= 0) throw new UsageError(`“${text}” is not NAME=VALUE`, `Names: ${PACE_NAMES.join(', ')}.`);
    return { name: text.slice(0, at).trim().replaceAll('-', '_'), shown: text.slice(at + 1).trim() };
  });
  const zone = pairs.find((pair) => pair.name === 'timezone')?.shown;
  if (zone !== undefined && !isTimeZone(zone))
    throw new UsageError(`timezone: “${zone}” is not a zone such as Europe/Berlin`);
  const assignments = pairs
    .filter((pair) => pair.name !== 'timezone')
    .map(({ name, shown }) => {
      if (!PACE_NAMES.includes(name)) {
        throw new UsageError(`there is no setting “${name}”`, `Names: ${PACE_NAMES.join(', ')}.`);
      }
      if (shown === '') return { name, shown, given: { [name]: null }, layer: null };
      try {
        const values = readPaceValue(name, shown);
        const zoneless = withZone(values, undefined);
        if (zoneless !== null) return { name, shown, given: { [name]: shown }, layer: zoneless };
        const layer = withZone(values, zone);
        if (layer !== null && zone !== undefined)
          return { name, shown: `${shown} timezone=${zone}`, given: { [name]: shown, timezone: zone }, layer };
      } catch (error) {
        if (!(error instanceof PaceValueError)) throw error;
        throw new UsageError(`${name} ${error.message}, not “${shown}”`);
      }
      throw new UsageError(`${name} “${shown}” needs a timezone`, 'Add timezone=Europe/Berlin, for example.');
    });
  if (zone !== undefined && !assignments.some(({ given }) => 'timezone' in given))
    throw new UsageError(
      'timezone only applies to hours and to limits per day, and none is given',
      'Add hours=… or max_per="1 per day".',
    );
  return assignments;
}
