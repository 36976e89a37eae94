import { explainError } from '../../../errors/explain-error';
import { EXIT, pickExit, type ExitCode } from '../../../errors/exit-codes';

/**
 * `ok`; `warning`: a run works without it, or may run into it; `error`: a run can't work; `skipped`: can't be checked
 * because something else is wrong or isn't running.
 */
export type FindingState = 'ok' | 'warning' | 'error' | 'skipped';

/** The result of checking one part that a run needs. */
export interface Finding {
  /** Stable, kebab-case: `service-key`. */
  part: string;
  state: FindingState;
  message: string;
  /** How to fix it; null if there is nothing to fix. */
  hint: string | null;
  /** The command's exit code for it; 0 unless it is an error. */
  exit: ExitCode;
}

export function ok(part: string, message: string): Finding {
  return { part, state: 'ok', message, hint: null, exit: EXIT.ok };
}

export function warning(part: string, message: string, hint: string): Finding {
  return { part, state: 'warning', message, hint, exit: EXIT.ok };
}

export function skipped(part: string, message: string): Finding {
  return { part, state: 'skipped', message, hint: null, exit: EXIT.ok };
}

export function wrong(part: string, message: string, hint: string, exit: ExitCode = EXIT.usage): Finding {
  return { part, state: 'error', message, hint, exit };
}

/** A thrown error, in the same words as in any other command. */
export function failed(part: string, thrown: unknown): Finding {
  const { message, hint, exitCode } = explainError(thrown);
  return { part, state: 'error', message, hint, exit: exitCode };
}

export function exitOf(findings: readonly Finding[]): ExitCode {
  return pickExit(findings.map((finding) => finding.exit));
}
