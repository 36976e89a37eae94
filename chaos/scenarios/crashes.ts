import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Arena, type ArenaOptions } from '../arena/arena';
import { FAULTS, STORM } from '../faults';
import { ledgerFacts } from '../facts/ledger-facts';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, runEnds, type Scenario, type ScenarioInput } from '../scenario';
import { ENDS_MS } from '../arena/timings';

/** Average number of seconds between two kills, including the restarts. */
const SECONDS_A_KILL = 4;

/**
 * Two workers, two submits at once; workers and the Temporal server are killed at random moments while answers get lost
 * in every way.
 */
function crashes(
  name: string,
  how: Pick<ArenaOptions, 'echoTitle' | 'exclusive' | 'timings'> & { share: number },
): Scenario {
  return {
    name,
    share: how.share,
    settles: how.echoTitle,
    run: async (input) => {
      const arena = await Arena.open({ folder: input.folder, ...how });
      try {
        const path = join(input.folder, `${CAMPAIGN}.csv`);
        const manifest = await writeManifest(path, input.rows);
        const pace = paceRule(paceFor(input.rows, 0.6 * input.kills * SECONDS_A_KILL));
        await arena.service.addFaults([pace, ...FAULTS]);
        if (!how.exclusive) await arena.service.startInjecting(700);
        arena.startWorker(0);
        arena.startWorker(1);
        await Promise.all([arena.submit(path), arena.submit(path)]);
        const kills = await killAtRandom(arena, input);
        await arena.service.clearFault(PACE);
        // It is submitted once more: nothing is sent for it.
        await arena.submit(path);
        const ended = await runEnds(arena.ledgerPath, ENDS_MS);
        return await conclude(arena, input, { manifest, kills, ended });
      } finally {
        await arena.close();
      }
    },
  };
}

async function killAtRandom(arena: Arena, { kills, random, say }: ScenarioInput): Promise<number> {
  let done = 0;
  while (done < kills) {
    await sleep(random.between(500, 3_000));
    if (!ledgerFacts(arena.ledgerPath, CAMPAIGN).runOpen) return done;
    done += 1;
    const dice = random.next();
    if (dice < 0.3) {
      say(`kill ${done}: the Temporal server`);
      await arena.killTemporal();
      await sleep(random.between(0, 1_500));
      await arena.startTemporal();
    } else {
      const both = dice > 0.85;
      say(`kill ${done}: ${both ? 'both workers' : 'a worker'}`);
      const victims = both ? [0, 1] : [random.pick([0, 1])];
      await Promise.all(victims.map(async (index) => arena.workers[index]?.kill()));
      await sleep(random.between(0, 1_000));
      for (const index of victims) arena.startWorker(index);
    }
    if (random.next() < 0.15) await arena.service.addFaults([STORM]);
  }
  return done;
}

export const CRASHES_SHOWN = crashes('crashes, titles shown, others publish too', {
  echoTitle: true,
  exclusive: false,
  share: 0.6,
});

export const CRASHES_HIDDEN = crashes('crashes, titles hidden, account exclusive', {
  echoTitle: false,
  exclusive: true,
  share: 0.2,
  // Looking longer would find nothing more here.
  timings: { reconcileForMs: 15_000 },
});
