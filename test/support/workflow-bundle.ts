import { readFile, writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { onceARun } from './once-a-run';

/** The workflows of the sources, bundled once for all files of a run. */
export async function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  const path = await onceARun('workflow-bundle.json', async (own) => {
    const bundle = await bundleWorkflowCode({
      workflowsPath: require.resolve('../../workflows'),
      logger: new DefaultLogger('ERROR'),
    });
    await writeFile(own, JSON.stringify(bundle));
  });
  return JSON.parse(await readFile(path, 'utf8')) as WorkflowBundleWithSourceMap;
}
