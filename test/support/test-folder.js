'use strict';

const { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** A disk whose syncs cost nothing, where it has room. */
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 4 * 2 ** 30;
const NAME = /^reelay-tests-(?<pid>\d+)-/u;

/**
 * A folder for all temporary files of a run, in memory where it has room: most of what tests would wait for is the disk, and its
 * syncs only matter when the power fails. Whatever a file leaves there goes with it. A `TMPDIR` of the caller is where it is made.
 */
module.exports = function makeTestFolder() {
  const parent = process.env.TMPDIR === undefined && isRoomy(MEMORY) ? MEMORY : tmpdir();
  for (const name of readdirSync(parent)) if (isLeft(name)) remove(join(parent, name));
  const folder = mkdtempSync(join(parent, `reelay-tests-${process.pid}-`));
  // PostgreSQL's server runs as a separate user and has its data inside.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.once('exit', () => remove(folder));
};

function isRoomy(folder) {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > NEEDED_BYTES;
}

/** The folder of a run that was killed. */
function isLeft(name) {
  const pid = Number(NAME.exec(name)?.groups?.pid ?? 0);
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
