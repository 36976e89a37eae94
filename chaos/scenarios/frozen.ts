import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Arena, type ArenaOptions } from '../arena/arena';
import { FAULTS } from '../faults';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, runEnds, type Scenario } from '../scenario';
import { ENDS_MS } from '../arena/timings';

/** Longer than Temporal's heartbeat time-out (15 s): its activities are considered lost. */
const FROZEN_MS = 21_000;

/**
 * One of two workers is stopped for longer than every time-out, while its creates are under way, and wakes up when
 * Temporal and the other worker have continued without it.
 */
function frozen(name: string, timings: NonNullable<ArenaOptions['timings']>, settles: boolean): Scenario {
  return {
    name,
    share: 0.1,
    settles,
    run: async (input) => {
      const { folder, rows, random, say } = input;
      const arena = await Arena.open({ folder, echoTitle: true, exclusive: false, timings });
      try {
        const path = join(folder, `${CAMPAIGN}.csv`);
        const manifest = await writeManifest(path, rows);
        await arena.service.addFaults([paceRule(paceFor(rows, 12)), ...FAULTS]);
        arena.startWorker(0);
        arena.startWorker(1);
        await arena.submit(path);
        await sleep(random.between(2_500, 5_000));
        const victim = arena.workers[random.pick([0, 1])];
        say('a worker is frozen');
        victim?.signal('SIGSTOP');
        await sleep(FROZEN_MS);
        say('it wakes up');
        victim?.signal('SIGCONT');
        await arena.service.clearFault(PACE);
        const ended = await runEnds(arena.ledgerPath, ENDS_MS);
        // What the woken worker still has to report is recorded even after the run's end.
        await sleep(3_000);
        return await conclude(arena, input, { manifest, kills: 0, ended });
      } finally {
        await arena.close();
      }
    },
  };
}

export const FROZEN = frozen('a worker frozen past every time-out', {}, true);

/** Its rows are left to a person while it is silent. */
export const FROZEN_SILENT = frozen(
  'a worker silent until its rows are given up',
  { silentUnconfirmedMs: 8_000 },
  false,
);
