import { shellWord } from '../../../../wording/shell';
import { mayAsk } from '../../../terminal/ask';
import { type Output } from '../../../terminal/output';
import { ConfigError, UsageError } from '../../../errors/errors';
import { loadSettings, type SharedFlags } from '../../../config/settings';

export interface Setup {
  sandbox: boolean;
  baseUrl: string;
  /** Name of the variable that holds the key. */
  keyVariable: string;
  /** The address was entered at a prompt: another one may be entered. */
  asked: boolean;
  /** Never written anywhere. */
  apiKey: string;
  /** Where the sandbox looks for profiles to adopt. */
  adopted: string;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** From flags and the environment; missing values are asked for, if there is a terminal. */
export async function chooseSetup(shared: SharedFlags, flags: { keyEnv?: string }, output: Output): Promise<Setup> {
  if (flags.keyEnv !== undefined && !VARIABLE.test(flags.keyEnv)) {
    // The value is not repeated, since it may be the key itself.
    throw new UsageError(
      '--key-env takes the name of an environment variable',
      'For example --key-env REELAY_API_KEY; never put the key itself on a command line.',
    );
  }
  const settings = await loadSettings(shared);
  const { adopted } = settings;
  if (settings.sandbox) {
    return {
      sandbox: true,
      baseUrl: '',
      keyVariable: settings.keyVariable,
      apiKey: await settings.apiKey(),
      adopted,
      asked: false,
    };
  }
  const { environmentKey } = await import('../../../config/environment.js');
  const say = (text: string): void => {
    output.note(text);
  };
  const { askUntilGood } = await import('../../../terminal/ask-private.js');
  let asked = false;
  const baseUrl = await orAsk(
    () => settings.baseUrl(),
    () => {
      asked = true;
      return askUntilGood({ question: 'Address of the publishing service:', problem: addressProblem }, say);
    },
  );
  const isMissing = async (variable: string): Promise<boolean> =>
    environmentKey(variable) === undefined &&
    !(variable === settings.keyVariable && (await hasKey(() => settings.apiKey())));
  const presetMissing = await isMissing(settings.keyVariable);
  const keyVariable =
    flags.keyEnv ??
    (mayAsk()
      ? await askUntilGood(
          {
            question: 'Environment variable that holds the API key:',
            preset: settings.keyVariable,
            problem: (answer) => {
              if (!VARIABLE.test(answer))
                return 'That is not the name of an environment variable, such as REELAY_API_KEY.';
              const missing = answer === settings.keyVariable ? presetMissing : environmentKey(answer) === undefined;
              return missing
                ? `${answer} is not set in this terminal. Name another variable that holds the key; or press Ctrl-C. ${howToSet(answer, baseUrl)}`
                : null;
            },
          },
          say,
        )
      : settings.keyVariable);
  const { confirmKeyVariable } = await import('../../../config/key-variables.js');
  // Named by a flag or at the prompt, so the user chose it.
  if (flags.keyEnv !== undefined || mayAsk()) await confirmKeyVariable(keyVariable, settings.root);
  const apiKey =
    environmentKey(keyVariable) ?? (keyVariable === settings.keyVariable ? await settings.apiKey() : undefined);
  if (apiKey === undefined) {
    throw new ConfigError(
      'no-api-key',
      `the environment variable ${keyVariable} is not set`,
      howToSet(keyVariable, baseUrl),
    );
  }
  return { sandbox: false, baseUrl, keyVariable, apiKey, adopted, asked };
}

async function orAsk(known: () => string, asking: () => Promise<string>): Promise<string> {
  try {
    return known();
  } catch (error) {
    if (!mayAsk()) throw error;
    return asking();
  }
}

function addressProblem(answer: string): string | null {
  const fine = /^https?:\/\//i.test(answer) && URL.canParse(answer);
  return fine ? null : 'That is not an address. Enter one such as https://service.example';
}

/** Any other error than a missing key is reported when the key is used. */
async function hasKey(apiKey: () => Promise<string>): Promise<boolean> {
  try {
    await apiKey();
    return true;
  } catch (error) {
    return !(error instanceof ConfigError && error.code === 'no-api-key');
  }
}

/** A command can't set a variable of the shell that started it. */
function howToSet(variable: string, baseUrl: string): string {
  return `To set it: \`read -rs ${variable} && export ${variable}\`, paste the key and press Enter; then \`reelay init --base-url ${shellWord(baseUrl)}\` again.`;
}
