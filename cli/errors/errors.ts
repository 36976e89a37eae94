import { EXIT, type ExitCode } from './exit-codes';

/** A problem of a manifest, in JSON and in text (contract). */
export interface ShownProblem {
  severity: 'error' | 'warning';
  line: number | null;
  column: string | null;
  code: string;
  value: string | null;
  message: string;
  hint: string | null;
  /** The sheet that its line refers to; absent if that is the manifest itself. */
  file?: string;
  /** In a workbook: `Sheet1!C5`, or `Sheet1!5:5` for a row. */
  cell?: string;
}

/** The texts that problems refer to: the manifest, and the sheet its `videos` may name. */
export interface ManifestTexts {
  readonly text: string;
  readonly sheet: { readonly text: string } | null;
}

/** A command that did not succeed: the content of its JSON, the text for people, and the exit code. */
export class ExitError extends Error {
  override readonly name: string = 'ExitError';

  constructor(
    /** Stable, kebab-case. */
    readonly code: string,
    message: string,
    readonly exitCode: ExitCode,
    /** How to fix it. */
    readonly hint: string | null = null,
    readonly problems: readonly ShownProblem[] | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A wrong command line. */
export class UsageError extends ExitError {
  override readonly name = 'UsageError';

  constructor(message: string, hint: string | null = null) {
    super('usage', message, EXIT.usage, hint);
  }
}

/** A wrong or missing setting: config file, environment or their combination. */
export class ConfigError extends ExitError {
  override readonly name = 'ConfigError';

  constructor(code: string, message: string, hint: string | null = null) {
    super(code, message, EXIT.usage, hint);
  }
}

/** A manifest with errors: nothing was sent. */
export class RefusedError extends ExitError {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    problems: readonly ShownProblem[],
    hint: string | null = null,
    /** For showing the lines in question. */
    readonly source: ManifestTexts | null = null,
  ) {
    super('manifest-refused', message, EXIT.refused, hint, problems);
  }
}

/** A person answered no to a question: as it was asked for, and no error. */
export class DeclinedError extends ExitError {
  override readonly name = 'DeclinedError';

  constructor() {
    super('not-confirmed', 'Not confirmed; nothing was done.', EXIT.usage);
  }
}

/** Ctrl-C or SIGTERM, after any remaining output was written. */
export class InterruptedError extends ExitError {
  override readonly name = 'InterruptedError';

  constructor(message: string, hint: string | null = null) {
    super('interrupted', message, EXIT.interrupted, hint);
  }
}
