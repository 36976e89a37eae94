/** The folder of PostgreSQL's programs; null: it isn't installed. */
export function postgresPrograms(): string | null;
