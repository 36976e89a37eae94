/** What the process's exit code means (contract). Scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  access: 4,
  failed: 5,
  unsettled: 6,
  unreachable: 7,
  cancelled: 8,
  unfinished: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One line each, for `--help` and the documentation. */
export const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: 'answered, or every row that was to be sent succeeded',
  1: 'unexpected error',
  2: 'wrong usage or configuration, such as a missing key',
  3: 'manifest refused, nothing sent',
  4: 'the service refused the key',
  5: 'some rows failed, were rejected, or are live but not as requested',
  6: 'some rows are unconfirmed, overdue or may be published twice',
  7: 'Temporal, the service or the ledger is unreachable',
  8: 'cancelled, or stopped because too many rows failed',
  9: 'stopped waiting; rows are unfinished (--timeout, or only parked rows)',
  130: 'interrupted',
};

/** If several codes apply, the first of these is returned. */
export const PRECEDENCE: readonly ExitCode[] = [130, 7, 4, 8, 6, 5, 9, 3, 2, 1, 0];

export function pickExit(codes: readonly ExitCode[]): ExitCode {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.ok;
}
