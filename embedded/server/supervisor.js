'use strict';

// Runs one command and ends it when whoever started the keeper goes away: the keeper's stdin is a pipe that only the
// parent holds, so it closes however the parent ends, kill -9 included. Plain JavaScript, nothing but Node, so that it
// starts at once and has nothing to fail on. Usage: node keeper.js JSON {command, args, graceMs}; its stderr becomes
// the command's stdout and stderr. Prints one JSON line with the command's pid, and one with its end.
const { spawn } = require('node:child_process');

const { command, args, graceMs } = JSON.parse(process.argv[2] ?? '{}');

// The parent may be gone while we still write to it, and nobody may read our log.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// What the command writes (a database, say) is for its user only.
process.umask(0o077);
const child = spawn(command, args, { stdio: ['ignore', 2, 2] });
let ending = false;

function end() {
  if (ending) return;
  ending = true;
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), graceMs);
}

child.on('spawn', () => say({ pid: child.pid }));
child.on('error', (error) => {
  say({ error: error.message });
  process.exit(1);
});
child.on('exit', (code, signal) => {
  say({ exit: code, signal });
  // Not process.exit: the line has to go out; the parent's pipe is what would keep us.
  process.exitCode = 0;
  process.stdin.destroy();
  setTimeout(() => process.exit(0), 200);
});

process.stdin.on('end', end).on('close', end).on('error', end).resume();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
