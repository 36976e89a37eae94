import { createPublications } from '../../activities/publish/create-publications';
import { type RunRef } from '../../ledger/model/types';
import { type ChildPlace, openChild } from './child-deps';

// A worker that creates what a run has left, channel by channel, until it is killed.
const input = JSON.parse(process.argv[2] ?? '{}') as ChildPlace & { run: RunRef };

async function main(): Promise<void> {
  const { ledger, deps, context } = await openChild(input);
  const { run } = input;
  for (;;) {
    for (const { id: channelId } of await ledger.channels(run)) {
      const page = await ledger.takePage({ run, channelId, limit: 8, now: Date.now() });
      const ready = page.filter((row) => row.readyAt === null || Date.parse(row.readyAt) <= Date.now());
      if (ready.length > 0) {
        await createPublications(deps, { run, channelId, rowIds: ready.map((row) => row.id) }, context);
      }
    }
    await context.pause(30);
  }
}

void main();
