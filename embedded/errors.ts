import { type BinaryPin } from './binary/binary-pins';

/** No way of finding the executable succeeded. `tried` has each one with its reason. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
  readonly code = 'temporal-binary';
  readonly hint: string;

  constructor(
    pin: BinaryPin,
    readonly tried: readonly string[],
  ) {
    const hint =
      `Install version ${pin.version} or newer and name it: export ${pin.variable}=/path/to/${pin.command}` +
      (pin.official ? '; or use a Temporal server that runs already: export TEMPORAL_ADDRESS=host:7233' : '');
    super(`The ${pin.title} can't be found. Tried:\n${tried.map((line) => `  - ${line}`).join('\n')}`);
    this.hint = hint;
  }
}

/** The Temporal server, or the sandbox, did not start, or ended. */
export class StackStartError extends Error {
  override readonly name = 'StackStartError';
  readonly code = 'stack-start';

  constructor(
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Another process holds the home, and this one can't join its stack. */
export class HomeBusyError extends Error {
  override readonly name = 'HomeBusyError';
  readonly code = 'home-busy';

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
