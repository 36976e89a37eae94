import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { shellWord } from '../../wording/shell';
import { safeText } from '../terminal/safe-text';
import { type LackingFlags } from './lacking-flags';
import { type ManifestSource } from './manifest-flags';

/** Maximum number of files that are searched, and bytes of each, for the one that a sheet belongs to. */
const FILES = 50;
const BYTES = 256 * 1024;

/**
 * The hint for a manifest that was refused: fix it, read it with the flags that its campaign was given before, or use
 * the YAML beside it that names it as its sheet.
 */
export function fixHint(
  source: ManifestSource,
  problems: readonly { code: string }[],
  lacking: LackingFlags | null,
): string | null {
  // The problem itself says where else the file may be.
  if (problems.some(({ code }) => code === 'manifest-unreadable')) return null;
  if (lacking !== null)
    return `The manifest of campaign ${safeText(lacking.campaign)} was read with ${safeText(lacking.text)} before: add that to the command, or fix the file.`;
  const fixHint = 'Fix the file and repeat the command.';
  if (!('path' in source) || !/\.(?:csv|xlsx)$/iu.test(source.path)) return fixHint;
  const owner = ownerOf(source.path);
  if (owner === null) return fixHint;
  const near = relative(process.cwd(), owner);
  const shown = shellWord(near.startsWith('..') ? owner : near);
  return `${basename(owner)} beside it reads this sheet and maps its columns: run the command with ${shown} instead.`;
}

function ownerOf(sheet: string): string | null {
  try {
    const files = readdirSync(dirname(sheet)).filter((name) => /\.ya?ml$/iu.test(name));
    const paths = files.slice(0, FILES).map((name) => join(dirname(sheet), name));
    return paths.find((path) => statSync(path).size <= BYTES && names(path, basename(sheet))) ?? null;
  } catch {
    // A folder that can't be read gives no better advice.
    return null;
  }
}

function names(path: string, sheet: string): boolean {
  const [, named = ''] = /^videos:[ \t]*["']?([^"'#\n]+)/mu.exec(readFileSync(path, 'utf8')) ?? [];
  return named.trim().replace(/^\.\//u, '') === sheet;
}
