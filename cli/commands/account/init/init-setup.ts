import { ask, mayAsk } from '../../../terminal/ask';
import { ConfigError, UsageError } from '../../../errors/errors';
import { loadSettings, type SharedFlags } from '../../../config/settings';

export interface Setup {
  sandbox: boolean;
  baseUrl: string;
  /** Name of the variable that holds the key. */
  keyVariable: string;
  /** Never written anywhere. */
  apiKey: string;
  /** Where the sandbox looks for profiles to take over. */
  adopted: string;
}

/** From flags and the environment; what is missing is asked for, where there is somebody to ask. */
export async function chooseSetup(shared: SharedFlags, flags: { keyEnv?: string }): Promise<Setup> {
  if (flags.keyEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(flags.keyEnv)) {
    // The value is not repeated: it may well be the key.
    throw new UsageError(
      '--key-env takes the name of an environment variable',
      'Such as --key-env REELAY_API_KEY; the key itself never goes on a command line.',
    );
  }
  const settings = await loadSettings(shared);
  const { adopted } = settings;
  if (settings.sandbox) {
    return { sandbox: true, baseUrl: '', keyVariable: settings.keyVariable, apiKey: await settings.apiKey(), adopted };
  }
  const baseUrl = await orAsk(() => settings.baseUrl(), 'Address of the publishing service:');
  const keyVariable =
    flags.keyEnv ??
    (mayAsk() ? await ask('Environment variable that holds the API key:', settings.keyVariable) : settings.keyVariable);
  const { environmentKey } = await import('../../../config/settings.js');
  const { confirmKeyVariable } = await import('../../../config/key-variables.js');
  // Named by a flag or at the prompt: the user's own word.
  if (flags.keyEnv !== undefined || mayAsk()) await confirmKeyVariable(keyVariable, settings.root);
  const apiKey =
    environmentKey(keyVariable) ?? (keyVariable === settings.keyVariable ? await settings.apiKey() : undefined);
  if (apiKey === undefined) {
    throw new ConfigError(
      'no-api-key',
      `the environment variable ${keyVariable} is not set`,
      `Set ${keyVariable} to the API key, then repeat.`,
    );
  }
  return { sandbox: false, baseUrl, keyVariable, apiKey, adopted };
}

async function orAsk(known: () => string, question: string): Promise<string> {
  try {
    return known();
  } catch (error) {
    if (!mayAsk()) throw error;
    const answer = await ask(question);
    if (answer === '') throw error;
    return answer;
  }
}
