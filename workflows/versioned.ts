// The bundle's entry for workers with a build id. A worker without one must not declare how a workflow moves between
// builds: the server refuses its answers.
import { type WorkflowDefinitionOptions } from '@temporalio/common';
import { setWorkflowOptions } from '@temporalio/workflow';
import { publishCampaign, scheduledBatch } from './index';

export * from './index';

// These last as long as their rows and never continue as new: they move to each build that becomes current, which
// patches allow. All others stay on their build; a channel stays until its history ends.
const moving = (): WorkflowDefinitionOptions => ({
  failureExceptionTypes: [Error],
  versioningBehavior: 'AUTO_UPGRADE',
});
setWorkflowOptions(moving(), publishCampaign);
setWorkflowOptions(moving(), scheduledBatch);
