import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Arena } from '../arena/arena';
import { FAULTS } from '../faults';
import { writeManifest } from '../manifest';
import { CAMPAIGN, conclude, PACE, paceFor, paceRule, runEnds, type Scenario } from '../scenario';
import { waitUntil } from '../arena/wait';
import { COMMAND_MS, ENDS_MS } from '../arena/timings';

/**
 * A person in Temporal's Web UI: the run is terminated and submitted again, reset to its beginning, cancelled and
 * submitted again, while answers get lost and two workers keep running.
 */
export const INTERFERENCE: Scenario = {
  name: 'terminated, reset and cancelled in Temporal',
  share: 0.2,
  settles: true,
  run: async (input) => {
    const { folder, rows, random, say } = input;
    const arena = await Arena.open({ folder, echoTitle: true, exclusive: false });
    const connection = await Connection.connect({ address: arena.temporal?.address ?? '' });
    try {
      const { namespace } = arena;
      const client = new Client({ connection, namespace });
      const path = join(folder, `${CAMPAIGN}.csv`);
      const manifest = await writeManifest(path, rows);
      await arena.service.addFaults([paceRule(paceFor(rows, 40)), ...FAULTS]);
      arena.startWorker(0);
      arena.startWorker(1);
      await arena.submit(path);
      const handle = client.workflow.getHandle(`campaign/${CAMPAIGN}`);
      for (const what of ['terminate', 'reset', 'cancel', 'reset', 'terminate'] as const) {
        await sleep(random.between(2_500, 5_000));
        say(what);
        if (what === 'terminate') await handle.terminate('chaos');
        else if (what === 'cancel') await handle.cancel();
        else await resetToStart(client, namespace);
        if (what === 'cancel')
          await waitUntil(COMMAND_MS, async () => (await handle.describe()).status.name !== 'RUNNING');
        if (what !== 'reset') await arena.submit(path);
      }
      await arena.service.clearFault(PACE);
      const ended = await runEnds(arena.ledgerPath, ENDS_MS);
      return await conclude(arena, input, { manifest, kills: 0, ended });
    } finally {
      await connection.close();
      await arena.close();
    }
  },
};

/** Resets the campaign's newest execution to the end of a workflow task in its first half. */
async function resetToStart(client: Client, namespace: string): Promise<void> {
  const workflowId = `campaign/${CAMPAIGN}`;
  const description = await client.workflow.getHandle(workflowId).describe();
  const { runId } = description;
  const { events = [] } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const ends = (events ?? []).filter((event) => isGiven(event.workflowTaskCompletedEventAttributes));
  const chosen = ends[Math.floor(ends.length / 3)];
  if (chosen === undefined || !isGiven(chosen.eventId)) return;
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: chosen.eventId,
    requestId: `chaos-${Date.now()}`,
    reason: 'chaos',
  });
}

/** The wire's types say null and undefined for the same. */
function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
