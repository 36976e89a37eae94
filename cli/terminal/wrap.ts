import stringWidth from 'string-width';

/** Parts joined to as few lines of at most `width` cells as there can be; a longer part has a line to itself. */
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

/** A command to copy: as a whole line it can be pasted, in two it can't. */
const COMMAND = /^\s*reelay /u;
/** Words, each with the blanks before it; what stands in backticks is one. Blanks at the end are matched too, so that matching takes linear time. */
const WORDS = / *(?:`[^`]*`|[^ `]|`)*/gu;

/** A line of prose as lines of at most `width` cells, broken between words; the further ones begin with `hanging` cells. */
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
