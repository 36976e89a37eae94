// The workflow bundle's entry.
export { publishCampaign } from './publish-campaign';
export { publishChannel } from './publish-channel';
export { scheduledBatch } from './scheduled-batch';
