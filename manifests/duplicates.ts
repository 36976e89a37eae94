import { type Place, type ProblemList } from './problems';
import { showValue } from './text';
import { type ManifestRow } from './types';

/** A row with what names its channel, and where it may be complained about. */
export interface Identified {
  row: ManifestRow;
  /** Profile id, or name as written while the id isn't known. */
  profile: string | null;
  at: Place;
}

/** Finds rows that are the same publication twice; tells both lines, and returns the later ones. */
export function findDuplicates(entries: Iterable<Identified>, problems: ProblemList): Set<ManifestRow> {
  const first = new Map<string, Identified>();
  const again = new Set<ManifestRow>();
  for (const entry of entries) {
    const { row } = entry;
    const identity = JSON.stringify([row.account, entry.profile, row.platform, row.key]);
    const before = first.get(identity);
    if (before === undefined) {
      first.set(identity, entry);
      continue;
    }
    again.add(row);
    problems.startRow();
    const channel = `${entry.profile === null ? 'the default channel' : `profile “${showValue(entry.profile)}”`} on ${row.platform}`;
    const derived = !row.keyGiven && !before.row.keyGiven;
    const lines = `lines ${before.row.line} and ${row.line}`;
    const message = derived
      ? `The same video goes to ${channel} twice: ${lines}.`
      : `The key “${showValue(row.key)}” stands twice for ${channel}: ${lines}.`;
    problems.add({ code: derived ? 'duplicate-source' : 'duplicate-key', at: entry.at, value: row.key, message });
  }
  return again;
}
