import { type OperatingLedger } from '../../../ledger/interfaces/operating';
import { type RunningLedger } from '../../../ledger/interfaces/running';
import { type ReadingLedger } from '../../../ledger/interfaces/reading';
import { type RunInfo } from '../../../ledger/model/types';
import { confirm } from '../../terminal/ask';
import { type RetryChoice } from './retry';
import { UsageError } from '../../errors/errors';
import { findChannel } from '../../shared/find-channel';
import { type Output } from '../../terminal/output';
import { plural } from '../../terminal/safe-text';

export const RETRY_STATES = ['failed', 'rejected', 'overdue'] as const;
type RetryState = (typeof RETRY_STATES)[number];

/** `failed,overdue` as states. @throws UsageError */
export function retryStates(text: string): RetryState[] {
  const words = text
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  if (words.length === 0) throw new UsageError('--state names no state', `States: ${RETRY_STATES.join(', ')}.`);
  return words.map((word) => {
    const state = RETRY_STATES.find((one) => one === word);
    if (state) return state;
    const hint =
      word === 'unconfirmed'
        ? 'An unconfirmed row may already be live: settle it with `reelay resolve`.'
        : `States: ${RETRY_STATES.join(', ')}.`;
    throw new UsageError(`--state: “${word}” can’t be retried`, hint);
  });
}

/** What a retry is for, counted and confirmed; null if there is nothing to retry. @throws UsageError, ExitError */
export async function chooseRetry(input: {
  ledger: OperatingLedger & RunningLedger & ReadingLedger;
  run: RunInfo;
  states: RetryState[] | undefined;
  flags: { key?: string[]; channel?: string; yes?: boolean };
  output: Output;
}): Promise<RetryChoice | null> {
  const { ledger, run, states, flags, output } = input;
  const { key: keys, channel } = flags;
  if (keys !== undefined) await demandKeys(ledger, run, keys);
  const channelId = channel === undefined ? undefined : (await findChannel(ledger, run, channel)).id;
  const choice: RetryChoice = {
    run,
    ...(states === undefined ? {} : { states }),
    ...(keys === undefined ? {} : { keys }),
    ...(channelId === undefined ? {} : { channelId }),
  };
  const counts = await ledger.countRetry(choice);
  const late = await ledger.unfollowed(run.campaign);
  if ((counts.failed ?? 0) + (counts.rejected ?? 0) + (counts.overdue ?? 0) + late === 0) return null;
  const question = retryQuestion(run.campaign, { ...counts, late });
  await confirm({ output, yes: flags.yes ?? false, question });
  return choice;
}

/** The question before a retry: what happens to how many rows. `late`: rows whose answer came after their run's end. */
export function retryQuestion(
  campaign: string,
  rows: Readonly<Partial<Record<RetryState, number>>> & { late: number },
): string {
  const { failed = 0, rejected = 0, overdue = 0, late } = rows;
  const sent = [
    ...(rejected > 0 ? [`${String(rejected)} rejected`] : []),
    ...(failed > 0
      ? [
          `${String(failed)} failed, unless ${failed === 1 ? 'its publication has' : 'their publications have'} succeeded after all`,
        ]
      : []),
  ];
  const parts = [
    ...(sent.length > 0 ? [`send ${plural(failed + rejected, 'row')} again (${sent.join('; ')})`] : []),
    ...(overdue > 0
      ? [`read the ${overdue === 1 ? 'publication' : 'publications'} of ${plural(overdue, 'overdue row')} again`]
      : []),
    ...(late > 0 ? [`follow ${plural(late, 'row')} whose answer came late`] : []),
  ];
  return `Retry ${campaign}: ${parts.join('; ')}?`;
}

async function demandKeys(
  ledger: OperatingLedger & RunningLedger & ReadingLedger,
  run: RunInfo,
  keys: readonly string[],
): Promise<void> {
  const missing = new Set(keys);
  for await (const row of ledger.results(run)) missing.delete(row.key);
  if (missing.size === 0) return;
  const names = [...missing].map((key) => `“${key}”`).join(', ');
  throw new UsageError(
    `--key: ${run.campaign} has no row with the key ${names}`,
    `\`reelay results ${run.campaign}\` shows the keys.`,
  );
}
