import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_CREATES, SandboxRun } from '../sandbox-run';
import { ledgerFacts } from '../facts/ledger-facts';
import { writeManifest } from '../manifest';
import { CAMPAIGN, type Scenario } from '../scenario';
import { parseCreates } from '../arena/service';
import { verdictOf } from '../verdict';
import { waitUntil } from '../arena/wait';
import { COMMAND_MS, ENDS_MS } from '../arena/timings';

/**
 * `reelay run --sandbox` with everything in it (Temporal, worker, sandbox) killed as one group at random moments, as by
 * a power failure, and started again with the same command.
 */
export const WHOLE_RUN: Scenario = {
  name: 'the whole run killed as a group',
  share: 0.2,
  settles: true,
  run: async ({ folder, rows, kills, random, say }) => {
    const manifest = join(folder, `${CAMPAIGN}.csv`);
    const written = await writeManifest(manifest, rows);
    const run = new SandboxRun(folder);
    const creates = async () => parseCreates(await readFile(join(folder, SANDBOX_CREATES), 'utf8').catch(() => ''));
    let done = 0;
    while (done < kills) {
      const running = run.start(manifest);
      // A little later each time, at a random moment; sometimes before the first create.
      const at = (rows * (done + random.next())) / kills;
      await waitUntil(COMMAND_MS, async () => !running.alive || (await creates()).length >= at, 20);
      await sleep(random.between(0, 300));
      if (!running.alive) break;
      done += 1;
      say(`kill ${done}: the whole run`);
      await running.kill('group');
    }
    const last = run.start(manifest);
    const code = await last.within(ENDS_MS);
    const { rows: shown } = await run.results(CAMPAIGN);
    const verdict = verdictOf(written, shown, await creates());
    if (code === null) verdict.wrong.push('the last run did not end in time');
    else if (code !== 0 && code !== 6) verdict.wrong.push(`the last run ended with ${code}`);
    const { lostAnswers, adopted, repeated } = ledgerFacts(run.ledgerPath, CAMPAIGN);
    return { ...verdict, rows, kills: done, faults: 0, lostAnswers, adopted, repeated };
  },
};
