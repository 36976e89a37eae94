import { type ProblemList } from '../../problems/problems';
import { type DraftRow } from '../row-context';

interface Account {
  named: boolean;
  /** Lines of rows without a profile: numbers only, since most manifests have no other rows. */
  blank: number[];
  rows: number;
}

/**
 * Watches for rows without a profile. If other rows of the same account name one, such a row is most likely a mistake,
 * and its video would go to the wrong channel (interface, 4.5: without a profile the default channel is used).
 */
export class BlankProfiles {
  readonly #accounts = new Map<string | null, Account>();
  /** The same for all rows of a manifest. */
  #file: string | null = null;

  take({ row, raw, identified }: DraftRow): void {
    // A direct publish without a profile is reported as such, and `default` is meant.
    if (row.skip || !identified || row.via === 'direct' || row.defaultAsked) return;
    // A misspelt profile is reported as such.
    if (row.profile === null && raw.suspected.has('profile')) return;
    const account = this.#accounts.get(row.account) ?? { named: false, blank: [], rows: 0 };
    this.#accounts.set(row.account, account);
    if (row.profile !== null) {
      account.named = true;
      return;
    }
    account.rows += 1;
    this.#file = raw.file;
    if (account.blank.at(-1) !== row.line) account.blank.push(row.line);
  }

  /** Reports the problems found, and returns the lines of rows that are refused. */
  finish(problems: ProblemList): ReadonlySet<number> {
    const accounts = [...this.#accounts.values()];
    const slips = accounts.filter(({ named }) => named).flatMap(({ blank }) => blank);
    const message = 'The row names no profile, while others do: it would go to the account’s default channel.';
    for (const line of slips) {
      problems.startRow();
      problems.add({ code: 'profile-missing', at: { line, column: 'profile', file: this.#file }, message });
    }
    const meant = accounts.filter(({ named }) => !named).reduce((sum, { rows }) => sum + rows, 0);
    if (meant > 0) {
      const goes = meant === 1 ? '1 row goes' : `${meant.toLocaleString('en-US')} rows go`;
      problems.add({
        code: 'profile-default',
        at: { line: null, column: 'profile' },
        message: `${goes} to the account’s default channel: no row names a profile.`,
      });
    }
    return new Set(slips);
  }
}
