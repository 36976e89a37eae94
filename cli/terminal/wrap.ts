import stringWidth from 'string-width';

/** Joins parts into as few lines of at most `width` cells as possible; a longer part has its own line. */
export function joinToLines(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last ?? ''}${separator}${part}`;
    if (last !== undefined && stringWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

/** A command to copy: it can be pasted as a whole line, but not when broken in two. */
const COMMAND = /^\s*reelay /u;
/**
 * Words, each with the spaces before it; text in backticks is one word. Spaces at the end are matched too, so that
 * matching takes linear time.
 */
const WORDS = / *(?:`[^`]*`|[^ `]|`)*/gu;

/**
 * Wraps a line of prose into lines of at most `width` cells, broken between words; continuation lines begin with
 * `hanging` cells.
 */
export function wrapLine(line: string, width: number, hanging = indentOf(line) + 2): string[] {
  if (stringWidth(line) <= width || COMMAND.test(line) || line.includes('\t')) return [line];
  const lines: string[] = [];
  for (const word of line.match(WORDS)?.filter((one) => one.trim() !== '') ?? []) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (stringWidth(last) + stringWidth(word) <= width) lines[lines.length - 1] = last + word;
    else lines.push(' '.repeat(hanging) + word.trimStart());
  }
  return lines;
}

function indentOf(line: string): number {
  return /^ */u.exec(line)?.[0].length ?? 0;
}
