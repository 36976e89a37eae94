import { type RunningLedger } from '../../ledger/interfaces/running';
import { type SubmissionInput } from '../../ledger/model/submission-types';
import { type CampaignSettings } from '../../ledger/model/types';
import { mergedRules, ruleFlagPairs } from './pace-flags';

/**
 * What is said where a submission goes on with an open run without the pace that the run has by now: the newest manifest
 * and its flags count for all of the rows. Null where all of it is asked for still, if with other values.
 */
export async function droppedPaceText(ledger: RunningLedger, submission: SubmissionInput): Promise<string | null> {
  const run = await ledger.newestRun(submission.campaign);
  if (run === null || !run.open) return null;
  const dropped = droppedPace(run.settings, submission.snapshot.settings);
  if (dropped.length === 0) return null;
  const id = `${run.campaign}.${String(run.number)}`;
  return `${id} had ${dropped.join(', ')}, which this command doesn’t ask for: the rows still to be sent go without it. Give it again to keep it.`;
}

/** `--min-gap 20s` and the like; rules for single channels are no flags. */
function droppedPace(before: CampaignSettings | null, now: CampaignSettings): string[] {
  if (before === null) return [];
  const asked = mergedRules(now.pace ?? []);
  const gone = Object.entries(mergedRules(before.pace ?? [])).filter(([name]) => !(name in asked));
  return ruleFlagPairs(Object.fromEntries(gone)).map((words) => words.join(' '));
}
