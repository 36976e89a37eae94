/** A flag of a command line with its value; a flag without a value is alone. */
export type GivenFlag = readonly [flag: string, value?: string];

/** Flags as words of a command line. A value that begins with a dash would be taken for another flag. */
export function flagWords(given: readonly GivenFlag[]): string[] {
  return given.flatMap(([flag, value]) =>
    value === undefined ? [flag] : value.startsWith('-') ? [`${flag}=${value}`] : [flag, value],
  );
}
