/** A text or a number as JSON writes them. Matching whole texts excludes digits inside them. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Maximum levels of nested arrays and objects in an answer. The interface needs five; `JSON.parse` reads millions, but
 * everything that walks over its value afterwards recurses and would exhaust the stack.
 */
export const MAX_JSON_DEPTH = 100;

/** JSON with more than `MAX_JSON_DEPTH` levels of nesting. */
export class NestedTooDeepError extends SyntaxError {
  override readonly name = 'NestedTooDeepError';
}

/**
 * Parses JSON; whole numbers beyond 2^53 become texts with all their digits, since an id without its last digit is
 * another id.
 * @throws SyntaxError
 * @throws NestedTooDeepError before anything is parsed
 */
export function parseJson(text: string): unknown {
  demandShallow(text);
  const value: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return value;
  const kept = text.replace(TOKEN, (token) =>
    LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return JSON.parse(kept);
}

/** One pass over the text: only brackets outside of JSON's texts count. @throws NestedTooDeepError */
function demandShallow(text: string): void {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inText) {
      if (character === '\\') at++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '[' || character === '{') {
      depth++;
      if (depth > MAX_JSON_DEPTH) throw new NestedTooDeepError(`nested more than ${MAX_JSON_DEPTH} levels deep`);
    } else if (character === ']' || character === '}') depth--;
  }
}
