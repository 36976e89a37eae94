import { type ColumnDefinitionBuilder } from 'kysely';

/** A number that the database gives; SQLite calls it autoincrement, PostgreSQL takes the same word as `serial`. */
export function identityColumn(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().autoIncrement();
}
