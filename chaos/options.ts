import { parseArgs } from 'node:util';

export interface ChaosOptions {
  rows: number;
  kills: number;
  seed: number;
  /** Only scenarios whose name contains one of these texts. */
  only: readonly string[];
  /** Behaviours of the service to try: `all`, or names separated by commas; undefined: some, chosen by the seed. */
  behaviours: string | undefined;
}

const PROFILES = {
  ci: { rows: 500, kills: 20 },
  long: { rows: 5_000, kills: 200 },
  hostile: { rows: 500, kills: 1 },
} as const;

/**
 * `[--profile ci|long|hostile] [--rows N] [--kills N] [--seed N] [--only TEXT,TEXT] [--behaviours all|NAME,NAME]`.
 * @throws Error for invalid options
 */
export function chosenOptions(args: readonly string[]): ChaosOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { profile: text, rows: text, kills: text, seed: text, only: text, behaviours: text },
  });
  const name = values.profile ?? 'ci';
  if (!Object.hasOwn(PROFILES, name))
    throw new Error(`--profile: “${name}” is not ${Object.keys(PROFILES).join(', ')}`);
  const profile = PROFILES[name as keyof typeof PROFILES];
  return {
    rows: wholeNumber('--rows', values.rows) ?? profile.rows,
    kills: wholeNumber('--kills', values.kills) ?? profile.kills,
    seed: wholeNumber('--seed', values.seed) ?? Date.now() % 1_000_000,
    only: values.only?.split(',') ?? [name === 'hostile' ? 'hostile' : ''],
    behaviours: values.behaviours,
  };
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${flag}: “${text}” is not a whole number`);
  return Number(text);
}
