/** A text or a number as JSON writes them. Walking over whole texts keeps digits inside them out of reach. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Parses JSON; whole numbers beyond 2^53 become texts with all their digits, since an id that lost its last digit is
 * another id.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return value;
  const kept = text.replace(TOKEN, (token) =>
    LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
  return JSON.parse(kept);
}
