'use strict';

// `npm run check`: format, lint with types, type check, dead code, the model, a simulation, build, tests. Stops at the
// first that fails.
const { spawnSync } = require('node:child_process');

/**
 * The first seed is derived from git's tree hash: new seeds for every state of the sources, and the same ones if a
 * check is repeated. Without git it is random.
 */
function firstSeed() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  return status === 0 ? ['--from', String(Number.parseInt(stdout.slice(0, 7), 16))] : [];
}

const steps = [
  ['format', 'prettier', '--check', '.', '--log-level', 'warn'],
  ['lint', 'eslint', '.', '--max-warnings', '0'],
  ['types', 'tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['dead code', 'knip'],
  ['model', 'node', 'spec/check.js'],
  ['simulation', 'node', '--import', 'tsx', 'simulate/main.ts', '--kept', '--seconds', '60', ...firstSeed()],
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
