/** A problem of a submission: what is wrong, where, and how to fix it. */
export interface SubmissionProblem {
  code: SubmissionProblemCode;
  severity: 'error' | 'warning';
  /** Line of the manifest; null for a row that the manifest no longer has. */
  line: number | null;
  key: string | null;
  message: string;
  hint: string;
}

export function problem(
  at: { line: number | null; key: string | null },
  severity: SubmissionProblem['severity'],
  code: SubmissionProblem['code'],
  text: { message: string; hint: string },
): SubmissionProblem {
  return { code, severity, line: at.line, key: at.key, ...text };
}

export const SUBMISSION_PROBLEM_CODES = [
  'key-reused',
  'key-repeated',
  'rows-vanished',
  'partial-sheet',
  'left-out-unsent',
  'rows-cancelled',
  'changed-since',
  'correction-lost',
  'rekey-suspected',
  'old-version',
  'source-repeated',
  'too-late',
  'differs',
  'garbled-text',
  'unsettled',
  'draft-cannot-be-published',
  'draft-fixed',
  'pending-needs-draft',
  'not-retried',
  'held',
  'burst',
  'misses-time',
  'misses-deadline',
  'never-sent',
  'not-imported',
] as const;

export type SubmissionProblemCode = (typeof SUBMISSION_PROBLEM_CODES)[number];

/** A submission was not accepted, and nothing of it was kept. Carries every problem of every row. */
export class SubmissionRefusedError extends Error {
  override readonly name = 'SubmissionRefusedError';
  readonly code = 'manifest-refused';

  constructor(
    readonly campaign: string,
    readonly problems: readonly SubmissionProblem[],
  ) {
    const errors = problems.filter((problem) => problem.severity === 'error');
    const first = errors[0];
    const where = first === undefined || first.line === null ? '' : `line ${first.line}: `;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    super(`campaign ${campaign} was not accepted, nothing is sent: ${where}${first?.message ?? 'no reason'}${more}`);
  }
}

/** A move or record was requested that can't be right; nothing was changed. */
export class LedgerStateError extends Error {
  override readonly name: string = 'LedgerStateError';
  readonly code: string = 'ledger-state';
}

/** The same, if only a fault in the program can have caused it, never a command's arguments. */
export class LedgerFaultError extends LedgerStateError {
  override readonly name = 'LedgerFaultError';
  override readonly code = 'ledger-fault';
}

/** An account's name is bound to another base URL than the one given. */
export class AccountRebindError extends Error {
  override readonly name = 'AccountRebindError';
  readonly code = 'account-rebound';

  constructor(
    readonly account: string,
    readonly bound: string,
    readonly given: string,
  ) {
    super(
      `account ${account} is bound to ${bound} in this ledger, but ${given} was given; ` +
        `its history belongs to the first: confirm the change, or use another account name`,
    );
  }
}

/** An account is new at the address of another one, which has rows and isn't configured any more. */
export class AccountRenamedError extends Error {
  override readonly name = 'AccountRenamedError';
  readonly code = 'account-renamed';

  constructor(
    readonly account: string,
    readonly earlier: string,
  ) {
    super(
      `account ${account} is new in this ledger, at the address of account ${earlier}, which has rows in it and isn’t ` +
        `configured any more; if it was only renamed, its videos would not be recognised as sent already`,
    );
  }
}

/** The database stayed locked by other processes for longer than the ledger waits. */
export class LedgerBusyError extends Error {
  override readonly name = 'LedgerBusyError';
  readonly code = 'ledger-busy';

  constructor(location: string, waitedMs: number, options: { cause: unknown }) {
    super(
      `the ledger ${location} stayed locked by another process for ${Math.round(waitedMs / 1000)} s; nothing was written: ` +
        `end the process that holds it, then repeat`,
      options,
    );
  }
}

/** A person removed this worker (`worker forget`): it gets no more permissions to send. */
export class WorkerForgottenError extends Error {
  override readonly name = 'WorkerForgottenError';
  readonly code = 'worker-forgotten';

  constructor(worker: string) {
    super(`worker ${worker} was removed with \`reelay worker forget\`, so it sends nothing more`);
  }
}

/**
 * The ledger doesn't know this worker, although it had registered: its record was lost, for example in a failover to a
 * standby that lacked it.
 */
export class WorkerUnknownError extends Error {
  override readonly name = 'WorkerUnknownError';
  readonly code = 'worker-unknown';

  constructor(worker: string) {
    super(`the ledger no longer knows worker ${worker}, so this worker sends nothing more`);
  }
}

/** The database of the ledger can't be reached; unanswered requests are resolved once it can be. */
export class LedgerUnreachableError extends Error {
  override readonly name = 'LedgerUnreachableError';
  readonly code = 'ledger-unreachable';

  constructor(location: string, options: { cause: unknown }) {
    const { cause } = options;
    const reason = cause instanceof Error ? cause.message || ((cause as { code?: string }).code ?? '') : String(cause);
    super(`the ledger ${location} can’t be reached: ${reason}`, options);
  }
}

/** The disk failed to store what was committed: from then on this process writes nothing more. */
export class LedgerNotDurableError extends Error {
  override readonly name = 'LedgerNotDurableError';
  readonly code = 'ledger-not-durable';

  constructor(location: string, options: { cause: unknown }) {
    super(
      `the disk of the ledger ${location} could not be synced (${String(options.cause)}), so nothing more is written to it; ` +
        `check the disk, then start again`,
      options,
    );
  }
}

/**
 * The ledger's file or its log is no longer the one that this process has open: it was replaced or deleted. Anything
 * written would be lost with the process, so it writes nothing more.
 */
export class LedgerReplacedError extends Error {
  override readonly name = 'LedgerReplacedError';
  readonly code = 'ledger-replaced';

  constructor(location: string, what: string) {
    super(
      `the ledger ${location} was replaced while it was in use (${what}), so nothing more is written to it or sent`,
    );
  }
}

/** The ledger in this file was moved to a database: nothing is read from the file or sent by it any more. */
export class LedgerMovedError extends Error {
  override readonly name = 'LedgerMovedError';
  readonly code = 'ledger-moved';

  constructor(
    readonly location: string,
    readonly place: string,
  ) {
    super(`the ledger ${location} was moved to ${place}`);
  }
}

/** The database can't be opened, or isn't a ledger that this version can use. */
export class LedgerOpenError extends Error {
  override readonly name = 'LedgerOpenError';
  readonly code = 'ledger-open';
}

/**
 * The ledger was rolled back: restored from an older copy, or lost and created again. Nothing is sent until it is
 * reconciled.
 */
export class LedgerRolledBackError extends Error {
  override readonly name = 'LedgerRolledBackError';
  readonly code = 'ledger-rolled-back';

  constructor(
    readonly location: string,
    /** `promoted`: its database is on another server now. */
    readonly rolledBack: { lost: boolean; sequence: number; expected: number; promoted?: true },
  ) {
    super(
      rolledBack.lost
        ? `the ledger ${location} is not the one that was here: it was lost or replaced, and its history with it; nothing is sent`
        : rolledBack.promoted === true
          ? `the ledger ${location} is on another database server than its newest records: a standby took over, or a backup was restored; ` +
            `it may lack rows that were sent, so nothing is sent`
          : `the ledger ${location} was rolled back (it is at ${rolledBack.sequence}, it had reached ${rolledBack.expected}): it was restored from an older copy; ` +
            `rows may have been sent since, so nothing is sent`,
    );
  }
}

/** The ledger was used on another machine. */
export class LedgerOtherHostError extends Error {
  override readonly name = 'LedgerOtherHostError';
  readonly code = 'ledger-other-host';

  constructor(location: string, before: string, now: string) {
    super(
      `the ledger ${location} belongs to another machine (${before}; this is ${now}): a SQLite ledger works on one machine only, ` +
        `two copies of it would publish rows twice`,
    );
  }
}
