'use strict';

// `npm run prepare`, and after `npm ci`: builds, unless the build is as new as its sources.
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, rmSync, statSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const SKIPPED = new Set(['node_modules', 'dist', 'test', 'docs', 'bench', 'chaos', 'spec', '.git', '.ci', '.cache']);

/** When the newest of the files was changed, or one was added or deleted (ms since the epoch). */
function newest(folder) {
  let time = folder === root ? 0 : statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() ? SKIPPED.has(entry.name) : !/\.(?:ts|js|json)$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

// The bundle is what a build writes last.
const built = statSync(join(root, 'dist', 'workflow-bundle.js'), { throwIfNoEntry: false });
if (built === undefined || built.mtimeMs < newest(root)) {
  process.stderr.write('Building reelay …\n');
  const { status } = spawnSync(process.execPath, [join(__dirname, 'build.js')], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

// With this, `npx reelay` starts at once; otherwise npm would first install this folder into its cache.
const bin = join(root, 'node_modules', '.bin');
if (existsSync(bin)) {
  rmSync(join(bin, 'reelay'), { force: true });
  symlinkSync(join('..', '..', 'dist', 'cli', 'main.js'), join(bin, 'reelay'));
}
