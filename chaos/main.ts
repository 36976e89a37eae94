/**
 * Publishes campaigns while processes are killed and frozen, disks fill up and answers get lost, and proves from the
 * service's own log that no row was published twice and none was lost. Run: `npm run build && npm run chaos`;
 * docs/explanation/chaos.md says what it does and what it measured.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from './arena/arena';
import { endAll } from './arena/child';
import { chosenOptions, type ChaosOptions } from './options';
import { SeededRandom } from './random';
import { failures, type Finished, table } from './report';
import { type Scenario } from './scenario';
import { SCENARIOS } from './scenarios/all';
import { behaviourScenario, chooseBehaviours } from './scenarios/behaviours';

async function main(): Promise<number> {
  const options = chosenOptions(process.argv.slice(2));
  if (!existsSync(MAIN)) throw new Error('dist/ is not built: npm run build');
  const folder = await mkdtemp(join(tmpdir(), 'reelay-chaos-'));
  console.error(`chaos: seed ${options.seed}, ${options.rows} rows, ${options.kills} kills, in ${folder}`);
  const finished: Finished[] = [];
  const behaviours = chooseBehaviours(options.behaviours, new SeededRandom(options.seed));
  const share = options.behaviours === undefined ? 0.1 : 1 / behaviours.length;
  const scenarios = [...SCENARIOS, ...behaviours.map((name) => behaviourScenario(name, share))];
  for (const [index, scenario] of scenarios.entries()) {
    if (!options.only.some((text) => scenario.name.includes(text))) continue;
    finished.push(await one(scenario, join(folder, String(index)), options, index));
  }
  console.log(table(finished));
  const wrong = failures(finished);
  for (const text of wrong) console.log(`WRONG ${text}`);
  if (wrong.length === 0) await rm(folder, { recursive: true, force: true });
  else console.error(`chaos: everything is kept in ${folder}`);
  const sum = (of: 'duplicates' | 'lost'): number =>
    finished.reduce((total, each) => total + (each.report?.[of] ?? 0), 0);
  console.log(`duplicates ${sum('duplicates')}, lost ${sum('lost')}`);
  return wrong.length === 0 ? 0 : 1;
}

async function one(scenario: Scenario, folder: string, options: ChaosOptions, index: number): Promise<Finished> {
  await mkdir(folder);
  const started = Date.now();
  const seconds = (): number => (Date.now() - started) / 1000;
  const say = (text: string): void => {
    console.error(`chaos: ${seconds().toFixed(0).padStart(3)} s  ${text}`);
  };
  console.error(`chaos: ${scenario.name}`);
  const input = {
    folder,
    rows: Math.max(Math.round(options.rows * scenario.share), 24),
    kills: Math.max(Math.round(options.kills * scenario.share), 1),
    random: new SeededRandom(options.seed + index),
    say,
  };
  try {
    const report = await scenario.run(input);
    if ('skipped' in report) {
      console.error(`chaos: !!! SKIPPED ${scenario.name}: ${report.skipped} !!!`);
      return { scenario, seconds: seconds(), report: null, error: null, skipped: report.skipped };
    }
    return { scenario, seconds: seconds(), report, error: null, skipped: null };
  } catch (error) {
    return { scenario, seconds: seconds(), report: null, error: String(error), skipped: null };
  } finally {
    await endAll();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAll().finally(() => process.exit(130)));
}
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);
