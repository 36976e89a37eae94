import { distance } from 'fastest-levenshtein';
import { FIELD_ALIASES, FIELD_NAMES, FIELDS, foldName, NOT_OFFERED, SYNONYMS, type FieldName } from './fields';
import { type PlatformConfig, type PlatformKind } from '../types';

/** What a header or key means. `slot` is a field's name, or `FIELD.short` / `FIELD.long`. */
export type ColumnMeaning =
  | { kind: 'field'; slot: string }
  | { kind: 'mistaken'; suggestion: string; reason: 'synonym' | 'near' | 'platform' }
  | { kind: 'not-offered' }
  | { kind: 'result'; name: string }
  | { kind: 'own' }
  | { kind: 'ignored' };

const KNOWN: Readonly<Record<string, FieldName>> = {
  ...Object.fromEntries(FIELD_NAMES.map((name) => [name, name])),
  ...FIELD_ALIASES,
};

/** A known name that differs by at most one typing mistake, or undefined. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const allowed = name.length >= 6 ? 2 : name.length >= 3 ? 1 : 0;
  let best: { candidate: string; steps: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > allowed) continue;
    if (candidate[0] !== name[0] && candidate.length < 5) continue;
    const steps = distance(name, candidate);
    const near = steps <= allowed || (steps === 2 && name.length >= 3 && sameLetters(name, candidate));
    if (steps > 0 && near && steps < (best?.steps ?? Infinity)) best = { candidate, steps };
  }
  return best?.candidate;
}

// Two letters swapped: the most common mistake, which counts as two edits.
function sameLetters(one: string, other: string): boolean {
  return one.length === other.length && Array.from(one).sort().join('') === Array.from(other).sort().join('');
}

function kindOf(suffix: string, platforms: readonly PlatformConfig[]): PlatformKind | undefined {
  if (suffix === 'short' || suffix === 'long') return suffix;
  const named = platforms.find((platform) => foldName(platform.name) === suffix);
  // A wire value stands for its kind only if it is the only one of that kind.
  return named !== undefined && platforms.filter((one) => one.kind === named.kind).length === 1
    ? named.kind
    : undefined;
}

function classifyDotted(field: FieldName, suffix: string, platforms: readonly PlatformConfig[]): ColumnMeaning {
  if (!FIELDS[field].perPlatform) return { kind: 'mistaken', suggestion: field, reason: 'platform' };
  const kind = kindOf(suffix, platforms);
  if (kind !== undefined) return { kind: 'field', slot: `${field}.${kind}` };
  return { kind: 'mistaken', suggestion: `${field}.short or ${field}.long`, reason: 'platform' };
}

/** Reads a header by the rule of `foldName`; a `columns` mapping (folded header → slot or `ignore`) comes first. */
export function classifyColumn(
  header: string,
  options: { platforms: readonly PlatformConfig[]; mapping?: ReadonlyMap<string, string> },
): ColumnMeaning {
  const name = foldName(header);
  const mapped = options.mapping?.get(name);
  if (mapped === 'ignore') return { kind: 'ignored' };
  if (mapped !== undefined) return { kind: 'field', slot: mapped };
  if (name.startsWith('reelay_')) return { kind: 'result', name };
  const known = own(KNOWN, name);
  if (known !== undefined) return { kind: 'field', slot: known };
  const dot = name.indexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const field = dot > 0 ? own(KNOWN, stem) : undefined;
  if (field !== undefined) return classifyDotted(field, name.slice(dot + 1), options.platforms);
  const synonym = own(SYNONYMS, stem);
  if (synonym !== undefined)
    return { kind: 'mistaken', suggestion: synonym + name.slice(stem.length), reason: 'synonym' };
  if (NOT_OFFERED.has(name)) return { kind: 'not-offered' };
  const near = nearest(stem, [...Object.keys(KNOWN), ...Object.keys(SYNONYMS)]);
  if (near === undefined) return { kind: 'own' };
  return { kind: 'mistaken', suggestion: (own(SYNONYMS, near) ?? near) + name.slice(stem.length), reason: 'near' };
}

/** The slot a `columns` setting's value names (`title`, `file`, `title.short`), or undefined. */
export function slotNamed(value: string, platforms: readonly PlatformConfig[]): string | undefined {
  const meaning = classifyColumn(value, { platforms });
  return meaning.kind === 'field' ? meaning.slot : undefined;
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
