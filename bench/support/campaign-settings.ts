import { type CampaignSettings } from '../../ledger/model/types';

/** The default settings of a campaign: the benchmarks measure what users get. */
export const USUAL_SETTINGS: CampaignSettings = {
  late: 'hold',
  giveUpAfterMs: 86_400_000,
  ambiguous: 'reconcile',
  repeat: 'refuse',
  channelConcurrency: 4,
  accountConcurrency: 16,
};
