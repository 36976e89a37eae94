import { join } from 'node:path';
import { HOSTILE_ANSWERS } from '../../sandbox/faults/hostile-responses';
import { Arena } from '../arena/arena';
import { CAN_MEASURE_LOOP, loopFacts } from '../facts/loop-facts';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, runEnds, type Scenario } from '../scenario';
import { ALLOWED } from '../verdict';
import { demandWithin } from '../arena/wait';
import { COMMAND_MS, ENDS_MS } from '../arena/timings';

/** A worker with a blocked event loop misses its heartbeats; its activities are then given to another worker. */
const BLOCKED_MS = 200;

/** Every shape at every endpoint that a run reads. Errors have megabytes of data that isn't JSON. */
const FAULTS: readonly string[] = [
  ...HOSTILE_ANSWERS.flatMap((what) => [
    `create share=0.05 -> garbage ${what}`,
    `get share=0.05 -> garbage ${what}`,
    `list share=0.05 -> garbage ${what}`,
  ]),
  'create share=0.04 -> status 400 body=hostile',
  'create share=0.04 -> status 500 accept body=hostile',
  'get share=0.04 -> status 500 body=hostile',
  'list share=0.04 -> status 500 body=hostile',
];

/** A refused create is `rejected`; a row whose id names no publication can't be read again, and ends as `overdue`. */
const HOSTILE_ALLOWED = { ...ALLOWED, ends: ['published', 'unconfirmed', 'rejected', 'overdue'], inventedIds: true };

/** A service whose answers are built to harm the program that reads them. */
export const HOSTILE: Scenario = {
  name: 'a hostile service',
  share: 0.3,
  settles: false,
  run: async (input) => {
    if (!CAN_MEASURE_LOOP) return { skipped: 'the CPU time of an event loop is read from /proc' };
    const loopFile = join(input.folder, 'loop.json');
    const arena = await Arena.open({
      folder: input.folder,
      echoTitle: true,
      exclusive: false,
      config: 'give_up_after: 60s\n',
      loopFile,
    });
    try {
      const path = join(input.folder, `${CAMPAIGN}.csv`);
      const manifest = await writeManifest(path, input.rows);
      const worker = arena.startWorker(0);
      await arena.service.addFaults(FAULTS);
      await arena.submit(path);
      await demandWithin(COMMAND_MS, 'the first create is accepted', async () => (await arena.service.accepted()) > 0);
      // Loading modules up to here blocks a loop with any service.
      worker.signal('SIGUSR2');
      const ended = await runEnds(arena.ledgerPath, ENDS_MS);
      const loop = await loopFacts(loopFile);
      input.say(`longest turn of the worker’s event loop: ${loop.cpuMs} ms of CPU, ${loop.wallMs} ms by the clock`);
      const report = await conclude(arena, input, { manifest, kills: 0, ended, allowed: HOSTILE_ALLOWED });
      if (loop.cpuMs > BLOCKED_MS) report.wrong.push(`the worker’s event loop was blocked for ${loop.cpuMs} ms of CPU`);
      return report;
    } finally {
      await arena.close();
    }
  },
};
