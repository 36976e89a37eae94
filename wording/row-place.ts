/** `12`, and `2 of rejected.csv` for a row that the manifest which is shown doesn't have. */
export function rowPlace({ line, file }: { line: number; file: string | null }): string {
  return file === null ? String(line) : `${String(line)} of ${file}`;
}
