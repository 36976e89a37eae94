// The workflow bundle's entry.
export { publishCampaign } from './publish-campaign';
export { publishChannel } from './publish-channel';
export { deliverNotice } from './deliver-notice';
export { scheduledBatch } from './scheduled-batch';
