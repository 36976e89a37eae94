/** Whether SQLite found that a database's file is damaged, or is no database: another attempt can't succeed. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(?:CORRUPT|NOTADB)/u.test(code);
}
