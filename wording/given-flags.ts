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

/** The flags of a submission that a sheet with some of its rows, corrected, needs too. */
export function carriedFlags(given: readonly GivenFlag[]): GivenFlag[] {
  return given.filter(([flag]) => !OF_ONE_FILE.includes(flag));
}

/** Flags as words of a command line. A value that begins with a dash would be taken for another flag. */
export function flagWords(given: readonly GivenFlag[]): string[] {
  return given.flatMap(([flag, value]) =>
    value === undefined ? [flag] : value.startsWith('-') ? [`${flag}=${value}`] : [flag, value],
  );
}
