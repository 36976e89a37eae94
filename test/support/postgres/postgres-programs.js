const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/** Where Debian has PostgreSQL's programs; `POSTGRES_BIN` names another folder. Null: it isn't installed. */
exports.postgresPrograms = function postgresPrograms() {
  const given = process.env.POSTGRES_BIN;
  if (given !== undefined) return given;
  const root = '/usr/lib/postgresql';
  const newest = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a))[0] : undefined;
  return newest === undefined ? null : join(root, newest, 'bin');
};
