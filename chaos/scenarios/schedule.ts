import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Arena } from '../arena/arena';
import { FAULTS } from '../faults';
import { firingFacts, checkFirings, type SeenFiring } from '../facts/firing-facts';
import { ledgerFacts } from '../facts/ledger-facts';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, type Scenario, type ScenarioInput } from '../scenario';
import { demandWithin, waitUntil } from '../arena/wait';
import { COMMAND_MS, ENDS_MS } from '../arena/timings';

const EVERY_S = 3;
/** Number of firings among which the rows are divided. */
const FIRINGS = 5;
const KILLS_AT_LEAST = 4;

/**
 * A drip: a schedule that fires every few seconds and takes some rows each time, while its worker and the Temporal
 * server are killed within and between firings and answers get lost. Each row is sent once, and each nominal time is
 * recorded.
 */
export const SCHEDULE: Scenario = {
  name: 'a schedule that takes some rows a firing',
  share: 0.1,
  settles: true,
  run: async (input) => {
    const arena = await Arena.open({ folder: input.folder, echoTitle: true, exclusive: false });
    try {
      const path = join(input.folder, `${CAMPAIGN}.csv`);
      const manifest = await writeManifest(path, input.rows);
      await arena.service.addFaults(FAULTS);
      arena.startWorker(0);
      const take = String(Math.ceil(input.rows / FIRINGS));
      const when = ['--every', `${EVERY_S}s`, '--take', take, '--catch-up', `${EVERY_S}s`];
      await command(arena, ['create', CAMPAIGN, path, ...when]);
      const kills = await killAtRandom(arena, input);
      const ended = await waitUntil(ENDS_MS, () => isOver(firings(arena)) && !runOpen(arena), 500);
      await command(arena, ['pause', CAMPAIGN]);
      // One may have begun just before the pause.
      await waitUntil(COMMAND_MS, () => firings(arena).every(({ outcome }) => outcome !== 'open'), 500);
      const report = await conclude(arena, input, { manifest, kills, ended });
      report.wrong.push(...checkFirings(firings(arena), EVERY_S * 1_000));
      const worked = new Set(firings(arena).flatMap(({ run }) => run ?? [])).size;
      if (worked < FIRINGS) report.wrong.push(`${worked} firings did the work of ${FIRINGS}`);
      return report;
    } finally {
      await arena.close();
    }
  },
};

async function killAtRandom(arena: Arena, { kills, random, say }: ScenarioInput): Promise<number> {
  let done = 0;
  while (done < Math.max(kills, KILLS_AT_LEAST)) {
    await sleep(random.between(1_000, 5_000));
    if (isOver(firings(arena))) return done;
    done += 1;
    // Either alone, or both as in a power cut, for longer than a firing's time.
    const dice = random.next();
    const down = random.between(0, dice < 0.4 ? 2_000 : 2 * EVERY_S * 1_000);
    say(`kill ${done}: ${dice < 0.4 ? 'the worker' : dice < 0.7 ? 'the Temporal server' : 'both'}`);
    if (dice < 0.4 || dice >= 0.7) await arena.workers[0]?.kill();
    if (dice >= 0.4) await arena.killTemporal();
    await sleep(down);
    if (dice >= 0.4) await arena.startTemporal();
    if (dice < 0.4 || dice >= 0.7) arena.startWorker(0);
  }
  return done;
}

async function command(arena: Arena, args: readonly string[]): Promise<void> {
  const run = async (): Promise<boolean> => (await arena.command(['schedule', ...args]).within(COMMAND_MS)) === 0;
  await demandWithin(2 * COMMAND_MS, `schedule ${args[0] ?? ''}`, run);
}

function firings(arena: Arena): SeenFiring[] {
  return firingFacts(arena.ledgerPath, CAMPAIGN);
}

/** A firing found no row left to send. */
function isOver(seen: readonly SeenFiring[]): boolean {
  return seen.some(({ code }) => code === 'nothing-left');
}

function runOpen(arena: Arena): boolean {
  return ledgerFacts(arena.ledgerPath, CAMPAIGN).runOpen;
}
