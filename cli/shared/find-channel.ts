import { type RunningLedger } from '../../ledger/interfaces/running';
import { type RunRef } from '../../ledger/model/types';
import { UsageError } from '../errors/errors';

/** Maximum number of channels listed in an error. */
const SHOWN = 20;

/**
 * A channel of the campaign, by its name for people (`Garden · long`) or its id; if others share the name, by as much
 * more of it as distinguishes them. @throws UsageError that lists the existing ones
 */
export async function findChannel(
  ledger: RunningLedger,
  run: RunRef,
  text: string,
): Promise<{ id: string; label: string }> {
  const channels = await ledger.campaignChannels(run.campaign);
  const wanted = text.trim().toLowerCase();
  const exact = channels.filter((one) => one.id === text || one.label.toLowerCase() === wanted);
  const found = exact.length > 0 ? exact : channels.filter((one) => one.label.toLowerCase().startsWith(`${wanted} (`));
  const [only] = found;
  if (only && found.length === 1) return only;
  const names = (found.length > 1 ? found : channels).slice(0, SHOWN).map((one) => `“${one.label}”`);
  throw new UsageError(
    found.length > 1
      ? `--channel: several channels of ${run.campaign} are called “${text}”`
      : `--channel: ${run.campaign} has no channel “${text}”`,
    names.length === 0 ? null : `Channels: ${names.join(', ')}.`,
  );
}
