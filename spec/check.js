'use strict';

// `npm run model`: checks spec/publish.pml with Spin, and that each variant without one of its rules breaks a promise.
const { spawn, spawnSync } = require('node:child_process');
const { copyFileSync, mkdtempSync, rmSync } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * What is checked. Without `variant`: the protocol, which has to hold. With one: a rule is dropped, which has to
 * publish a row twice, or (`breaks: 'end'`) leave one without an end. A breadth-first search gives the shortest trace;
 * depth-first is faster if the trace is long.
 */
const CHECKS = [
  { rule: 'the protocol, with every rule' },
  { variant: 'NEG_TIMEOUT_IS_DEATH', rule: 'a time-out is not a death', search: 'breadth' },
  { variant: 'NEG_LEASE_END', rule: 'the end of a lease is not the end of an attempt', search: 'breadth' },
  { variant: 'NEG_NO_FENCE', rule: 'the fence, right before the first byte', search: 'breadth' },
  { variant: 'NEG_EARLY_RELEASE', rule: 'the settling time', search: 'breadth' },
  { variant: 'NEG_RESOLVE_LIVING', rule: '`--not-published` only for an attempt that is over', search: 'breadth' },
  { variant: 'NEG_DEAD_WORKER_WAITED_FOR', rule: 'a dead worker’s attempt is ended', breaks: 'end', search: 'breadth' },
  { variant: 'NEG_ONE_SCAN', rule: 'two consecutive scans' },
  { variant: 'NEG_RIVALS_OF_ONE_RUN', rule: 'lost creates of every campaign are weighed together' },
  { variant: 'NEG_INCOMPLETE_LIST', rule: 'a list counts only if it has the account’s own publications' },
];
const SECONDS = 300;

function output(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, timeout: SECONDS * 1000 });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}

async function check({ variant, rule, breaks, search }) {
  const folder = mkdtempSync(join(tmpdir(), 'reelay-model-'));
  try {
    copyFileSync(join(__dirname, 'publish.pml'), join(folder, 'publish.pml'));
    const made = await output('spin', ['-a', ...(variant ? [`-D${variant}`] : []), 'publish.pml'], folder);
    const flags = ['-w', '-O2', '-DSAFETY', '-DVECTORSZ=2048', ...(search === 'breadth' ? ['-DBFS'] : [])];
    const built = await output('gcc', [...flags, '-o', 'pan', 'pan.c'], folder);
    const found = await output(join(folder, 'pan'), ['-m200000'], folder);
    const states = /([\d.e+]+) states, stored/u.exec(found)?.[1];
    const errors = /errors: (\d+)/u.exec(found)?.[1];
    const seconds = /elapsed time ([\d.]+) seconds/u.exec(found)?.[1] ?? '0';
    // A search that ended early, for lack of memory, depth or time, has shown nothing.
    const whole = errors !== undefined && states !== undefined && !/Search not completed|max search depth/u.test(found);
    const expected = breaks === 'end' ? /assertion violated \(\(state/u : /assertion violated \(published/u;
    const right = variant ? expected.test(found) : whole && errors === '0';
    return { rule, variant, breaks, right, states, seconds, why: right ? '' : `${made}${built}${found}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main() {
  if (spawnSync('spin', ['-V']).error || spawnSync('gcc', ['--version']).error) {
    const needed = 'the model was not checked: it needs spin and gcc (Debian: apt-get install spin gcc libc6-dev)';
    process.stdout.write(`${needed}\n`);
    process.exit(process.env.CI ? 1 : 0);
  }
  const left = [...CHECKS];
  const results = new Map();
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results.set(next, await check(next));
  };
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work));
  let wrong = 0;
  for (const { rule, variant, breaks, right, states, seconds, why } of CHECKS.map((one) => results.get(one))) {
    const broken = breaks === 'end' ? 'a row without an end' : 'a row published twice';
    const outcome = variant ? broken : 'no row published twice, every row ends';
    process.stdout.write(`${right ? 'ok    ' : 'WRONG '} ${variant ? `without: ${rule}` : rule}: `);
    process.stdout.write(right ? `${outcome} (${states} states, ${seconds} s)\n` : `expected: ${outcome}\n${why}\n`);
    if (!right) wrong += 1;
  }
  process.exit(wrong === 0 ? 0 : 1);
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
