import { type ManifestPlace } from '../../../../activities/schedules/contract';
import { loadPlace } from '../../../../activities/schedules/manifest-place';
import { readManifest } from '../../../../manifests/read-manifest';
import { type ReadOptions } from '../../../../manifests/types';
import { machineZone, timeText } from '../../../../wording/times';

/**
 * The warning about a row of `repeat: every-run` that has the same key at two of the next firings: the later one would find
 * it done, and publish nothing. Null: each of these firings has keys of its own.
 */
export async function repeatedKeys(input: {
  place: ManifestPlace;
  read: Omit<ReadOptions, 'now'>;
  /** ISO. */
  firings: readonly string[];
  zone: string;
  privateHosts: readonly string[];
}): Promise<string | null> {
  const { place, read, firings, zone, privateHosts } = input;
  const source = await loadPlace(place, privateHosts);
  const first = new Map<string, string>();
  for (const firing of firings) {
    const at = Date.parse(firing);
    const { rows } = await readManifest(source, { ...read, now: at, nominal: { at, zone } });
    for (const key of new Set(rows.map((row) => row.key))) {
      const before = first.get(key);
      if (before !== undefined) {
        const clock = { zone, now: Date.now() };
        const [one, other] = [before, firing].map((time) => timeText(time, clock));
        const named = zone === machineZone() ? '' : ` (${zone})`;
        return `Key “${key}” is the same at ${one} and at ${other}${named}: the later firing would publish nothing. Put more of the date into the key, such as {date:yyyy-MM-dd-HH-mm}.`;
      }
      first.set(key, firing);
    }
  }
  return null;
}
