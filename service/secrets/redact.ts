import { secretForms } from './secret-forms';

/** The longest excerpt of an answer that an error carries, in characters. */
export const EXCERPT_MAX = 300;
/** Only this much of an answer is masked, whatever its length, because an excerpt comes from its beginning. */
const MASKED_MAX = 64 * 1024;
/** Longer than any form of a secret: text this close to where an answer was cut may be the beginning of one. */
const CUT_MARGIN = 4 * 1024;
const MASK = '***';

/** Masks secrets in a text for people or logs. */
export type Redactor = (text: string) => string;

/**
 * From the significant part of a name to its end. What precedes that part isn't searched, and its end is bounded: in a
 * body such as `a.a.a.…`, every letter could begin a name, and a search from each of them to the end would take
 * minutes.
 */
const SECRET_NAME = String.raw`(?:api[_-]?key|token|secret|passw(?:or)?d|signature|credential|authorization)[\w.-]{0,100}`;
/** What follows `https://`, to the end of the address. */
const ADDRESS = /(?<=\bhttps?:(?:\/\/|\\\/\\\/))[^\s"'<>]+/gi;

/** The names in signed queries can't be listed: everything after the `?` is masked. */
function withoutQuery(address: string): string {
  const query = address.indexOf('?');
  return query === -1 || query === address.length - 1 ? address : `${address.slice(0, query)}?${MASK}`;
}

const PATTERNS: readonly [RegExp, string][] = [
  // user:password@ in an address
  [/(:(?:\/\/|\\\/\\\/))[^\s/\\@"'<>]+@/g, `$1${MASK}@`],
  [/\b(bearer|basic)(\s+|%20|\+)[^\s"'<>,;\\]+/gi, `$1$2${MASK}`],
  // "api_key": "…"
  [new RegExp(String.raw`(${SECRET_NAME}["']\s*:\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}\]]+)`, 'gi'), `$1"${MASK}"`],
  // token=…, X-Amz-Signature=…, sig=…
  [new RegExp(String.raw`((?:${SECRET_NAME}|\b(?:sig|key))\s*=\s*)[^\s&"'<>;,]+`, 'gi'), `$1${MASK}`],
  // X-Api-Key: …
  [new RegExp(String.raw`(${SECRET_NAME}:\s*)(?!["'{\[\s]|bearer\b|basic\b)[^\s"'<>,;]+`, 'gi'), `$1${MASK}`],
];

/** A redactor that knows this account's own secrets in addition to the usual patterns. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // The longest first, so that no part of one remains beside the mask of another.
  const ordered = [...new Set(secrets.flatMap(secretForms))].sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of ordered) masked = masked.split(secret).join(MASK);
    masked = masked.replace(ADDRESS, withoutQuery);
    for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
    return masked;
  };
}

/** A text from outside on one line, without control and format characters. */
export function flatText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** The beginning of an answer, masked, on one line, without control characters; undefined if there is nothing. */
export function excerptOf(body: string, redact: Redactor): string | undefined {
  const masked = redact(body.slice(0, MASKED_MAX));
  const line = flatText(body.length > MASKED_MAX ? masked.slice(0, -CUT_MARGIN) : masked);
  if (line === '') return undefined;
  const points = Array.from(line.slice(0, EXCERPT_MAX * 2));
  return points.length <= EXCERPT_MAX ? points.join('') : `${points.slice(0, EXCERPT_MAX - 1).join('')}…`;
}
