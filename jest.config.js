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

/** Tests that run commands and servers wait for half of their time or more, and take up to 2 GiB. */
function filesAtOnce() {
  return Math.max(2, Math.min(3 * availableParallelism(), Math.floor(totalmem() / (2 * 2 ** 30))));
}

/** @type {import('jest').Config} */
module.exports = {
  projects: [{ ...common, displayName: 'reelay' }, ...(hasPostgres ? [onPostgres] : [])],
  // A machine that runs much else may be a dozen times slower: a limit is for what hangs.
  testTimeout: 300000,
  globalSetup: '<rootDir>/test/support/test-folder.js',
  maxWorkers: filesAtOnce(),
  // A process for each file: what one leaves behind (a worker, a native client) can't reach the next, nor keep the run open.
  workerIdleMemoryLimit: 0,
  testSequencer: '<rootDir>/test/random-order.js',
  reporters: ['default', '<rootDir>/test/count-reporter.js'],
};
