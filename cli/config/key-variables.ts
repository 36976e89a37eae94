import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../errors/errors';
import { ask, mayAsk } from '../terminal/ask';

/** Variables that contain only keys for this program. */
const OWN = /^REELAY_/;

/**
 * Lets a config name its key's variable: `REELAY_…` always, any other one (such as `GITHUB_TOKEN`) only after the user
 * confirmed it once, since its content is sent to the address in the same file. Confirmed names are stored in the home.
 * @throws ConfigError if it isn't confirmed and there is no terminal to ask on
 */
export async function demandKeyVariable(variable: string, home: string): Promise<void> {
  if (OWN.test(variable) || (await confirmed(home)).includes(variable)) return;
  if (mayAsk()) {
    const answer = await ask(`Send the content of ${variable} to the publishing service as its API key? (y/N)`);
    if (/^y(es)?$/i.test(answer)) return confirmKeyVariable(variable, home);
  }
  throw new ConfigError(
    'key-variable',
    `the config takes the API key from ${variable}, which was never confirmed to hold it`,
    `Put the key into a variable whose name starts with REELAY_, name the config by --config, or confirm the variable once: \`reelay init --key-env ${variable}\`.`,
  );
}

/** Records that the user named this variable for a key. */
export async function confirmKeyVariable(variable: string, home: string): Promise<void> {
  const known = await confirmed(home);
  if (OWN.test(variable) || known.includes(variable)) return;
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(fileOf(home), `${[...known, variable].sort().join('\n')}\n`, { mode: 0o600 });
}

async function confirmed(home: string): Promise<string[]> {
  const text = await readFile(fileOf(home), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter((line) => line !== '');
}

function fileOf(home: string): string {
  return join(home, 'key-variables');
}
