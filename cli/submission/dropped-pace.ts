import { type RunningLedger } from '../../ledger/interfaces/running';
import { type SubmissionInput } from '../../ledger/model/submission-types';
import { type CampaignSettings } from '../../ledger/model/types';
import { mergedRules, ruleFlagPairs } from './pace-flags';

/**
 * The warning when a submission joins an open run without the pace that the run has now: the newest manifest and its
 * flags apply to all of the rows. Null if every setting is still given, even with other values.
 */
export async function droppedPaceText(ledger: RunningLedger, submission: SubmissionInput): Promise<string | null> {
  const run = await ledger.newestRun(submission.campaign);
  if (run === null || !run.open) return null;
  const dropped = droppedPace(run.settings, submission.snapshot.settings);
  if (dropped.length === 0) return null;
  const id = `${run.campaign}.${String(run.number)}`;
  return `${id} had ${dropped.join(', ')}, which this command doesn’t set: unsent rows no longer follow it. Pass it again to keep it.`;
}

/** `--min-gap 20s` and so on; rules for single channels have no flags. */
function droppedPace(before: CampaignSettings | null, now: CampaignSettings): string[] {
  if (before === null) return [];
  const asked = mergedRules(now.pace ?? []);
  const gone = Object.entries(mergedRules(before.pace ?? [])).filter(([name]) => !(name in asked));
  return ruleFlagPairs(Object.fromEntries(gone)).map((words) => words.join(' '));
}
