import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunRef } from '../../ledger/model/types';
import { UsageError } from '../errors/errors';

/** A channel of the campaign, by its text id or its name for people (`Garden · long`). @throws UsageError */
export async function findChannel(ledger: RunningLedger, run: RunRef, text: string): Promise<string> {
  const channels = await ledger.campaignChannels(run.campaign);
  const wanted = text.trim().toLowerCase();
  const found = channels.filter((one) => one.id === text || one.label.toLowerCase() === wanted);
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const names = (found.length > 1 ? found : channels).slice(0, 20).map((one) => `“${one.label}” (${one.id})`);
  throw new UsageError(
    found.length > 1
      ? `--channel: several channels of ${run.campaign} are called “${text}”`
      : `--channel: ${run.campaign} has no channel “${text}”`,
    names.length === 0 ? null : `Channels: ${names.join(', ')}.`,
  );
}
