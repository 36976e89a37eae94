import { type KnownProfile, resolveProfiles } from '../manifests/checks/channel/profiles';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestRow } from '../manifests/types';
import { gateScope } from '../ledger/runs/gates';
import { type HoldingLedger } from '../ledger/interfaces/holding';
import { type ServiceError } from '../service/errors';
import { joinDistinct, type RejectedRow } from './partition-rows';

/** An account whose profiles could not be read while a manifest was checked. */
export interface UnreadAccount {
  account: string;
  /** The service's answer, with the account's name. */
  reason: string;
  /** Its key is refused (401, 403): until that is fixed, none of its rows can be sent. */
  keyRefused: boolean;
}

export interface UnreadRows extends UnreadAccount {
  /** Rows whose profile neither the service nor the ledger could name. */
  unresolved: ManifestRow[];
}

/**
 * Finds the profiles of an unread account's rows among those that the ledger knows, and sets them as if the service had
 * shown them.
 */
export function unreadRows(
  account: string,
  error: ServiceError,
  rows: readonly ManifestRow[],
  known: readonly KnownProfile[],
): UnreadRows {
  // Other problems with the ledger's incomplete profiles (an unknown name, no channel) are not reported.
  resolveProfiles(rows, known);
  const unresolved = rows.filter((row) => row.profile !== null && row.profileId === null);
  return { account, reason: error.message, keyRefused: error.kind === 'access', unresolved };
}

/** Why such a row is left out. */
export function unreadProblem(row: ManifestRow, account: string, reason: string): Problem {
  return {
    code: 'account-unread',
    severity: 'error',
    line: row.line,
    column: 'profile',
    value: row.profile,
    message: `Profile “${row.profile ?? ''}” can’t be looked up, so the row is left out: ${reason}.`,
    hint: `Submit the manifest again once account ${account} can be read.`,
  };
}

/** A row for several platforms is one line of its sheet, with the reasons of all of them. */
export function onePerLine(rows: readonly RejectedRow[]): RejectedRow[] {
  const lines = new Map<number, RejectedRow[]>();
  for (const row of rows) lines.set(row.line, [...(lines.get(row.line) ?? []), row]);
  return [...lines.values()]
    .flatMap(([row, ...others]) => {
      if (row === undefined || others.length === 0) return row ?? [];
      const all = [row, ...others];
      return {
        ...row,
        code: joinDistinct(all.map(({ code }) => code)),
        message: joinDistinct(all.map(({ message }) => message)),
      };
    })
    .sort((a, b) => a.line - b.line);
}

/**
 * Parks the accounts whose key was refused, before one of their rows is tried, and opens those that were parked and
 * whose key is accepted now. Returns the opened ones.
 */
export async function settleAccounts(
  ledger: HoldingLedger,
  input: { accounts: Iterable<string>; unread: readonly UnreadAccount[]; by: string },
): Promise<string[]> {
  const { accounts, unread, by } = input;
  const notRead = new Set(unread.map(({ account }) => account));
  const opened: string[] = [];
  for (const account of accounts) {
    if (notRead.has(account)) continue;
    const why = 'submitted again, and the key is accepted';
    if (await ledger.unpark({ scope: gateScope.account(account), by, why })) opened.push(account);
  }
  for (const { account, reason, keyRefused } of unread) if (keyRefused) await ledger.parkAccount({ account, reason });
  return opened;
}

/** What happens to the rows of an account that could not be read. */
export function unreadText({ account, reason, keyRefused }: UnreadAccount): string {
  const waits = keyRefused
    ? 'is parked until its key is accepted'
    : 'can’t be read now; its rows wait until it answers';
  return `account ${account} ${waits} (${reason})`;
}
