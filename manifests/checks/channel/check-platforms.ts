import { nearest } from '../../fields/classify-column';
import { foldName } from '../../fields/fields';
import { type ProblemList } from '../../problems/problems';
import { type Cell } from '../../raw-row';
import { showValue } from '../../text';
import { type PlatformConfig } from '../../types';

/** The platforms a cell names, by wire value or kind, each once. Not `ok` after an error. */
export function parsePlatforms(
  cell: Cell,
  platforms: readonly PlatformConfig[],
  problems: ProblemList,
): { found: readonly PlatformConfig[]; ok: boolean } {
  const known = cell.list === undefined ? soundCells(platforms).get(cell.text) : undefined;
  if (known !== undefined) return { found: known, ok: true };
  const names = (cell.list ?? cell.text.split('|')).map((name) => name.trim()).filter((name) => name !== '');
  const found = new Set<PlatformConfig>();
  let ok = names.length > 0;
  if (!ok)
    problems.add({ code: 'platform-missing', at: cell.at, value: cell.text, message: 'The row names no platform.' });
  for (const name of names) {
    const matches = matching(name, platforms);
    const [match] = matches;
    if (match !== undefined && matches.length === 1) {
      found.add(match);
      continue;
    }
    ok = false;
    // So that the row's other mistakes are reported in the same round.
    const meant = matches.length === 0 ? nearPlatform(name, platforms) : undefined;
    if (meant !== undefined) found.add(meant);
    const shared = cell.level !== 'row';
    problems.add({ code: 'platform-unknown', at: cell.at, value: name, shared, ...explain(name, matches, platforms) });
  }
  const result = { found: [...found], ok };
  if (ok && cell.list === undefined && cell.text.length < 100) soundCells(platforms).set(cell.text, result.found);
  return result;
}

const sound = new WeakMap<readonly PlatformConfig[], Map<string, readonly PlatformConfig[]>>();

/** Parsed cells: a sheet of a hundred thousand rows has only a handful of different ones. */
function soundCells(platforms: readonly PlatformConfig[]): Map<string, readonly PlatformConfig[]> {
  let cells = sound.get(platforms);
  if (cells === undefined || cells.size > 1000)
    sound.set(platforms, (cells = new Map<string, readonly PlatformConfig[]>()));
  return cells;
}

function matching(name: string, platforms: readonly PlatformConfig[]): PlatformConfig[] {
  const folded = foldName(name);
  const byName = platforms.filter((platform) => foldName(platform.name) === folded);
  return byName.length > 0 ? byName : platforms.filter((platform) => platform.kind === folded);
}

function nearPlatform(name: string, platforms: readonly PlatformConfig[]): PlatformConfig | undefined {
  const near = nearName(name, platforms);
  const meant = near === undefined ? [] : matching(near, platforms);
  return meant.length === 1 ? meant[0] : undefined;
}

function nearName(name: string, platforms: readonly PlatformConfig[]): string | undefined {
  return nearest(foldName(name), [
    ...platforms.map((platform) => foldName(platform.name)),
    ...platforms.map((platform) => platform.kind),
  ]);
}

function explain(
  name: string,
  matches: readonly PlatformConfig[],
  platforms: readonly PlatformConfig[],
): { message: string; hint: string } {
  const shown = showValue(name);
  const choices = platforms.map((platform) => `${platform.name} (${platform.kind})`).join(', ');
  if (matches.length > 1) {
    const hint = `Use a name: ${matches.map((match) => match.name).join(' or ')}.`;
    return { message: `“${shown}” is the kind of ${matches.length} platforms.`, hint };
  }
  const near = nearName(name, platforms);
  if (/[,;+&/\s]/.test(name))
    return { message: `“${shown}” isn’t a platform.`, hint: 'Separate several platforms by |, as in short|long.' };
  const message = `“${shown}” isn’t a configured platform.${near === undefined ? '' : ` Did you mean “${near}”?`}`;
  return { message, hint: `Configured are: ${choices}. Several are separated by |.` };
}
