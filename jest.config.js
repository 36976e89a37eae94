const compileOptions = require('./scripts/compile-options');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...compileOptions, sourceMaps: 'inline' }],
  },
  // A dynamic import of our own files names what the build makes of them; tests run the sources.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  testTimeout: 60000,
  // A process for each file: what one leaves behind (a worker, a native client) can't reach the next, nor keep the run open.
  maxWorkers: '100%',
  workerIdleMemoryLimit: 0,
  reporters: ['default', '<rootDir>/test/count-reporter.js'],
};
