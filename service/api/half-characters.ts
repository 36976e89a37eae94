/**
 * An id may contain half of a surrogate pair, which UTF-8 can't represent: a database would store another character for
 * it. Inside reelay such a half, U+D800 to U+DFFF, is written as a character of a private plane, and in a request as
 * the half again.
 */
const FIRST_HALF = 0xd800;
const LAST_HALF = 0xdfff;
const FIRST_STAND_IN = 0x10f000;

/** The id as it is stored: a text that every encoding can represent. */
export function keptId(id: string): string {
  if (id.isWellFormed()) return id;
  return Array.from(id, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return isHalf(code) ? String.fromCodePoint(FIRST_STAND_IN + code - FIRST_HALF) : character;
  }).join('');
}

/** The id in a path, each half as the three bytes that any other character of its size has. */
export function encodedId(id: string): string {
  return Array.from(id, (character) => {
    const kept = character.codePointAt(0) ?? 0;
    const half = kept - FIRST_STAND_IN + FIRST_HALF;
    const code = isHalf(half) ? half : kept;
    if (!isHalf(code)) return encodeURIComponent(character);
    const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
  }).join('');
}

function isHalf(code: number): boolean {
  return code >= FIRST_HALF && code <= LAST_HALF;
}
