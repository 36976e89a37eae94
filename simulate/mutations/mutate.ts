/**
 * Applies each fault of `mutations.ts` to a copy of the sources and lets the simulation find it. Run: `npm run
 * simulate:mutations`, or with names of mutations. The table that it prints is in docs/explanation/proof.md.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MUTATIONS, type Mutation } from './mutations';

const ROOT = join(__dirname, '..', '..');
const COPIED = [
  'activities',
  'chaos',
  'ledger',
  'manifests',
  'service',
  'simulate',
  'submissions',
  'wording',
  'workflows',
];
/** CPU seconds in a minute of two cores. */
const COMPUTING_S = 120;
const MOST_SEEDS = 1_000;

interface Found {
  mutation: Mutation;
  /** Null: no promise was broken in time. */
  promise: string | null;
  seeds: number;
  /** CPU time: on an idle machine with two cores it takes half of it. */
  computedS: number;
}

function find(folder: string, mutation: Mutation): Found {
  const path = join(folder, mutation.file);
  const whole = readFileSync(path, 'utf8');
  const mutated = whole.replace(mutation.from, () => mutation.to);
  if (mutated === whole) throw new Error(`${mutation.name}: ${mutation.file} has no longer the text to replace`);
  writeFileSync(path, mutated);
  try {
    const limits = ['--from', '1', '--seeds', String(MOST_SEEDS), '--computing', String(COMPUTING_S), '--brief'];
    const command = ['--import', 'tsx', 'simulate/main.ts', ...limits];
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    const last = Number(/seeds 1 to (\d+),/u.exec(stdout)?.[1] ?? 0);
    if ((status !== 0 && status !== 1) || last === 0) throw new Error(`${mutation.name}: ${stderr}`);
    const promise = /seed \d{1,10} breaks “([^”]{1,100})”/u.exec(stdout)?.[1] ?? null;
    const computedS = Math.round(Number(/\(([\d.]+) s of computing\)/u.exec(stdout)?.[1] ?? 0));
    return { mutation, promise, seeds: last, computedS };
  } finally {
    writeFileSync(path, whole);
  }
}

function main(): number {
  const names = process.argv.slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'reelay-mutations-'));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, name), join(folder, name));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    let missed = 0;
    for (const mutation of MUTATIONS.filter(({ name }) => names.length === 0 || names.includes(name))) {
      const { promise, seeds, computedS } = find(folder, mutation);
      if (promise === null) missed += 1;
      console.log(
        `| \`${mutation.name}\` | ${mutation.rule} | ${promise ?? '**not found**'} | ${seeds} | ${computedS} |`,
      );
    }
    return missed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(main());
