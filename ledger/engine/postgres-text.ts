/** A noncharacter, which no text of people has: PostgreSQL's text has no U+0000, so it is written as this and a digit. */
const ESCAPE = '\uFDD0';

/** A value as it is stored; text comes back whole by `fromColumn`. */
export function toColumn(value: unknown): unknown {
  if (typeof value !== 'string' || !/[\0\uFDD0]/.test(value)) return value;
  return value.replaceAll(/[\0\uFDD0]/g, (found) => `${ESCAPE}${found === '\0' ? 0 : 1}`);
}

export function fromColumn(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(/\uFDD0([01])/g, (_, digit) => (digit === '0' ? '\0' : ESCAPE));
}
