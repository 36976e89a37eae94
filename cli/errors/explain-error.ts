import { ExitError, type ShownProblem } from './errors';
import { isDamage } from '../../ledger/model/damage';
import { EXIT, type ExitCode } from './exit-codes';

/** An error as the command line shows it. */
export interface Explanation {
  code: string;
  message: string;
  hint: string | null;
  exitCode: ExitCode;
  problems: readonly ShownProblem[] | null;
  /** Only for `--verbose`. */
  stack: string | null;
}

interface Told {
  exitCode: ExitCode;
  hint: string | null;
}

/**
 * How to recover from a damaged ledger. The usual cause is a copy that replaced the file while a process was using it:
 * the log of the earlier file is then applied to the copy.
 */
export const RESTORE_LEDGER =
  'Stop every reelay process that uses it, delete ledger.db-wal and ledger.db-shm beside it, put the newest backup in its place (again, ' +
  'if it was restored while a process was using it), then `reelay ledger reconcile`.';

/** For a key that seems to be another account's. */
export const OTHER_ACCOUNT =
  'Set the key of this account, or name the other account differently in reelay.config.yaml. If all profiles of this account were created again: `reelay submit MANIFEST --confirm-base-url`.';

/**
 * What an error from another room means for a command, by its code; its own hint takes precedence over the one here. By
 * codes, so that no room needs to be loaded to distinguish errors.
 */
const KNOWN_ERRORS: Readonly<Record<string, Told>> = {
  'service-unreachable': { exitCode: EXIT.unreachable, hint: 'Check REELAY_BASE_URL and the network.' },
  'access-refused': {
    exitCode: EXIT.access,
    hint: 'Check the API key: is it of this account, complete and still valid? `reelay init` tests it.',
  },
  'service-throttled': { exitCode: EXIT.unreachable, hint: 'The service asks to wait; try again later.' },
  'service-error': { exitCode: EXIT.unreachable, hint: 'The service has a problem of its own; try again later.' },
  'service-lost': { exitCode: EXIT.unreachable, hint: 'The connection broke; try again.' },
  'service-answer': { exitCode: EXIT.unreachable, hint: null },
  'service-redirect': {
    exitCode: EXIT.usage,
    hint: 'Set REELAY_BASE_URL to the address it points to, if you trust it.',
  },
  'service-unreadable': {
    exitCode: EXIT.unreachable,
    hint: 'Is REELAY_BASE_URL the address of the publishing service?',
  },
  'service-not-found': {
    exitCode: EXIT.usage,
    hint: 'Check REELAY_BASE_URL: does it contain a path that doesn’t belong there?',
  },
  'service-refused': {
    exitCode: EXIT.usage,
    hint: 'Correct what the service names, if anything; `reelay doctor` checks the address and the key.',
  },
  'file-unreadable': { exitCode: EXIT.usage, hint: null },
  interrupted: { exitCode: EXIT.interrupted, hint: null },
  'temporal-unreachable': {
    exitCode: EXIT.unreachable,
    hint: 'Start one with `reelay up`, or set TEMPORAL_ADDRESS (and TEMPORAL_NAMESPACE) to yours.',
  },
  'campaign-in-use': {
    exitCode: EXIT.unreachable,
    hint: 'If that ledger was lost: stop its worker, wait 90 s and repeat the command. If it is in use: give this campaign another name (--campaign).',
  },
  'temporal-binary': { exitCode: EXIT.unreachable, hint: null },
  'stack-start': { exitCode: EXIT.unreachable, hint: null },
  'home-busy': { exitCode: EXIT.unreachable, hint: null },
  'manifest-refused': { exitCode: EXIT.refused, hint: null },
  'ledger-state': { exitCode: EXIT.usage, hint: null },
  'ledger-fault': {
    exitCode: EXIT.unexpected,
    hint: 'This is an error in reelay; nothing was changed. `reelay doctor` checks the ledger.',
  },
  'account-rebound': {
    exitCode: EXIT.usage,
    hint: 'If that is intended (the service moved), repeat with --confirm-base-url.',
  },
  'account-renamed': {
    exitCode: EXIT.usage,
    hint: 'Give it its earlier name in reelay.config.yaml. If it is another account, repeat with --confirm-base-url.',
  },
  'account-changed': { exitCode: EXIT.usage, hint: OTHER_ACCOUNT },
  'ledger-open': { exitCode: EXIT.unreachable, hint: 'Check REELAY_HOME, its permissions and the free space.' },
  'ledger-rolled-back': {
    exitCode: EXIT.unreachable,
    hint: 'Restore the newest copy; or, with all workers stopped, compare the ledger with the service: `reelay ledger reconcile`.',
  },
  'ledger-other-host': {
    exitCode: EXIT.unreachable,
    hint: 'If it was moved here on purpose and nothing uses it there any more: `reelay ledger status --new-host`.',
  },
  'ledger-moved': {
    exitCode: EXIT.unreachable,
    hint: 'Set REELAY_DATABASE_URL to that database; the file is only kept as a copy.',
  },
  'ledger-not-durable': { exitCode: EXIT.unreachable, hint: null },
  'ledger-replaced': { exitCode: EXIT.unreachable, hint: RESTORE_LEDGER },
  'worker-forgotten': {
    exitCode: EXIT.unreachable,
    hint: 'Start a new worker; the ledger registers it as a different one.',
  },
  'worker-unknown': {
    exitCode: EXIT.unreachable,
    hint: 'Start it again: it registers with the ledger, and reports it if the ledger was rolled back.',
  },
  'ledger-unreachable': {
    exitCode: EXIT.unreachable,
    hint: 'Check that PostgreSQL runs and REELAY_DATABASE_URL leads to it, then repeat.',
  },
  'ledger-busy': { exitCode: EXIT.unreachable, hint: null },
  'no-account': { exitCode: EXIT.usage, hint: null },
  'service-config': { exitCode: EXIT.usage, hint: 'Check REELAY_BASE_URL and the API key’s variable.' },
  'sandbox-option': { exitCode: EXIT.usage, hint: 'See `reelay sandbox --help`.' },
};

/** System errors that deserve a better message than a stack trace. */
const SYSTEM: Readonly<Record<string, Told>> = {
  ENOENT: {
    exitCode: EXIT.usage,
    hint: 'Check the path; paths on the command line are relative to the current folder.',
  },
  EISDIR: { exitCode: EXIT.usage, hint: 'Name a file, not a folder.' },
  ENOTDIR: { exitCode: EXIT.usage, hint: 'Part of the path is a file, not a folder.' },
  EACCES: { exitCode: EXIT.usage, hint: 'Check the permissions.' },
  EPERM: { exitCode: EXIT.usage, hint: 'Check the permissions.' },
  EROFS: { exitCode: EXIT.usage, hint: 'The folder is read-only; set REELAY_HOME to another.' },
  ENOSPC: { exitCode: EXIT.unreachable, hint: 'The disk is full; free some space and repeat the command.' },
  EADDRINUSE: { exitCode: EXIT.usage, hint: 'Another program holds that port; choose another.' },
};

/** Maps anything that was thrown to a code, a message, a hint and an exit code: the only place that does this. */
export function explainError(thrown: unknown): Explanation {
  if (!(thrown instanceof Error)) {
    const exitCode = EXIT.unexpected;
    return { code: 'unexpected', message: String(thrown), hint: null, exitCode, problems: null, stack: null };
  }
  const stack = thrown.stack ?? null;
  if (thrown instanceof ExitError) {
    const { code, message, hint, exitCode, problems } = thrown;
    return { code, message, hint, exitCode, problems, stack };
  }
  if (isDamage(thrown) || isDamage(thrown.cause)) {
    const message = `the ledger is damaged: ${thrown.message}`;
    const exitCode = EXIT.unreachable;
    return { code: 'ledger-damaged', message, hint: RESTORE_LEDGER, exitCode, problems: null, stack };
  }
  const fields = thrown as Error & { code?: unknown; hint?: unknown; problems?: unknown };
  const code = typeof fields.code === 'string' ? fields.code : '';
  const ownHint = typeof fields.hint === 'string' ? fields.hint : null;
  const known = KNOWN_ERRORS[code];
  if (known) {
    const problems = problemsOf(fields.problems);
    return { code, message: thrown.message, hint: ownHint ?? known.hint, exitCode: known.exitCode, problems, stack };
  }
  if (code.startsWith('SQLITE_')) {
    const message = `the ledger can't be used: ${thrown.message}`;
    const hint = 'Is the disk full, or the file damaged or locked by another program? See REELAY_HOME.';
    return { code: 'ledger-unreachable', message, hint, exitCode: EXIT.unreachable, problems: null, stack };
  }
  const system = SYSTEM[code];
  if (system) {
    const { exitCode, hint } = system;
    return { code: code.toLowerCase(), message: systemMessage(thrown), hint, exitCode, problems: null, stack };
  }
  const hint = ownHint ?? 'Repeat with --verbose for details.';
  const message = thrown.message || thrown.name;
  return { code: 'unexpected', message, hint, exitCode: EXIT.unexpected, problems: null, stack };
}

function systemMessage(error: NodeJS.ErrnoException): string {
  // `ENOENT: no such file or directory, open '/x'` reads better without the code and the call.
  const text = error.message.replace(/^E[A-Z]+: /, '').replace(/, \w+( '.*)?$/s, '');
  return error.path === undefined ? text : `${error.path}: ${text}`;
}

/** Problems of the ledger's plan or of a manifest, with whichever fields they have. */
export function problemsOf(value: unknown): ShownProblem[] | null {
  if (!Array.isArray(value)) return null;
  return value.map((item: Partial<ShownProblem>) => ({
    severity: item.severity ?? 'error',
    line: item.line ?? null,
    column: item.column ?? null,
    code: item.code ?? 'unknown',
    value: item.value ?? null,
    message: item.message ?? '',
    hint: item.hint ?? null,
    ...(item.file === undefined ? {} : { file: item.file }),
    ...(item.cell === undefined ? {} : { cell: item.cell }),
  }));
}
