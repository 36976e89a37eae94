'use strict';

// `npm run prepare`: builds, unless what is built is as new as its sources. `npx reelay` in this folder comes here too.
const { spawnSync } = require('node:child_process');
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const SKIPPED = new Set(['node_modules', 'dist', 'test', 'docs', 'bench', 'chaos', 'spec', '.git', '.ci', '.cache']);

/** When the newest of the files was changed (ms since the epoch). */
function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() ? SKIPPED.has(entry.name) : !/\.(?:ts|js|json)$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

// The bundle is what a build writes last but copies.
const built = statSync(join(root, 'dist', 'workflow-bundle.js'), { throwIfNoEntry: false });
if (built !== undefined && built.mtimeMs >= newest(root)) process.exit(0);
const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
