import { type ColumnDefinitionBuilder } from 'kysely';

/** A number that the database assigns; SQLite calls it autoincrement, PostgreSQL has `serial`. */
export function identityColumn(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().autoIncrement();
}
