/** A flag of a command line with its value; a flag without a value is alone. */
export type GivenFlag = readonly [flag: string, value?: string];

/**
 * Flags about how a file is read, which campaign it is, and one-time confirmations: a sheet with corrections needs none
 * of these.
 */
const OF_ONE_FILE: readonly string[] = [
  ...['--campaign', '--encoding', '--delimiter', '--sheet', '--template', '--strict'],
  ...['--prune', '--keep', '--rekey', '--accept-differences', '--skip-invalid', '--once'],
];

/** Flags about the command itself and not about the manifest. */
const OF_THE_COMMAND: readonly string[] = ['--config', '--base-url'];

/**
 * The flags of a campaign's newest submission that a sheet of corrected rows needs too. It is read with those of its
 * `manifest`, so only others are left, such as those of an earlier sheet.
 */
export function carriedFlags(given: readonly GivenFlag[], manifest: readonly GivenFlag[]): GivenFlag[] {
  const inherited = (flag: string, value?: string) =>
    !OF_THE_COMMAND.includes(flag) && manifest.some((own) => own[0] === flag && own[1] === value);
  return given.filter(([flag, value]) => !OF_ONE_FILE.includes(flag) && !inherited(flag, value));
}

/** Flags as words of a command line. A value that begins with a dash would be taken for another flag. */
export function flagWords(given: readonly GivenFlag[]): string[] {
  return given.flatMap(([flag, value]) =>
    value === undefined ? [flag] : value.startsWith('-') ? [`${flag}=${value}`] : [flag, value],
  );
}
