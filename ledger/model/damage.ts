/**
 * Whether SQLite found that a database file is damaged, or isn't a database: retrying can't succeed. Imports nothing,
 * so that the command line can load it with its errors.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(?:CORRUPT|NOTADB)/u.test(code);
}
