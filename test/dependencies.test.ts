import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
}

/** What may be distributed with a program under the Apache licence without further duties than naming the author. */
const LICENCES = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense'],
  ...['Apache-2.0 AND MIT', '(MIT OR CC0-1.0)', 'CC-BY-4.0'],
]);
/** Packages that name no licence in the lock file, with the licence in their own text. */
const READ_BY_HAND: Readonly<Record<string, string>> = { unionfs: 'Unlicense' };
/**
 * Packages that run a script when they are installed, each read: the watcher compiles itself only when told to, swc and esbuild check the
 * binary that came as a package of its own (and fetch that package where it is missing), protobufjs compares versions.
 */
const INSTALL_SCRIPTS = ['@parcel/watcher', '@swc/core', 'esbuild', 'protobufjs'];

const lock = JSON.parse(readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const packages = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, locked]) => ({
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    ...locked,
  }));

test('every package has a licence that is allowed', () => {
  expect(packages.length).toBeGreaterThan(100);
  const wrong = packages.filter(({ name, license }) => !LICENCES.has(license ?? READ_BY_HAND[name] ?? ''));
  expect(wrong.map(({ name, license }) => `${name}: ${license ?? 'none'}`)).toEqual([]);
});

test('no package runs a script at its installation, except those that were read', () => {
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true);
  expect([...new Set(scripted.map(({ name }) => name))].sort()).toEqual(INSTALL_SCRIPTS);
});

test('every package is pinned by a checksum, and by no place that it is fetched from', () => {
  const loose = packages.filter(({ integrity }) => integrity?.startsWith('sha512-') !== true);
  expect(loose.map(({ name }) => name)).toEqual([]);
  expect(packages.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name)).toEqual([]);
});
