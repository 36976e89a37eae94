import { type Client } from '@temporalio/client';
import { type Ledger } from '../../ledger/ledger';
import { type RunInfo } from '../../ledger/model/types';
import { pause } from '../../host/interrupts';
import { type Output } from '../terminal/output';
import { type Settings } from '../config/settings';

const BOUND_MS = 15_000;

/** Gives a run's notices a moment to be sent, before the worker of this process stops. Never fails the command. */
export async function awaitNotices(input: {
  client: Client;
  ledger: Ledger;
  settings: Settings;
  run: RunInfo;
  output: Output;
}): Promise<void> {
  const { client, ledger, settings, run, output } = input;
  const [{ endedNotice, parkedNotices }, { noticeWorkflowId }] = await Promise.all([
    import('../../activities/notices/find-notices.js'),
    import('../../workflows/ids.js'),
  ]);
  const deps = { ledger, ...(settings.notify === null ? {} : { notices: settings.notify }) };
  const ended = run.open ? null : await endedNotice(deps, run);
  const expected = [...(ended === null ? [] : [ended]), ...(await parkedNotices(deps, run))];
  const until = Date.now() + BOUND_MS;
  for (const { id } of expected) {
    while (Date.now() < until) {
      // It doesn't exist yet: the run's workflow is about to start it.
      const found = await client.workflow
        .getHandle(noticeWorkflowId(id))
        .describe()
        .catch(() => null);
      if (found !== null && found.status.name !== 'RUNNING') break;
      await pause(200);
    }
    if (Date.now() >= until) {
      output.warn('a notice has not been sent yet; it will be sent by the next `reelay run`, `up` or `worker`');
      return;
    }
  }
}
