/**
 * Preloaded into a worker (`node --require`): writes the longest time that its event loop was busy without a turn to the
 * file in CHAOS_LOOP_FILE, as JSON `{cpuMs, wallMs}`. The CPU time is the main thread's own, so another process that
 * takes the processor counts for nothing. SIGUSR2 starts it over, once loading modules is behind.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const EVERY_MS = 10;
const file = process.env.CHAOS_LOOP_FILE;
const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
delay.enable();

/** CPU time of the main thread in ms; its thread id is the process id (Linux). */
function cpuMs() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
}

let longest = 0;
let before = cpuMs();
function write() {
  writeFileSync(file, JSON.stringify({ cpuMs: Math.round(longest), wallMs: Math.round(delay.max / 1e6) }));
}

setInterval(() => {
  const now = cpuMs();
  if (now - before > longest) {
    longest = now - before;
    write();
  }
  before = now;
}, EVERY_MS).unref();

process.on('SIGUSR2', () => {
  longest = 0;
  before = cpuMs();
  delay.reset();
  write();
});
