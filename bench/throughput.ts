/**
 * Creates and outcomes per second of the same 2,000 URL rows through (a) reelay, (b) the usual pattern of one child
 * workflow per video, with the same work and the same ledger, (c) a plain loop without durability. Each in a separate
 * process, one after another, against the same embedded Temporal server and an instant sandbox, in rounds, as built.
 * Run: `npm run bench`; `BENCH_ROUNDS`, `BENCH_ROWS` and `BENCH_VARIANTS` (comma-separated) change what is run.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { siblingOf, startBackdrop } from './support/backdrop';
import { type VariantName, type VariantReport } from './support/variants';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROWS = Number(process.env.BENCH_ROWS ?? 2_000);
const ORDER = (process.env.BENCH_VARIANTS ?? 'reelay,child-per-video,plain-loop').split(',') as VariantName[];

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-bench-'));
  const reports: VariantReport[] = [];
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const name of ORDER) {
        const its = join(folder, `${name}-${round}`);
        const backdrop = await startBackdrop(its);
        try {
          const report = await runVariant(name, { rows: ROWS, folder: its, ...backdrop.addresses });
          process.stderr.write(`bench: round ${round} of ${ROUNDS}, ${name}: ${speed(report).toFixed(1)} rows/s\n`);
          reports.push(report);
        } finally {
          await backdrop.stop();
        }
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(reports);
}

function runVariant(name: VariantName, input: Record<string, unknown>): Promise<VariantReport> {
  return new Promise((resolve, reject) => {
    const child = fork(siblingOf('variants'), [], { execArgv: process.execArgv });
    let report: VariantReport | undefined;
    child.on('message', (message) => {
      report = message as VariantReport;
    });
    child.on('exit', (code) => {
      if (report === undefined) reject(new Error(`${name} ended with ${String(code)} and no report`));
      else resolve(report);
    });
    child.send({ name, ...input });
  });
}

/** Rows per second. */
function speed({ rows, seconds }: VariantReport): number {
  return rows / seconds;
}

/** For each variant the round of median speed, with the slowest and the fastest beside it. */
function print(reports: readonly VariantReport[]): void {
  console.log('| variant | rows/s | slowest to fastest | events per row | worker memory, MB |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  const medians = new Map<VariantName, number>();
  for (const name of ORDER) {
    const rounds = reports.filter((report) => report.name === name).sort((a, b) => speed(a) - speed(b));
    const [median, slowest, fastest] = [rounds[rounds.length >> 1], rounds[0], rounds.at(-1)];
    if (!median || !slowest || !fastest) continue;
    medians.set(name, speed(median));
    const events = median.eventsPerRow === null ? '–' : median.eventsPerRow.toFixed(2);
    const range = `${speed(slowest).toFixed(1)}–${speed(fastest).toFixed(1)}`;
    const memory = Math.max(...rounds.map((round) => round.memoryMb)).toFixed(0);
    console.log(`| ${name} | ${speed(median).toFixed(1)} | ${range} | ${events} | ${memory} |`);
  }
  const reelay = medians.get('reelay');
  for (const other of ORDER) {
    const its = medians.get(other);
    if (reelay === undefined || its === undefined || other === 'reelay') continue;
    console.log(`\nreelay has ${(reelay / its).toFixed(2)} times the speed of ${other}`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
