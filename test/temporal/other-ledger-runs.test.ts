import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { startCampaign } from '../../temporal/campaigns';
import { countPollers } from '../../temporal/pollers';
import { campaignWorkflowId, taskQueues } from '../../workflows/ids';
import { temporalPath } from '../support/temporal';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  });
  const executable = { type: 'existing-path' as const, path: await temporalPath() };
  env = await TestWorkflowEnvironment.createLocal({ server: { executable } });
});
afterAll(() => env.teardown());

function start(campaign: string, ledgerId: string): Promise<unknown> {
  return startCampaign(env.client, {
    run: { campaign, number: 1 },
    ledgerId,
    sequence: 1,
    location: '/home/ledger.db',
    manifest: { name: 'spring.csv', hash: 'hash' },
    startedBy: 'ana',
  });
}

test('a run of a lost ledger is ended, and the new ledger starts its own', async () => {
  await start('spring', 'lost');
  const lost = await env.client.workflow.getHandle(campaignWorkflowId('spring')).describe();
  await start('spring', 'new');
  const now = await env.client.workflow.getHandle(campaignWorkflowId('spring')).describe();
  expect(now).toMatchObject({ taskQueue: taskQueues('new').main, memo: { ledger: 'new' } });
  const before = await env.client.workflow.getHandle(lost.workflowId, lost.runId).describe();
  expect(before.status.name).toBe('TERMINATED');
  await start('spring', 'new');
  const joined = await env.client.workflow.getHandle(campaignWorkflowId('spring')).describe();
  expect(joined.runId).toBe(now.runId);
});

test('a run of a ledger that is in use stays, and the command says so', async () => {
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: taskQueues('other').main,
    workflowsPath: require.resolve('../../workflows'),
    activities: {
      beginRun: async () => {
        throw new Error('the run stays open');
      },
    },
  });
  await worker.runUntil(async () => {
    await start('autumn', 'other');
    while ((await countPollers(env.client, 'other')) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(start('autumn', 'mine')).rejects.toThrow('open in this Temporal for another ledger (other)');
    const handle = env.client.workflow.getHandle(campaignWorkflowId('autumn'));
    expect(await handle.describe()).toMatchObject({ status: { name: 'RUNNING' }, memo: { ledger: 'other' } });
    await handle.terminate();
  });
});
