import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

const root = join(__dirname, '..', '..', '..');

/**
 * Compiles the rooms that a child process of a test runs, and returns the folder. Inside the project, so that
 * packages resolve; one folder per test process.
 */
export function compileForChildren(): string {
  const out = join(root, '.cache', `embedded-test-${process.pid}`);
  for (const room of ['embedded', 'host', 'temporal']) {
    for (const name of readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })) {
      const from = join(root, room, name);
      const to = join(out, room, name);
      if (!/\.(?:js|ts)$/u.test(name)) continue;
      mkdirSync(dirname(to), { recursive: true });
      if (name.endsWith('.js')) {
        copyFileSync(from, to);
        continue;
      }
      const { code } = transformFileSync(from, {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        swcrc: false,
      });
      writeFileSync(to.replace(/\.ts$/, '.js'), code);
    }
  }
  return out;
}
