import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Client } from '@temporalio/client';
import { countPollers } from '../../../temporal/pollers';
import { temporalPath } from '../../support/temporal';
import { until } from '../support/cli-process';
import { machineWithService } from '../support/machine-with-service';
import { writeCampaign } from '../support/manifests';
import { ownTemporal } from '../support/own-temporal';

jest.setTimeout(600_000);

const DEPLOYMENT = 'publisher';

describe('workers with a deployment and a build', () => {
  const there = machineWithService({ processing: { minMs: 50, maxMs: 200 } });
  const temporal = ownTemporal('deployments');

  /** Gives the ledger's id. */
  async function build(buildId: string): Promise<string> {
    const worker = there.machine.start(['worker', '--deployment', DEPLOYMENT, '--build-id', buildId], temporal.env);
    temporal.running.push(worker);
    await worker.says(/gets work once/u);
    return /Worker of ledger (\S+)/u.exec(worker.stderr)?.[1] ?? '';
  }

  it('one without the other is refused, as is a name that Temporal can’t join', async () => {
    for (const [flags, why] of [
      [['--deployment', 'a'], '--build-id is missing'],
      [['--build-id', '1'], '--deployment is missing'],
      [['--deployment', 'a.b', '--build-id', '1'], '“a.b” is not a name'],
      [['--deployment', 'a', '--build-id', 'x:1'], '“x:1” is not an id'],
    ] as const) {
      const { code, stderr } = await there.machine.run(['worker', ...flags], temporal.env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
  });

  async function promote(buildId: string): Promise<void> {
    const version = ['--deployment-name', DEPLOYMENT, '--build-id', buildId, '--yes'];
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = temporal.env;
    const at = ['--address', address, '--namespace', namespace];
    await until(async () => {
      try {
        await promisify(execFile)(await temporalPath(), [
          ...['worker', 'deployment', 'set-current-version'],
          ...version,
          ...at,
        ]);
        return true;
      } catch (error) {
        // Temporal knows a build once its worker has polled.
        if (!/not found|no version|no worker deployment found|missing/iu.test(String(error))) throw error;
        return false;
      }
    });
  }

  const submit = async (name: string, rows: number, flags: readonly string[] = []) => {
    const path = there.machine.path(`${name}.csv`);
    await writeCampaign(path, rows, {
      host: `${name}.example`,
      title: (index) => `${name} ${index}`,
      profiles: ['Garden'],
    });
    const { code, stderr } = await there.machine.run(['submit', path, ...flags], temporal.env);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  };
  const ended = async (name: string) => {
    const { stdout } = await there.machine.run(['watch', name, '-o', 'json'], temporal.env);
    return (JSON.parse(stdout) as { counts: unknown }).counts;
  };

  it('a campaign moves to the build that is promoted, and each channel when its history ends; a new one begins on it', async () => {
    const ledgerId = await build('one');
    // Even before it is promoted: it is running, and its health depends on being seen.
    await until(async () => (await countPollers(temporal.connection.client, ledgerId)) === 1);
    await promote('one');
    // One row of each of its two channels; the others wait until the pace is changed.
    await submit('spring', 8, ['--min-gap', '1h']);
    await until(() => there.service.log().length === 2);
    expect((await there.machine.run(['pause', 'spring'], temporal.env)).code).toBe(0);
    await build('two');
    await promote('two');
    const pace = ['min_gap=0s', 'jitter=0%'];
    expect((await there.machine.run(['set', 'spring', ...pace], temporal.env)).code).toBe(0);
    expect((await there.machine.run(['resume', 'spring'], temporal.env)).code).toBe(0);
    expect(await ended('spring')).toEqual({ published: 8 });
    await submit('autumn', 4);
    expect(await ended('autumn')).toEqual({ published: 4 });

    const spring = await buildsOf(temporal.connection.client, 'spring');
    expect(spring.campaign).toEqual(['one two']);
    expect(spring.channels.sort()).toEqual(['one', 'one', 'two', 'two']);
    const autumn = await buildsOf(temporal.connection.client, 'autumn');
    expect(autumn.campaign).toEqual(['two']);
    expect(new Set(autumn.channels)).toEqual(new Set(['two']));
  });
});

/** Of each execution of a campaign's workflows: the builds that completed its workflow tasks, in order. */
async function buildsOf(client: Client, campaign: string): Promise<{ campaign: string[]; channels: string[] }> {
  const builds: { campaign: string[]; channels: string[] } = { campaign: [], channels: [] };
  const found = client.workflow.list({ query: `WorkflowId STARTS_WITH "campaign/${campaign}"` });
  for await (const { workflowId, runId, type } of found) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const ids = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
      task ? [task.deploymentVersion?.buildId ?? 'none'] : [],
    );
    const changes = ids.filter((id, at) => id !== ids[at - 1]).join(' ');
    (type === 'publishCampaign' ? builds.campaign : builds.channels).push(changes);
  }
  return builds;
}
