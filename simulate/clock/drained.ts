/** The event loop's own turn; everything else in the process gets virtual ones. */
const nextTurn = setImmediate;

/** Lets every promise that can continue do so: nothing in a simulation waits for anything real. */
export function drained(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}
