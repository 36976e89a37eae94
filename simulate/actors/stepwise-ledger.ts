import { type Ledger } from '../../ledger/ledger';

interface Steps {
  point(name: string): Promise<void>;
  /** A line of the trace. */
  told(what: string): void;
  /** Rows may have moved. */
  wrote(): void;
}

/** Calls that decide something about a row: their arguments or results are a line of the trace. */
const TOLD: Readonly<Record<string, (given: readonly unknown[], answer: unknown) => string>> = {
  claim: ([request], answer) => `claim row ${(request as { rowId: number }).rowId}: ${short(answer)}`,
  record: ([row, attempt, outcome], answer) =>
    `record row ${String(row)}/${String(attempt)} ${short(outcome)}: ${short(answer)}`,
  settle: ([row, attempt, decision], answer) =>
    `settle row ${String(row)}/${String(attempt)} ${short(decision)}: ${short(answer)}`,
  maySend: ([row, attempt], answer) => `may row ${String(row)}/${String(attempt)} be sent? ${String(answer)}`,
  addScan: ([row, attempt, scan]) => `scan for row ${String(row)}/${String(attempt)}: ${short(scan)}`,
  endDeadAttempt: ([row, attempt]) => `the worker of row ${String(row)}/${String(attempt)} is dead`,
  recordEnds: ([ends]) => `ends ${short(ends)}`,
  revive: ([row, found]) => `row ${String(row)} has not failed after all: ${short(found)}`,
  resolve: ([input]) => `resolve ${short(input)}`,
  submit: ([input], answer) => `submit ${(input as { campaign: string }).campaign}: ${short(answer)}`,
  retry: (_, answer) => `retry: ${short(answer)}`,
  parkAccount: ([input]) => `parks the account ${short(input)}`,
  pauseRolledBack: (_, answer) => `the ledger was rolled back: ${short(answer)}`,
};

function short(value: unknown): string {
  const text = JSON.stringify({ value }, (key, inner: unknown) =>
    key === 'values' || key === 'message' ? undefined : inner,
  ).slice('{"value":'.length, -1);
  return text.length > 220 ? `${text.slice(0, 219)}…` : text;
}

/** Calls that write: a process may die or freeze before and after each of them; for the others, only after. */
const WRITES: ReadonlySet<string> = new Set([
  ...['submit', 'beginRun', 'importSubmissions', 'finishRun', 'saveBaseline', 'registerWorker', 'workerSeen'],
  ...['claim', 'record', 'addScan', 'settle', 'endDeadAttempt', 'recordEnds', 'noteStatus', 'noteSeen', 'learnHabits'],
  ...['revive', 'retry', 'resolve', 'pause', 'resume', 'cancel', 'cancelGated', 'parkAccount', 'unpark', 'takeProbes'],
  ...['noteTrouble', 'noteConnected', 'pauseRolledBack', 'holdIfBehind', 'bindAccount', 'recordDraftChange'],
  // Of firings.
  ...['open', 'end', 'note', 'mark'],
]);

/** Calls that move no row, or almost never: their effect is checked after the next write. */
const MOVES_NOTHING: ReadonlySet<string> = new Set([
  ...['registerWorker', 'workerSeen', 'saveBaseline', 'addScan', 'noteStatus', 'noteSeen', 'learnHabits', 'pause'],
  ...['resume', 'cancelGated', 'takeProbes', 'noteTrouble', 'noteConnected', 'holdIfBehind', 'bindAccount'],
  ...['open', 'end', 'note', 'mark'],
]);

/** Return pages on demand. */
const ITERATED: ReadonlySet<string> = new Set(['results', 'neverClaimed', 'exportRows', 'exportFirings']);

/** Right before the first byte: freezing between its answer and that byte is a documented limit. */
const FENCE = 'maySend';

/** The real ledger, with each call split into steps: between them others act, and this process may die. */
export function stepwise(ledger: Ledger, process: Steps, fails: () => Error | null): Ledger {
  const call = async (name: string, given: readonly unknown[], run: () => Promise<unknown>): Promise<unknown> => {
    const writes = WRITES.has(name);
    if (writes || name === FENCE) await process.point(`${name} before`);
    const failure = writes ? fails() : null;
    if (failure !== null) throw failure;
    const answered = (answer: unknown): void => {
      const line = TOLD[name]?.(given, answer);
      if (line !== undefined) process.told(line);
    };
    try {
      const answer = await run();
      answered(answer);
      if (writes && !MOVES_NOTHING.has(name)) process.wrote();
      return answer;
    } catch (error) {
      answered(String(error));
      throw error;
    } finally {
      if (name !== FENCE) await process.point(`${name} after`);
    }
  };
  const wrapped = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get(target, key) {
        const value = (target as Record<string | symbol, unknown>)[key];
        if (typeof value === 'object' && value !== null && key === 'firings') return wrapped(value);
        if (typeof value !== 'function' || typeof key !== 'string' || ITERATED.has(key)) return value;
        const method = value as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => call(key, given, () => method.apply(target, given));
      },
    });
  return wrapped(ledger);
}
