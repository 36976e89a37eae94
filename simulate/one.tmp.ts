import './stand-ins';
import { openSharedLedger } from './ledger';
import { simulate } from './simulation';
import { makeWorld } from './world/make-world';
const hr = () => { const u = process.cpuUsage(); return BigInt(u.user + u.system) * 1000n; };
async function main() {
  const ledger = await openSharedLedger();
  const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1);
  const show = process.argv[4] === 't';
  let t = hr(); let steps = 0; let bad: Record<string, number[]> = {};
  for (let s = from; s < from + n; s++) {
    const t1 = hr();
    const o = await simulate(makeWorld(s), ledger);
    steps += o.steps;
    const ms = Number(hr() - t1) / 1e6;
    if (show) process.stdout.write(o.trace.join('\n') + '\n');
    if (n <= 20) process.stdout.write(`${s} ${o.hash} steps ${o.steps} ${ms.toFixed(0)} ms ${o.broken?.what ?? 'ok'}\n`);
    if (o.broken) (bad[o.broken.promise] ??= []).push(s);
  }
  process.stdout.write(`${n} seeds, ${(Number(hr() - t) / 1e6 / n).toFixed(1)} ms each, ${(steps / n).toFixed(0)} steps each\n${JSON.stringify(bad)}\n`);
  process.exit(0);
}
main().catch((e) => { process.stderr.write(String(e.stack) + '\n'); process.exit(1); });
process.on('unhandledRejection', (e: any) => { process.stderr.write('UNHANDLED ' + String(e?.stack) + '\n'); process.exit(1); });
