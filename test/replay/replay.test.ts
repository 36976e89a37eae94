import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { workflowBundle } from '../support/workflow-bundle';

const FOLDER = join(__dirname, 'histories');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.pb'));

let bundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  bundle = await workflowBundle();
}, 120_000);

describe('runs that were started by an earlier version', () => {
  it('are there to be replayed: campaigns, channels, firings and notices', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const kind of ['campaign-', 'firing-', 'notice-'])
      expect(files.some((name) => name.includes(`.${kind}`))).toBe(true);
  });

  it.each(files)('go on with this one: %s', async (file) => {
    const history = temporal.api.history.v1.History.decode(readFileSync(join(FOLDER, file)));
    const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId ?? file);
  });
});
