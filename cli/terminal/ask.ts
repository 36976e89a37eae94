import { createInterface } from 'node:readline/promises';
import { DeclinedError, ExitError, InterruptedError } from '../errors/errors';
import { EXIT } from '../errors/exit-codes';
import { type Output } from './output';

/** There is a terminal to ask on. */
export function mayAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on standard error; an empty answer means `preset`. @throws InterruptedError on Ctrl-C or a closed input */
export async function ask(question: string, preset = ''): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  reader.once('close', () => {
    closed.abort();
  });
  reader.once('SIGINT', () => {
    reader.close();
  });
  try {
    const answer = await reader.question(preset === '' ? `${question} ` : `${question} [${preset}] `, {
      signal: closed.signal,
    });
    return answer.trim() === '' ? preset : answer.trim();
  } catch {
    throw new InterruptedError('interrupted; nothing was done');
  } finally {
    reader.close();
  }
}

/** Asks a question that both answers of which continue. @throws InterruptedError */
export async function isAgreed(question: string, preset: 'yes' | 'no' = 'no'): Promise<boolean> {
  const answer = (await ask(`${question} ${preset === 'yes' ? '(Y/n)' : '(y/N)'}`)) || preset;
  return /^y(es)?$/i.test(answer);
}

/** Continues only if a person agrees, or with `--yes`. @throws ExitError otherwise */
export async function confirm(input: {
  output: Output;
  yes: boolean;
  question: string;
  /** What an empty answer means. @default 'no' */
  preset?: 'yes' | 'no';
}): Promise<void> {
  if (input.yes) return;
  if (!mayAsk()) {
    throw new ExitError(
      'not-confirmed',
      `${input.question} Cannot prompt without a terminal`,
      EXIT.usage,
      'Pass --yes to confirm.',
    );
  }
  if (!(await isAgreed(input.question, input.preset))) throw new DeclinedError();
}
