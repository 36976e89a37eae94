import Database from 'libsql';

/** The databases that this process has opened, for queries that bypass the ledger. */
export const databases: Database.Database[] = [];

/** Replaces `libsql`: the same, but each database is recorded in `databases`. */
export class NotedDatabase extends Database {
  constructor(path: string, options?: Database.Options) {
    super(path, options);
    databases.push(this);
  }
}
