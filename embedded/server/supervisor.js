'use strict';

// Runs one command and ends it when the process that started the supervisor ends: the supervisor's stdin is a pipe that
// only the parent holds, so it closes however the parent ends, kill -9 included. Plain JavaScript with nothing but
// Node, so that it starts at once and little can fail. Usage: node supervisor.js JSON {command, args, graceMs}; its
// stderr becomes the command's stdout and stderr. Prints one JSON line with the command's pid, and one when it ends.
const { spawn } = require('node:child_process');

const { command, args, graceMs } = JSON.parse(process.argv[2] ?? '{}');

// The parent may end while this still writes to it, and the log may have no reader.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// What the command writes (such as a database) is readable only by its user.
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
  // Not process.exit: the line has to be flushed, and only the parent's pipe would keep this process alive.
  process.exitCode = 0;
  process.stdin.destroy();
  setTimeout(() => process.exit(0), 200);
});

process.stdin.on('end', end).on('close', end).on('error', end).resume();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end);
