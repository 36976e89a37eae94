import { type Ledger } from '../ledger/ledger';
import { type RunInfo } from '../ledger/types';
import { connect, locateTemporal } from './engine';
import { ExitError, UsageError } from './errors';
import { EXIT } from './exit-codes';
import { type Output } from './output';
import { type Settings } from './settings';

export interface CancelTarget {
  channelId?: string;
  keys?: readonly string[];
  /** Rows that aren't sent yet and would be cancelled. */
  unsent: number;
  /** For people: `(whole run)`. */
  words: string;
}

/** What a cancel is about, with the rows counted. @throws UsageError for keys and channels that aren't there */
export async function chooseTarget(
  ledger: Ledger,
  run: RunInfo,
  flags: { key?: string[]; channel?: string },
): Promise<CancelTarget> {
  const { key: keys, channel } = flags;
  if (keys !== undefined && channel !== undefined) throw new UsageError('give --key or --channel, not both');
  if (!run.open) {
    const id = `${run.campaign}.${String(run.number)}`;
    throw new ExitError(
      'run-closed',
      `${id} has ended: there is nothing to cancel`,
      EXIT.usage,
      `See \`reelay results ${id}\`.`,
    );
  }
  if (channel !== undefined) {
    const channels = await ledger.channels(run);
    const found = channels.find(
      (one) => one.id === channel || one.label.toLowerCase() === channel.trim().toLowerCase(),
    );
    if (!found) {
      const names = channels.map((one) => `“${one.label}”`).join(', ');
      throw new UsageError(
        `--channel: ${run.campaign} has no rows left in a channel “${channel}”`,
        names === '' ? null : `Channels: ${names}.`,
      );
    }
    return { channelId: found.id, unsent: found.open, words: `(channel ${found.label})` };
  }
  if (keys !== undefined) return keyTarget(ledger, run, keys);
  const counts = await ledger.counts(run);
  return { unsent: (counts.planned ?? 0) + (counts.waiting ?? 0), words: '(whole run)' };
}

async function keyTarget(ledger: Ledger, run: RunInfo, keys: readonly string[]): Promise<CancelTarget> {
  const missing = new Set(keys);
  let unsent = 0;
  for await (const row of ledger.results(run)) {
    if (!keys.includes(row.key)) continue;
    missing.delete(row.key);
    if (row.state === 'planned' || row.state === 'waiting') unsent += 1;
  }
  if (missing.size > 0) {
    const names = [...missing].map((key) => `“${key}”`).join(', ');
    throw new UsageError(
      `--key: ${run.campaign} has no row with the key ${names}`,
      `\`reelay results ${run.campaign}\` shows the keys.`,
    );
  }
  return { keys, unsent, words: `(${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')})` };
}

/** Wakes the run so that it sees the gate now. False, and said, when Temporal is away: the gate holds all the same. */
export async function hurryRun(settings: Settings, run: RunInfo, output: Output): Promise<boolean> {
  try {
    const temporal = await connect(await locateTemporal(settings));
    try {
      const { hurry } = await import('../worker/campaigns.js');
      await hurry(temporal.client, run);
      return true;
    } finally {
      await temporal.close();
    }
  } catch (error) {
    output.warn(`the change is in the ledger and holds, but the run could not be told: ${(error as Error).message}`);
    return false;
  }
}
