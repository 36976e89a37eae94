import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Arena } from '../arena/arena';
import { FAULTS } from '../faults';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, runEnds, type Scenario } from '../scenario';
import { ENDS_MS } from '../arena/timings';

const SIZE_MB = 16;

/** The disk of ledger and spool fills up while creates are under way, and has free space again after a while. */
export const DISK_FULL: Scenario = {
  name: 'the ledger’s disk full for a while',
  share: 0.1,
  settles: true,
  run: async (input) => {
    const { folder, rows, say } = input;
    const home = join(folder, 'small-disk');
    await mkdir(home);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', home], { encoding: 'utf8' });
    if (mounted.status !== 0) return { skipped: `no small disk can be mounted: ${mounted.stderr.trim()}` };
    try {
      const arena = await Arena.open({ folder, home, echoTitle: true, exclusive: false });
      try {
        const path = join(folder, `${CAMPAIGN}.csv`);
        const manifest = await writeManifest(path, rows);
        await arena.service.addFaults([paceRule(paceFor(rows, 15)), ...FAULTS]);
        arena.startWorker(0);
        arena.startWorker(1);
        await arena.submit(path);
        let kills = 0;
        for (let round = 0; round < 2; round += 1) {
          await sleep(3_000);
          say('the disk is full');
          await fill(join(home, 'ballast'));
          await sleep(5_000);
          if (round === 1) {
            say('a worker is killed while it can’t write');
            await arena.workers[0]?.kill();
            kills += 1;
          }
          await rm(join(home, 'ballast'));
          say('it has room again');
          if (round === 1) arena.startWorker(0);
        }
        await arena.service.clearFault(PACE);
        const ended = await runEnds(arena.ledgerPath, ENDS_MS);
        return await conclude(arena, input, { manifest, kills, ended });
      } finally {
        await arena.close();
      }
    } finally {
      spawnSync('umount', ['-l', home]);
    }
  },
};

/** Uses all free space, to the last page. */
async function fill(path: string): Promise<void> {
  for (const size of [1_000_000, 4_096]) {
    for (let at = 0; at < SIZE_MB * 1_000; at += 1) {
      try {
        await writeFile(path, Buffer.alloc(size), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
}
