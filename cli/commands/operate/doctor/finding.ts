import { explainError } from '../../../errors/explain-error';
import { EXIT, pickExit, type ExitCode } from '../../../errors/exit-codes';

/**
 * `ok`; `warning`: a run goes on without it, or may meet it; `error`: a run can't go on; `skipped`: can't be known as
 * something else is wrong or isn't running.
 */
export type FindingState = 'ok' | 'warning' | 'error' | 'skipped';

/** What one part that a run needs was found to be. */
export interface Finding {
  /** Stable, kebab-case: `service-key`. */
  part: string;
  state: FindingState;
  message: string;
  /** How to mend it; null where there is nothing to mend. */
  hint: string | null;
  /** What it ends the command with; 0 unless it is an error. */
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

/** What was thrown, in the words that any command has for it. */
export function failed(part: string, thrown: unknown): Finding {
  const { message, hint, exitCode } = explainError(thrown);
  return { part, state: 'error', message, hint, exit: exitCode };
}

export function exitOf(findings: readonly Finding[]): ExitCode {
  return pickExit(findings.map((finding) => finding.exit));
}
