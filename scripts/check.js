'use strict';

// `npm run check`: format, lint with types, type check, dead code, the model, a simulation, build, tests. Stops at the first that fails.
const { spawnSync } = require('node:child_process');

const steps = [
  ['format', 'prettier', '--check', '.', '--log-level', 'warn'],
  ['lint', 'eslint', '.', '--max-warnings', '0'],
  ['types', 'tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['dead code', 'knip'],
  ['model', 'node', 'spec/check.js'],
  ['simulation', 'node', '--import', 'tsx', 'simulate/main.ts', '--kept', '--seconds', '60'],
  ['build', 'npm', 'run', '--silent', 'build'],
  ['tests', 'jest'],
];

for (const [name, command, ...args] of steps) {
  process.stdout.write(`check: ${name}\n`);
  const ended = spawnSync(command, args, { stdio: 'inherit' });
  if (ended.status !== 0) {
    process.stdout.write(`check: ${name} failed\n`);
    process.exit(ended.status ?? 1);
  }
}
