import { type Plan, type SubmissionInput } from '../../../ledger/model/submission-types';
import { type Entry } from '../../../ledger/model/types';
import { type PlannedItem } from '../../../report/plan/planned';
import { type Settings } from '../../config/settings';
import { type ManifestTexts, type ShownProblem } from '../../errors/errors';
import { type Output } from '../../terminal/output';

/**
 * A plan as a page or as an iCalendar on standard output. A plan that is refused has neither: its problems are on
 * standard error.
 */
export async function showPlanPage(shown: {
  output: Output;
  settings: Settings;
  campaign: string;
  texts: ManifestTexts;
  problems: readonly ShownProblem[];
  planned: Plan | null;
  input: SubmissionInput | null;
  ok: boolean;
}): Promise<void> {
  const { output, settings, campaign, texts, problems, planned, input, ok } = shown;
  const { problemLines } = await import('../../terminal/texts/problems-text.js');
  for (const line of problemLines(problems, output, texts)) output.note(line);
  if (!ok || planned === null || input === null) {
    output.note('A submit would refuse this manifest; nothing would be sent.');
    return;
  }
  const now = Date.now();
  const items = await plannedItems(planned, input, now);
  if (output.format === 'ics') {
    const { icsCalendar } = await import('../../../report/plan/ics.js');
    await output.data(icsCalendar(campaign, items, now));
    return;
  }
  const { planPage } = await import('../../../report/plan/plan-page.js');
  const clock = { zone: output.zone, now };
  await output.data(
    planPage({ campaign, sandbox: settings.sandbox, channels: planned.channels, items, clock, problems }),
  );
}

/** Each row with the time that its pace gives it; what is sent at once is shown as sent now. */
async function plannedItems(planned: Plan, input: SubmissionInput, now: number): Promise<PlannedItem[]> {
  const entries = new Map<number, Entry>();
  for await (const entry of input.entries) entries.set(entry.position, entry);
  const corrected = new Map(planned.rows.map(({ position, values }) => [position, values]));
  const items = planned.channels.flatMap(({ label, times }) =>
    times.flatMap(({ position, at }) => {
      const entry = entries.get(position);
      if (entry === undefined || at === Infinity) return [];
      const { key, line, values } = entry;
      return [{ at: at ?? now, title: (corrected.get(position) ?? values).title ?? key, channel: label, key, line }];
    }),
  );
  return items.sort((a, b) => a.at - b.at || a.line - b.line);
}
