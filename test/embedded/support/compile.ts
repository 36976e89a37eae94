import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';

const root = join(__dirname, '..', '..', '..');

/**
 * Compiles the rooms that a child process of a test runs, and returns the folder. Inside the project, so that
 * packages resolve; one folder per test process.
 */
export function compileForChildren(): string {
  const out = join(root, '.cache', `embedded-test-${process.pid}`);
  for (const room of ['embedded', 'worker']) {
    mkdirSync(join(out, room), { recursive: true });
    for (const name of readdirSync(join(root, room))) {
      const from = join(root, room, name);
      if (name.endsWith('.js')) copyFileSync(from, join(out, room, name));
      if (!name.endsWith('.ts')) continue;
      const { code } = transformFileSync(from, {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        swcrc: false,
      });
      writeFileSync(join(out, room, name.replace(/\.ts$/, '.js')), code);
    }
  }
  return out;
}
