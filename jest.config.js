const { availableParallelism, totalmem } = require('node:os');
const compileOptions = require('./scripts/compile-options');

const { postgresPrograms } = require('./test/support/postgres/postgres-programs.js');

const common = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...compileOptions, sourceMaps: 'inline' }],
  },
  // A dynamic import of our own files names what the build makes of them; tests run the sources.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
};

/** The ledger's tests once more, with its tables in PostgreSQL. What only a file has is left out. */
const onPostgres = {
  ...common,
  displayName: 'PostgreSQL',
  testMatch: ['<rootDir>/test/ledger/**/*.test.ts'],
  testPathIgnorePatterns: ['/ledger/(engine|maintenance|model|pace/pace\\.)'],
  setupFiles: ['<rootDir>/test/support/postgres/on-postgres.js'],
};

const hasPostgres = postgresPrograms() !== null;
if (!hasPostgres) process.stderr.write('skipped: the ledger’s tests on PostgreSQL, which is not installed\n');

/** Tests that run commands and servers wait three quarters of their time, and take up to 2 GiB. */
function filesAtOnce() {
  return Math.max(2, Math.min(4 * availableParallelism(), Math.floor(totalmem() / (2 * 2 ** 30))));
}

/** @type {import('jest').Config} */
module.exports = {
  projects: [{ ...common, displayName: 'reelay' }, ...(hasPostgres ? [onPostgres] : [])],
  testTimeout: 120000,
  globalSetup: '<rootDir>/test/support/test-folder.js',
  maxWorkers: filesAtOnce(),
  // A process takes one file after the other, until it has grown: what it has loaded and compiled serves the next one.
  workerIdleMemoryLimit: '600MB',
  testSequencer: '<rootDir>/test/random-order.js',
  reporters: ['default', '<rootDir>/test/count-reporter.js'],
};
