/** Ctrl-C and SIGTERM as an abort signal: the first requests a stop, the second ends the process at once. */
export interface Interrupts {
  readonly signal: AbortSignal;
  /** Restores Node's own handling. */
  release(): void;
}

/** Signals this close (ms) to each other count as one. */
const SAME_SIGNAL_MS = 300;

export function listenForInterrupts(onFirst?: () => void): Interrupts {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      // A wrapper (timeout, npm) passes on the signal that the whole group received: no person presses Ctrl-C that
      // fast.
      if (performance.now() - first < SAME_SIGNAL_MS) return;
      process.exit(130);
    }
    first = performance.now();
    controller.abort();
    onFirst?.();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onSignal);
    },
  };
}

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
