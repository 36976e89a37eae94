/** Options or a fault rule that can't be parsed. The message says what, where, the value and how to fix it. */
export class SandboxOptionError extends Error {
  override readonly name = 'SandboxOptionError';
  readonly code = 'sandbox-option';
}
