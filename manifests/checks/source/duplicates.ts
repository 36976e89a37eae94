import { type Place, type ProblemList } from '../../problems/problems';
import { showValue } from '../../text';
import { type ManifestRow, type ManifestSettings } from '../../types';

/** A row with the name of its channel, and the place for its problems. */
export interface Identified {
  row: ManifestRow;
  /** Profile id, or name as written while the id isn't known. */
  profile: string | null;
  at: Place;
}

interface Seen {
  /** Line of the first row with a key. */
  keys: Map<string, number>;
  /** Line of the first row with a source; negative if it has its own key. */
  sources: Map<string, number>;
}

/** Finds rows that are the same publication twice. Only the key and source of each row are stored. */
export class DuplicateFinder {
  readonly #problems: ProblemList;
  readonly #channels = new Map<string, Seen>();
  readonly #repeat: ManifestSettings['repeat'];

  /**
   * `repeat` is `refuse`: the same video to one channel under two keys is an error, because it is likely a slip of copying:
   * a key that was filled in, beside a source that was not.
   */
  constructor(problems: ProblemList, { repeat }: { repeat: ManifestSettings['repeat'] }) {
    this.#problems = problems;
    this.#repeat = repeat;
  }

  /** Whether an earlier row is the same publication; reports both lines. */
  isAgain({ row, profile, at }: Identified): boolean {
    const id = JSON.stringify([row.account, profile, row.platform]);
    let seen = this.#channels.get(id);
    if (seen === undefined) this.#channels.set(id, (seen = { keys: new Map(), sources: new Map() }));
    const sameKey = seen.keys.get(row.key);
    const sameSource = row.source === null ? undefined : seen.sources.get(row.source);
    if (sameKey === undefined) seen.keys.set(row.key, row.line);
    if (row.source !== null && sameSource === undefined && !(row.skip && row.keyGiven))
      seen.sources.set(row.source, row.keyGiven ? -row.line : row.line);
    if (sameSource === undefined && sameKey === undefined) return false;
    const channel = `${profile === null ? 'the default channel' : `profile “${showValue(profile)}”`} on ${row.platform}`;
    // Separate keys on both suggest that both are intended.
    if (sameSource !== undefined && (!row.keyGiven || sameSource > 0)) {
      this.#tell('duplicate-source', at, row, `The same video goes to ${channel} twice`, Math.abs(sameSource));
      return true;
    }
    if (sameKey === undefined) {
      if (sameSource === undefined || this.#repeat !== 'refuse' || row.skip) return false;
      this.#tell('same-video', at, row, `The same video goes to ${channel} twice, under two keys`, -sameSource);
      return true;
    }
    this.#tell('duplicate-key', at, row, `The key “${showValue(row.key)}” appears twice for ${channel}`, sameKey);
    return true;
  }

  #tell(
    code: 'duplicate-source' | 'duplicate-key' | 'same-video',
    at: Place,
    row: ManifestRow,
    what: string,
    line: number,
  ): void {
    this.#problems.startRow();
    this.#problems.add({ code, at, value: row.key, message: `${what}: lines ${line} and ${row.line}.` });
  }
}
