/**
 * The version of a row's cells, as a file of results names it (`reelay_version`): the entry of a snapshot that has them.
 * It starts with a letter, so that no spreadsheet reads it as a number or a date.
 */
export function versionOf({ snapshot, position }: { snapshot: number; position: number }): string {
  return `v${String(snapshot)}.${String(position)}`;
}
