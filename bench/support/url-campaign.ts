import { type Ledger } from '../../ledger/ledger';
import { type CampaignSettings, type Entry, type RunRef } from '../../ledger/model/types';
import { startCampaign } from '../../temporal/campaigns';
import { type TemporalConnection } from '../../temporal/connect';
import { campaignWorkflowId } from '../../workflows/ids';
import { USUAL_SETTINGS } from './campaign-settings';

export interface Begun {
  run: RunRef;
  /** ms since the epoch. */
  at: number;
  ended: Promise<unknown>;
}

/** Submits a campaign of URL rows, which go to the profiles in turn, and starts it. */
export async function begin(input: {
  account: string;
  ledger: Ledger;
  temporal: TemporalConnection;
  campaign: string;
  rows: number;
  profiles: string[];
  pace?: CampaignSettings['pace'];
}): Promise<Begun> {
  const { account, ledger, temporal, campaign, rows, profiles, pace = [] } = input;
  const at = Date.now();
  const { run } = await ledger.submit({
    campaign,
    by: 'bench',
    entries: entries(account, campaign, rows, profiles),
    snapshot: {
      hash: campaign,
      fileHash: campaign,
      path: `${campaign}.csv`,
      format: 'csv',
      text: '',
      columns: [],
      settings: { ...USUAL_SETTINGS, repeat: 'allow', pace },
    },
  });
  await startCampaign(temporal.client, {
    run,
    ledgerId: ledger.id,
    sequence: await ledger.sequence(),
    location: ledger.location,
    manifest: { name: `${campaign}.csv`, hash: campaign },
    rows,
    startedBy: 'bench',
  });
  return { run, at, ended: temporal.client.workflow.getHandle(campaignWorkflowId(campaign)).result() };
}

function* entries(account: string, campaign: string, rows: number, profiles: string[]): Generator<Entry> {
  for (let position = 0; position < rows; position += 1) {
    const profileId = profiles[position % profiles.length] ?? '';
    const key = `${campaign}-${position}`;
    yield {
      position,
      line: position + 2,
      key,
      account,
      skip: false,
      cells: {},
      values: {
        source: `https://videos.example/${key}.mp4`,
        sourceKind: 'url',
        platform: 'platform_b',
        platformKind: 'long',
        profileId,
        profileName: profileId,
        title: `Video ${key}`,
        description: null,
        privacy: null,
        status: 'published',
        publishAt: null,
        via: 'publication',
      },
    };
  }
}
