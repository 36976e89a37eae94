import { type KnownProfile, resolveProfiles } from '../manifests/checks/channel/profiles';
import { type Problem } from '../manifests/problems/problems';
import { type ManifestRow } from '../manifests/types';
import { type ServiceError } from '../service/errors';
import { type RejectedRow } from './partition-rows';

/** An account whose profiles could not be read while a manifest was checked. */
export interface UnreadAccount {
  account: string;
  /** What the service answered, with the account's name. */
  reason: string;
  /** Its key is refused (401, 403): until that is fixed, none of its rows can be sent. */
  keyRefused: boolean;
}

export interface UnreadRows extends UnreadAccount {
  /** Rows whose profile neither the service nor the ledger could name. */
  unresolved: ManifestRow[];
}

/** Finds the profiles of an unread account's rows among those that the ledger knows; sets them as the service's would be. */
export function unreadRows(
  account: string,
  error: ServiceError,
  rows: readonly ManifestRow[],
  known: readonly KnownProfile[],
): UnreadRows {
  // What else the ledger's part of the profiles seems to say (an unknown name, no channel) is no finding.
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

/** A row for several platforms is one line of its sheet. */
export function onePerLine(rows: readonly RejectedRow[]): RejectedRow[] {
  return [...new Map(rows.map((row) => [row.line, row])).values()].sort((a, b) => a.line - b.line);
}
