import { dirname, join, resolve } from 'node:path';

/** The name of the config file that is searched from the current folder upward. */
export const CONFIG_FILE = 'reelay.config.yaml';

/** Where the config of a folder may be, the nearest place first. */
export function* configPlaces(from: string): Generator<string> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    yield join(folder, CONFIG_FILE);
    if (dirname(folder) === folder) return;
  }
}
