/**
 * Runs campaigns against a simulated service, Temporal, disk and clock, from a seed: the real activities, workflows,
 * reconciler and ledger, and no promise may break. Run: `npm run simulate`; docs/explanation/proof.md says what it
 * proves.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenOptions, type SimulateOptions } from './options';
import { Pool } from './pool';
import { type Outcome } from './simulation';
import { makeWorld } from './world/make-world';
import { shrink } from './world/shrink';
import { type World } from './world/world';

const KEPT = join(__dirname, 'kept');

interface Failed {
  name: string;
  world: World;
  outcome: Outcome;
}

async function main(): Promise<number> {
  const options = chosenOptions(process.argv.slice(2));
  const pool = new Pool(options.processes);
  try {
    await pool.open();
    const failed = options.world === undefined ? await playAll(pool, options) : await playFile(pool, options.world);
    if (failed === null) return 0;
    announce(failed);
    if (!options.brief) await explain(pool, failed);
    return 1;
  } finally {
    pool.close();
  }
}

async function playFile(pool: Pool, path: string): Promise<Failed | null> {
  const world = JSON.parse(readFileSync(path, 'utf8')) as World;
  const outcome = await pool.play({ world }, true);
  console.log(outcome.trace.join('\n'));
  return outcome.broken === null ? null : { name: path, world, outcome };
}

/** Runs the saved worlds and then the seeds, up to the first that breaks a promise. */
async function playAll(pool: Pool, options: SimulateOptions): Promise<Failed | null> {
  const kept = options.kept ? readdirSync(KEPT).sort() : [];
  for (const name of kept) {
    const world = JSON.parse(readFileSync(join(KEPT, name), 'utf8')) as World;
    const outcome = await pool.play({ world });
    if (outcome.broken !== null) return { name: `kept/${name}`, world, outcome };
  }
  if (options.kept) console.log(`simulate: ${kept.length} kept worlds, no promise broken`);
  const bound = Number.isFinite(options.seconds) ? `for ${options.seconds} s` : `${options.seeds} of them`;
  console.log(`simulate: seeds from ${options.from} on, ${bound}`);
  const started = Date.now();
  let seed = options.from;
  const failed: Failed[] = [];
  let steps = 0;
  let computedMs = 0;
  const lane = async (): Promise<void> => {
    while (
      (failed.length === 0 || options.survey) &&
      seed < options.from + options.seeds &&
      computedMs < options.computing * 1_000 &&
      Date.now() - started < options.seconds * 1_000
    ) {
      const mine = seed;
      seed += 1;
      const outcome = await pool.play({ seed: mine }, options.trace);
      steps += outcome.steps;
      computedMs += outcome.computedMs;
      if (options.trace) console.log(outcome.trace.join('\n'));
      if (options.seeds === 1 || options.trace)
        console.log(`simulate: seed ${mine}, ${outcome.steps} steps, trace ${outcome.hash}`);
      if (outcome.broken !== null) failed.push({ name: `seed ${mine}`, world: makeWorld(mine), outcome });
    }
  };
  await Promise.all(Array.from({ length: options.processes }, lane));
  const seconds = (Date.now() - started) / 1_000;
  const [computed, played] = [computedMs / 1_000, seed - options.from];
  console.log(
    `simulate: seeds ${options.from} to ${seed - 1}, ${steps} steps in ${seconds.toFixed(1)} s (${computed.toFixed(1)} s of computing): ${Math.round((played / seconds) * 60)} seeds a minute`,
  );
  if (!options.survey) return failed.at(0) ?? null;
  for (const { name, outcome } of failed) console.log(`simulate: ${name}: ${outcome.broken?.what ?? ''}`);
  return null;
}

function announce({ name, outcome: { broken } }: Failed): void {
  console.log(`simulate: ${name} breaks “${broken?.promise ?? ''}”: ${broken?.what ?? ''}`);
}

/** Shrinks a failed world, and prints its trace. */
async function explain(pool: Pool, { name, world, outcome }: Failed): Promise<void> {
  const promise = outcome.broken?.promise;
  const smallest = await shrink(
    world,
    async (smaller) => (await pool.play({ world: smaller })).broken?.promise === promise,
  );
  const { trace, broken } = await pool.play({ world: smallest }, true);
  console.log(`\n${trace.join('\n')}\n\nThe smallest world that breaks it (${broken?.what ?? 'not again'}):`);
  const text = JSON.stringify(smallest);
  const file = join(tmpdir(), `reelay-${name.replaceAll(/\W/gu, '-')}.json`);
  writeFileSync(file, `${text}\n`);
  console.log(text);
  console.log(`\nPlay ${name} again:  npm run simulate -- ${againOf(name)} --trace`);
  console.log(`Play the smallest: npm run simulate -- --world ${file}`);
  console.log(`Keep it:           cp ${file} simulate/kept/WHAT-WENT-WRONG.json (every check plays it from then on)`);
}

function againOf(name: string): string {
  return name.startsWith('seed ') ? `--seed ${name.slice('seed '.length)}` : '--kept';
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exit(2);
  },
);
