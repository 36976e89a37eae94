/**
 * Creates and outcomes per second of the same 2,000 URL rows through (a) reelay, (b) the usual pattern of one child
 * workflow per video, with the same work and the same ledger, (c) a plain loop without durability. Each in a process of
 * its own, one after the other, against the same embedded Temporal server and an instant sandbox. Run: `npm run bench`.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackdrop } from './backdrop';
import { type VariantName, type VariantReport } from './variants';

const ROWS = Number(process.env.BENCH_ROWS ?? 2_000);
const ORDER = (process.env.BENCH_VARIANTS ?? 'reelay,child-per-video,plain-loop').split(',') as VariantName[];

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelay-bench-'));
  const reports: VariantReport[] = [];
  try {
    for (const name of ORDER) {
      const backdrop = await startBackdrop(join(folder, name));
      try {
        process.stderr.write(`bench: ${name}, ${ROWS} rows …\n`);
        reports.push(await runVariant(name, { rows: ROWS, folder: join(folder, name), ...backdrop.addresses }));
      } finally {
        await backdrop.stop();
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  print(reports);
}

function runVariant(name: VariantName, input: Record<string, unknown>): Promise<VariantReport> {
  return new Promise((resolve, reject) => {
    const child = fork(join(__dirname, 'variants.ts'), [], { execArgv: process.execArgv });
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

function print(reports: readonly VariantReport[]): void {
  console.log('| variant | rows/s | seconds | events per row | worker memory, MB |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const { name, rows, seconds, eventsPerRow, memoryMb } of reports) {
    const events = eventsPerRow === null ? '–' : eventsPerRow.toFixed(2);
    console.log(
      `| ${name} | ${(rows / seconds).toFixed(1)} | ${seconds.toFixed(1)} | ${events} | ${memoryMb.toFixed(0)} |`,
    );
  }
  const speed = (name: VariantName) => {
    const report = reports.find((one) => one.name === name);
    return report && report.rows / report.seconds;
  };
  const [reelay, child, plain] = [speed('reelay'), speed('child-per-video'), speed('plain-loop')];
  if (reelay !== undefined && child !== undefined && plain !== undefined) {
    console.log(
      `\nreelay is ${(reelay / child).toFixed(1)} times child-per-video and ${(reelay / plain).toFixed(2)} of plain-loop`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
