/**
 * A noncharacter, which never occurs in real text: PostgreSQL's text can't contain U+0000, so it is written as this
 * character and a digit.
 */
const ESCAPE = '\uFDD0';

/** A value as it is stored; `fromColumn` restores the text. */
export function toColumn(value: unknown): unknown {
  if (typeof value !== 'string' || !/[\0\uFDD0]/.test(value)) return value;
  return value.replaceAll(/[\0\uFDD0]/g, (found) => `${ESCAPE}${found === '\0' ? 0 : 1}`);
}

export function fromColumn(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uFDD0([01])/g, (_, digit) => (digit === '0' ? '\0' : ESCAPE));
}
