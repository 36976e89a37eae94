import { type CancelPreview } from '../../../ledger/operator/cancel';
import { type SendingLedger } from '../../../ledger/interfaces/sending';
import { type ReadingLedger } from '../../../ledger/interfaces/reading';
import { type RunningLedger } from '../../../ledger/interfaces/running';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { type RowState } from '../../../ledger/model/states';
import { type RunInfo } from '../../../ledger/model/types';
import { connect, locateTemporal } from '../../stack/engine';
import { ExitError, UsageError } from '../../errors/errors';
import { EXIT } from '../../errors/exit-codes';
import { findChannel } from '../../shared/find-channel';
import { type Output } from '../../terminal/output';
import { plural, safeText } from '../../terminal/safe-text';
import { type Settings } from '../../config/settings';

export interface CancelTarget {
  channelId?: string;
  /** The channel's name, as results show it. */
  channel?: string;
  keys?: readonly string[];
  /** For people: `(whole run)`. */
  words: string;
}

/** The rows that a cancel is for. @throws UsageError for keys and channels that don't exist */
export async function chooseTarget(
  ledger: SendingLedger & ReadingLedger & RunningLedger,
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
    const found = await findChannel(ledger, run, channel);
    const left = await ledger.channels(run);
    if (!left.some(({ id }) => id === found.id)) {
      const names = left.map((one) => `“${one.label}”`).join(', ');
      throw new UsageError(
        `--channel: ${run.campaign} has no rows left in a channel “${channel}”`,
        names === '' ? null : `Channels: ${names}.`,
      );
    }
    return { channelId: found.id, channel: found.label, words: `(channel ${found.label})` };
  }
  if (keys !== undefined) return keyTarget(ledger, run, keys);
  return { words: '(whole run)' };
}

async function keyTarget(
  ledger: SendingLedger & ReadingLedger & RunningLedger,
  run: RunInfo,
  keys: readonly string[],
): Promise<CancelTarget> {
  const missing = new Set(keys);
  for await (const row of ledger.results(run)) missing.delete(row.key);
  if (missing.size > 0) {
    const names = [...missing].map((key) => `“${key}”`).join(', ');
    throw new UsageError(
      `--key: ${run.campaign} has no row with the key ${names}`,
      `\`reelay results ${run.campaign}\` shows the keys.`,
    );
  }
  return { keys, words: `(${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')})` };
}

/** Rows that are live or accepted, whichever run sent them: as many as `status` shows, and the first of them. */
export interface LiveRows {
  total: number;
  shown: readonly Pick<ResultRecord, 'line' | 'key' | 'title' | 'state' | 'video_url'>[];
}

/** Those of a cancel's target: it can't take them back. */
export async function liveRows(
  ledger: ReadingLedger,
  run: RunInfo,
  { keys, channel }: Pick<CancelTarget, 'keys' | 'channel'>,
): Promise<LiveRows> {
  const shown: ResultRecord[] = [];
  let total = 0;
  for await (const row of ledger.results(run, { states: OUT })) {
    if ((keys !== undefined && !keys.includes(row.key)) || (channel !== undefined && row.channel !== channel)) continue;
    total += 1;
    if (shown.length < LIVE_SHOWN) shown.push(row);
  }
  return { total, shown };
}

const OUT: readonly RowState[] = ['published', 'submitted', 'overdue', 'processing'];
const LIVE_SHOWN = 10;

/** A heading, and a line for each row. */
export function liveLines({ total, shown }: LiveRows): string[] {
  if (total === 0) return [];
  const lines = shown.map(({ line, key, title, state, video_url: url }) => {
    const name = title === null ? `key ${key}` : `${key} “${title}”`;
    return safeText(`  row ${String(line)}, ${name}: ${state}${url === null ? '' : ` ${url}`}`);
  });
  return [
    `${plural(total, 'row')} accepted by the service or live already; that can’t be undone from here:`,
    ...lines,
    ...(total > shown.length ? [`  … and ${plural(total - shown.length, 'more row')}`] : []),
  ];
}

/** The question before a cancel: what it will do, and what it can't undo. */
export function cancelQuestion(
  what: string,
  { unsent, uploads, sending, live }: CancelPreview & { live: number },
  { keys, channelId }: Pick<CancelTarget, 'keys' | 'channelId'> = {},
): string {
  const cut = `${plural(uploads, 'upload')}${uploads === 1 ? ' that is' : ' that are'} under way`;
  const parts =
    unsent > 0
      ? [
          `Cancel ${plural(unsent, 'row')} of ${what}${uploads > 0 ? `, and stop ${cut}` : ''}?`,
          keys !== undefined
            ? 'The other rows are still sent.'
            : channelId !== undefined
              ? 'The rows of other channels are still sent.'
              : 'Nothing more is sent.',
        ]
      : uploads > 0
        ? [`Stop ${cut} in ${what}?`, 'No other row waits to be sent.']
        : [`Cancel ${what}?`, 'No row of it waits to be sent.'];
  if (uploads > 0) parts.push('reelay checks whether the service accepted an interrupted upload.');
  if (sending > 0) parts.push(`${plural(sending, 'create')} under way: followed to the end.`);
  if (live > 0) parts.push(`${plural(live, 'row')} accepted by the service or live already: that can’t be undone.`);
  return parts.join(' ');
}

/**
 * Wakes the run so that it sees the gate now. Returns false, with a warning unless nothing was `changed`, if Temporal
 * can't be reached: the gate applies anyway.
 */
export async function wakeRun(
  settings: Settings,
  run: RunInfo,
  output: Output,
  { cancelled = false, changed = true } = {},
): Promise<boolean> {
  try {
    const temporal = await connect(await locateTemporal(settings));
    try {
      const { cancelCampaign, wakeCampaign } = await import('../../../temporal/campaigns.js');
      await (cancelled ? cancelCampaign : wakeCampaign)(temporal.client, run);
      return true;
    } finally {
      await temporal.close();
    }
  } catch (error) {
    if (changed)
      output.warn(`the change is saved in the ledger, but the run could not be notified: ${(error as Error).message}`);
    return false;
  }
}
