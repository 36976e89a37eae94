/** The lines of a file of JSON lines. What follows the last line end is still being written. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
