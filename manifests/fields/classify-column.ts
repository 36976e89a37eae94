import { distance } from 'fastest-levenshtein';
import {
  FIELD_ALIASES,
  FIELD_NAMES,
  FIELDS,
  foldName,
  NOT_OFFERED,
  SYNONYMS,
  TRANSLATIONS,
  type FieldName,
} from './fields';
import { type PlatformConfig, type PlatformKind } from '../types';

/** What a header or key means. `slot` is a field's name, or `FIELD.short` / `FIELD.long`. */
export type ColumnMeaning =
  | { kind: 'field'; slot: string }
  | { kind: 'mistaken'; suggestion: string; reason: 'synonym' | 'translation' | 'near' | 'platform' }
  | { kind: 'not-offered' }
  | { kind: 'result'; name: string }
  | { kind: 'own' }
  | { kind: 'ignored' };

const KNOWN: Readonly<Record<string, FieldName>> = {
  ...Object.fromEntries(FIELD_NAMES.map((name) => [name, name])),
  ...FIELD_ALIASES,
};

/** Fields whose first letter may be wrong: no common word differs from them in it, and without them a row is sent otherwise. */
const SHORT_FIELDS: readonly FieldName[] = ['key', 'via', 'skip'];

const PER_PLATFORM = FIELD_NAMES.filter((name) => FIELDS[name].perPlatform);

/** Without the short ones of required fields: “size”, “line” and “like” are no slips of “site” and “link”. */
const NEAR_SYNONYMS = Object.entries(SYNONYMS).flatMap(([name, field]) =>
  name.length > 4 || (name.length === 4 && field !== 'source' && field !== 'platform') ? [name] : [],
);

/** No name of a field and a platform has more parts; a header of thousands is a text that a quote or a missing header row put there. */
const MOST_PARTS = 12;

/** A short or long one of these is a shortened link, or the full one. */
const LINKS: ReadonlySet<string> = new Set(['url', 'uri', 'link']);

/** A known name that differs by at most one typing mistake (in 6 letters or more, by `most` edits), or undefined. */
export function nearest(name: string, candidates: Iterable<string>, most = 2): string | undefined {
  const allowed = Math.min(most, name.length >= 6 ? 2 : name.length >= 3 ? 1 : 0);
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
  const [stem, suffix] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
  const field = suffix === '' ? undefined : own(KNOWN, stem);
  const words = wordsOf(name);
  // “publish.at” is a field written otherwise, “title.shrt” one of a platform.
  if (field !== undefined && own(KNOWN, words) === undefined) return classifyDotted(field, suffix, options.platforms);
  if (NOT_OFFERED.has(name)) return { kind: 'not-offered' };
  const meant = fieldMeant(words);
  if (meant !== undefined) return { kind: 'mistaken', ...meant };
  const forPlatform = platformMeant(words, options.platforms) ?? mistypedPlatform(words, options.platforms);
  if (forPlatform !== undefined) return forPlatform;
  const before = suffix === '' ? undefined : fieldMeant(wordsOf(stem));
  if (before === undefined) return { kind: 'own' };
  return { kind: 'mistaken', suggestion: `${before.suggestion}.${suffix}`, reason: before.reason };
}

/** The words of a folded name, whatever stands between and around them: `publish_at_short` for `publish_at (short)`. */
function wordsOf(name: string): string {
  return name.replace(/[^\p{L}\p{M}\p{N}]+/gu, '_').replace(/^_|_$/g, '');
}

function withoutAccents(words: string): string {
  return words.normalize('NFD').replace(/\p{M}/gu, '');
}

function fieldMeant(words: string): { suggestion: string; reason: 'synonym' | 'translation' | 'near' } | undefined {
  if (own(KNOWN, words) !== undefined) return { suggestion: words, reason: 'near' };
  const synonym = own(SYNONYMS, words);
  if (synonym !== undefined) return { suggestion: synonym, reason: 'synonym' };
  const translation = own(TRANSLATIONS, withoutAccents(words));
  if (translation !== undefined) return { suggestion: translation, reason: 'translation' };
  const near =
    nearest(words, Object.keys(KNOWN)) ??
    nearest(words, NEAR_SYNONYMS, words.length < 8 ? 1 : 2) ??
    SHORT_FIELDS.find((field) => field.length === words.length && field.slice(1) === words.slice(1));
  return near === undefined ? undefined : { suggestion: own(SYNONYMS, near) ?? near, reason: 'near' };
}

/** A field and a platform written in one name: `publish_at_short`, `titlelong`, `short_title`. */
function platformMeant(words: string, platforms: readonly PlatformConfig[]): ColumnMeaning | undefined {
  const suffixes = ['shorts', 'short', 'long', ...platforms.map(({ name }) => wordsOf(foldName(name)))];
  for (const suffix of suffixes) {
    const rest = words.endsWith(suffix)
      ? words.slice(0, -suffix.length)
      : words.startsWith(suffix)
        ? words.slice(suffix.length)
        : '';
    const stem = wordsOf(rest);
    if (LINKS.has(stem)) continue;
    const name = stem.length >= 5 ? fieldMeant(stem)?.suggestion : shortStem(stem);
    const field = name === undefined ? undefined : own(KNOWN, name);
    if (field === undefined) continue;
    const kind = suffix === 'shorts' ? 'short' : suffix;
    const meaning = classifyDotted(field, kind, platforms);
    return meaning.kind === 'field' ? { kind: 'mistaken', suggestion: meaning.slot, reason: 'near' } : meaning;
  }
  return undefined;
}

/** A short rest is close to too many words: “short film” is no short file. */
function shortStem(stem: string): string | undefined {
  return own(KNOWN, stem) ?? own(SYNONYMS, stem) ?? (stem.length === 4 ? nearest(stem, PER_PLATFORM) : undefined);
}

/** A field and a mistyped platform: `publish_at_shrot`, `shrt title`. The field must be right. */
function mistypedPlatform(words: string, platforms: readonly PlatformConfig[]): ColumnMeaning | undefined {
  const names = ['short', 'long', ...platforms.map(({ name }) => wordsOf(foldName(name)))];
  const parts = words.split('_');
  if (parts.length > MOST_PARTS) return undefined;
  for (let at = 1; at < parts.length; at += 1) {
    const [first, last] = [parts.slice(0, at).join('_'), parts.slice(at).join('_')];
    const meaning = withPlatform(first, last) ?? withPlatform(last, first);
    if (meaning !== undefined) return meaning;
  }
  return undefined;

  function withPlatform(stem: string, written: string): ColumnMeaning | undefined {
    const field = own(KNOWN, stem) ?? own(SYNONYMS, stem);
    const name = names.find((one) => isSlip(written, one));
    if (field === undefined || !FIELDS[field].perPlatform || name === undefined) return undefined;
    const meaning = classifyDotted(field, name, platforms);
    return meaning.kind === 'field' ? { kind: 'mistaken', suggestion: meaning.slot, reason: 'near' } : meaning;
  }
}

/** Words that a letter too few makes of “short” and “long”: a `title_sort` is a column of the sheet's own. */
const SHORTER_WORDS: ReadonlySet<string> = new Set(['sort', 'shot', 'log']);

/**
 * Whether a word is the name with its letters in another order, with one missing, or with one doubled. Another letter
 * makes too many words: “song”, “shirt”, `platform_c`.
 */
function isSlip(word: string, name: string): boolean {
  if (word === name) return false;
  if (word.length === name.length) return distance(word, name) === 2 && sameLetters(word, name);
  if (word.length === name.length - 1) return distance(word, name) === 1 && !SHORTER_WORDS.has(word);
  if (word.length !== name.length + 1) return false;
  const letters = Array.from(word);
  return letters.some((letter, at) => letter === letters[at + 1] && letters.toSpliced(at, 1).join('') === name);
}

/** The slot a `columns` setting's value names (`title`, `file`, `title.short`), or undefined. */
export function slotNamed(value: string, platforms: readonly PlatformConfig[]): string | undefined {
  const meaning = classifyColumn(value, { platforms });
  return meaning.kind === 'field' ? meaning.slot : undefined;
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
