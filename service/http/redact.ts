import { secretForms } from './secret-forms';

/** The longest excerpt of an answer that an error carries, in characters. */
export const EXCERPT_MAX = 300;
const MASK = '***';

/** Masks secrets in a text that goes to people or logs. */
export type Redactor = (text: string) => string;

const SECRET_NAME = String.raw`[\w.-]*(?:api[_-]?key|apikey|token|secret|passw(?:or)?d|signature|credential|authorization)[\w.-]*`;
const PATTERNS: readonly [RegExp, string][] = [
  // user:password@ in an address
  [/(:(?:\/\/|\\\/\\\/))[^\s/\\@"'<>]+@/g, `$1${MASK}@`],
  // everything after the ? of an address: signed queries are made of names nobody can list
  [/(\bhttps?:(?:\/\/|\\\/\\\/)[^\s"'<>?]*\?)[^\s"'<>]+/gi, `$1${MASK}`],
  [/\b(bearer|basic)(\s+|%20|\+)[^\s"'<>,;\\]+/gi, `$1$2${MASK}`],
  // "api_key": "…"
  [
    new RegExp(String.raw`(["']${SECRET_NAME}["']\s*:\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}\]]+)`, 'gi'),
    `$1"${MASK}"`,
  ],
  // token=…, X-Amz-Signature=…, sig=…
  [new RegExp(String.raw`\b((?:${SECRET_NAME}|sig|key)\s*=\s*)[^\s&"'<>;,]+`, 'gi'), `$1${MASK}`],
  // X-Api-Key: …
  [new RegExp(String.raw`\b(${SECRET_NAME}:\s*)(?!["'{\[\s]|bearer\b|basic\b)[^\s"'<>,;]+`, 'gi'), `$1${MASK}`],
];

/** A redactor that knows this account's own secrets beside what secrets usually look like. */
export function createRedactor(secrets: readonly string[]): Redactor {
  // The longest first, so that no part of one stays beside the mask of another.
  const ordered = [...new Set(secrets.flatMap(secretForms))].sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of ordered) masked = masked.split(secret).join(MASK);
    for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
    return masked;
  };
}

/** A text from outside on one line, without control and format characters. */
export function flatText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** The beginning of an answer, masked, on one line, without control characters; undefined when there is nothing. */
export function excerptOf(body: string, redact: Redactor): string | undefined {
  const line = flatText(redact(body));
  if (line === '') return undefined;
  const points = Array.from(line.slice(0, EXCERPT_MAX * 2));
  return points.length <= EXCERPT_MAX ? points.join('') : `${points.slice(0, EXCERPT_MAX - 1).join('')}…`;
}
