import { type Ledger } from '../../ledger/ledger';

interface Steps {
  point(name: string): Promise<void>;
}

/** Calls that write: a process may die, or be frozen, before and after each of them. Of the others, only after. */
const WRITES: ReadonlySet<string> = new Set([
  ...['submit', 'beginRun', 'importSubmissions', 'finishRun', 'saveBaseline', 'registerWorker', 'workerSeen'],
  ...['claim', 'record', 'addScan', 'settle', 'endDeadAttempt', 'recordEnds', 'noteStatus', 'noteSeen', 'learnHabits'],
  ...['revive', 'retry', 'resolve', 'pause', 'resume', 'cancel', 'cancelGated', 'parkAccount', 'unpark', 'takeProbes'],
  ...['noteTrouble', 'noteConnected', 'pauseRolledBack', 'holdIfBehind', 'bindAccount'],
]);

/** Give pages as they are asked for. */
const ITERATED: ReadonlySet<string> = new Set(['results', 'neverClaimed', 'exportRows', 'exportFirings']);

/** Right before the first byte: being frozen between its answer and that byte is a documented limit. */
const FENCE = 'maySend';

/** The real ledger, with each call a matter of steps: between them others act, and this process may die. */
export function stepwise(ledger: Ledger, process: Steps, fails: () => Error | null): Ledger {
  const call = async (name: string, run: () => Promise<unknown>): Promise<unknown> => {
    const writes = WRITES.has(name);
    if (writes || name === FENCE) await process.point(`${name} before`);
    const failure = writes ? fails() : null;
    if (failure !== null) throw failure;
    if (name === FENCE) return run();
    try {
      return await run();
    } finally {
      await process.point(`${name} after`);
    }
  };
  const wrapped = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get(target, key) {
        const value = (target as Record<string | symbol, unknown>)[key];
        if (typeof value === 'object' && value !== null && key === 'firings') return wrapped(value);
        if (typeof value !== 'function' || typeof key !== 'string' || ITERATED.has(key)) return value;
        const method = value as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => call(key, () => method.apply(target, given));
      },
    });
  return wrapped(ledger);
}
