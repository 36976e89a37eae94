// The entry of the bundle for workers that have a build. One without a build may not say how a workflow moves between builds: the
// server refuses its answers.
import { type WorkflowDefinitionOptions } from '@temporalio/common';
import { setWorkflowOptions } from '@temporalio/workflow';
import { publishCampaign, scheduledBatch } from './index';

export * from './index';

// They last as long as their rows, and never continue as new: they move to each build that is made current, which patches allow.
// All others stay on their build, a channel until its history ends.
const moving = (): WorkflowDefinitionOptions => ({
  failureExceptionTypes: [Error],
  versioningBehavior: 'AUTO_UPGRADE',
});
setWorkflowOptions(moving(), publishCampaign);
setWorkflowOptions(moving(), scheduledBatch);
