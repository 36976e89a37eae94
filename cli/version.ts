import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** From the package's own file, which is above this one both in the sources and in the build. */
export function programVersion(): string {
  for (const folder of ['..', '../..']) {
    try {
      const text = readFileSync(join(__dirname, folder, 'package.json'), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // Not in this folder.
    }
  }
  return 'unknown';
}
