import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where a page of the documentation (`tasks/service.md`) is on this machine: it comes with the package, above this file
 * both in the sources and in the build. Null if it isn't there, as in a container image.
 */
export function docPage(page: string): string | null {
  const places = ['../..', '../../..'].map((folder) => join(__dirname, folder, 'docs', page));
  return places.find((path) => existsSync(path)) ?? null;
}
