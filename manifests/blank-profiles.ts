import { type ProblemList } from './problems';
import { type DraftRow } from './row-context';

/**
 * Watches for rows without a profile. Where others name one, such a row is most likely a slip, and its video would go to
 * another channel than meant (interface, 4.5: without a profile the default channel is used).
 */
export class BlankProfiles {
  #named = false;
  readonly #blank: { line: number; file: string | null }[] = [];
  #rows = 0;

  take({ row, raw, identified }: DraftRow): void {
    // A direct publish without a profile is told as such, and `default` is meant.
    if (row.skip || !identified || row.via === 'direct' || row.defaultAsked) return;
    if (row.profile !== null) {
      this.#named = true;
      return;
    }
    this.#rows += 1;
    const last = this.#blank.at(-1);
    if (last?.line !== row.line) this.#blank.push({ line: row.line, file: raw.file });
  }

  /** Tells what there is to tell, and gives the lines of rows that are refused for it. */
  finish(problems: ProblemList): ReadonlySet<number> {
    if (this.#blank.length === 0) return new Set();
    if (this.#named) {
      const message = 'The row names no profile, while others do: it would go to the account’s default channel.';
      for (const { line, file } of this.#blank) {
        problems.startRow();
        problems.add({ code: 'profile-missing', at: { line, column: 'profile', file }, message });
      }
      return new Set(this.#blank.map(({ line }) => line));
    }
    const goes = this.#rows === 1 ? '1 row goes' : `${this.#rows.toLocaleString('en-US')} rows go`;
    const message = `${goes} to the account’s default channel: no row names a profile.`;
    problems.add({ code: 'profile-default', at: { line: null, column: 'profile' }, message });
    return new Set();
  }
}
