import Database from 'libsql';

/** The databases that this process has opened, for questions that don't go through the ledger. */
export const databases: Database.Database[] = [];

/** In place of `libsql`: the same, noted in `databases`. */
export class NotedDatabase extends Database {
  constructor(path: string, options?: Database.Options) {
    super(path, options);
    databases.push(this);
  }
}
