import { given } from './accounts';
import { ConfigError } from '../errors/errors';
import { type TerminalEnvironment } from '../terminal/output';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How the terminal wants to be written to. */
export function terminalEnvironment(env: Environment = process.env): TerminalEnvironment {
  return { noColor: given(env.NO_COLOR) !== undefined, dumb: env.TERM === 'dumb' };
}

/** A JSON object of times in ms, in a variable that only tests set. */
export function numbers(variable: string, env: Environment): Record<string, number> {
  const text = given(env[variable]);
  if (text === undefined) return {};
  try {
    const read = JSON.parse(text) as Record<string, number>;
    if (Object.values(read).every((ms) => typeof ms === 'number' && ms > 0)) return read;
  } catch {
    // Reported below, like any other wrong value.
  }
  throw new ConfigError('timings', `${variable} is not a JSON object of times in ms: ${text}`, `Unset ${variable}.`);
}

/** The key from a variable that a person named. */
export function environmentKey(variable: string, env: Environment = process.env): string | undefined {
  return given(env[variable])?.trim();
}
