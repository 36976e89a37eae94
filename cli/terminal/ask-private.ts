import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InterruptedError } from '../errors/errors';

/** A terminal for questions; tests provide their own. */
interface AskStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** The prefixes of well-known services' keys. */
const KEY_START = /^(bearer |sk[-_]|pk[-_]|rk[-_]|gh[pousr]_|xox[a-z]-|eyJ|AKIA)/;
/** `service.example`, `api2.service.example:8080/path` */
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}(:\d+)?(\/|$)/i;
const SHORTEST_KEY = 16;

/** Whether a text may be a key that was pasted at the wrong question. */
export function looksLikeKey(text: string): boolean {
  const trimmed = text.trim();
  if (KEY_START.test(trimmed)) return true;
  if (trimmed.length < SHORTEST_KEY || /\s/.test(trimmed) || /^https?:\/\//i.test(trimmed)) return false;
  // Names of variables are words in capitals.
  if (/^[A-Z]+(_[A-Z0-9]+)*$/.test(trimmed) || HOST.test(trimmed)) return false;
  return /\d/.test(trimmed) && /[a-z]/i.test(trimmed);
}

/**
 * Asks on a terminal; what looks like a key is shown as dots while it is typed or pasted. An empty answer means
 * `preset`.
 * @throws InterruptedError on Ctrl-C or a closed input
 */
export async function askPrivately(
  question: string,
  preset = '',
  { input, output }: AskStreams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const shown = preset === '' ? `${question} ` : `${question} [${preset}] `;
  // readline's own output is suppressed: it would show every letter.
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const reader = createInterface({ input, output: nowhere, terminal: true });
  const draw = (): void => {
    const text = looksLikeKey(reader.line) ? '•'.repeat(reader.line.length) : reader.line;
    output.write(`\r${shown}${text}\u001b[K`);
  };
  // Pasted text arrives letter by letter: it is drawn when it is complete.
  const pending: { drawing: NodeJS.Immediate | null } = { drawing: null };
  const later = (): void => {
    pending.drawing ??= setImmediate(() => {
      pending.drawing = null;
      draw();
    });
  };
  output.write(shown);
  input.on('keypress', later);
  try {
    return await new Promise((resolve, reject) => {
      reader.once('line', (line) => {
        if (pending.drawing !== null) clearImmediate(pending.drawing);
        output.write(`\r${shown}${looksLikeKey(line) ? '(hidden)' : line}\u001b[K\n`);
        resolve(line.trim() === '' ? preset : line.trim());
      });
      reader.once('SIGINT', () => {
        reader.close();
      });
      reader.once('close', () => {
        reject(new InterruptedError('interrupted; nothing was done'));
      });
    });
  } finally {
    input.off('keypress', later);
    if (pending.drawing !== null) clearImmediate(pending.drawing);
    reader.close();
  }
}

const KEY_TOLD =
  'That looks like the key itself. It was neither shown nor kept; put it into an environment variable, never here.';

/**
 * Asks until the answer is valid. `problem` returns what is wrong with one, without repeating it; null: nothing.
 * @throws InterruptedError on Ctrl-C
 */
export async function askUntilGood(
  asked: { question: string; preset?: string; problem: (answer: string) => string | null },
  say: (text: string) => void,
  ask: (question: string, preset: string) => Promise<string> = askPrivately,
): Promise<string> {
  for (;;) {
    const answer = await ask(asked.question, asked.preset ?? '');
    const problem = asked.problem(answer);
    if (problem === null) return answer;
    say(looksLikeKey(answer) ? KEY_TOLD : problem);
  }
}
