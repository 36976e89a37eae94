import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { stuckActivities } from '../../temporal/stuck-activities';
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

test('an activity that fails again and again is shown with its tries and its cause', async () => {
  const { main } = taskQueues('stuck');
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: main,
    workflowsPath: require.resolve('../../workflows'),
    activities: {
      beginRun: async () => ({ campaign: 'stuck', number: 1 }),
      importManifest: async () => {
        throw new Error('account "cafe" is not configured here (configured: garden)');
      },
    },
  });
  await worker.runUntil(async () => {
    const handle = await env.client.workflow.start('publishCampaign', {
      workflowId: campaignWorkflowId('stuck'),
      taskQueue: main,
      args: [{ campaign: 'stuck', ledgerId: 'stuck' }],
    });
    let stuck = await stuckActivities(env.client, 'stuck');
    while (stuck.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      stuck = await stuckActivities(env.client, 'stuck');
    }
    expect(stuck).toEqual([
      {
        activity: 'importManifest',
        tries: expect.any(Number),
        error: expect.stringContaining('"cafe" is not configured here'),
      },
    ]);
    expect(stuck[0]!.tries).toBeGreaterThan(0);
    await handle.terminate();
  });
  expect(await stuckActivities(env.client, 'no-such-campaign')).toEqual([]);
});
