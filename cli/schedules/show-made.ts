import { type ScheduleContext } from './context';
import { type ScheduleChange, traits } from './changes';
import { type MadeSchedule } from './make';
import { zonedText } from './times';

/** Shows a schedule that was made, updated, or only looked at: its settings, the next firings, the warnings. */
export async function showMade(
  { output, settings }: ScheduleContext,
  shown: MadeSchedule & { changes: readonly ScheduleChange[]; did: 'created' | 'updated'; dry: boolean },
): Promise<void> {
  const { input, view, warnings, changes, did, dry } = shown;
  const { schedule, zone } = input.definition;
  const next = view.next.map((utc) => ({ local: zonedText(utc, zone), utc }));
  if (!output.isText) {
    await output.json({
      version: 1,
      schedule,
      did: dry ? 'nothing' : did === 'updated' && changes.length === 0 ? 'nothing' : did,
      settings: settingsOf(input),
      changes,
      next,
      warnings,
    });
    return;
  }
  for (const { what, before, after } of changes) output.note(`  ${what}: ${before} → ${after}`);
  if (did === 'created') {
    for (const [what, value] of Object.entries(settingsOf(input))) output.note(`  ${what.padEnd(12)} ${value}`);
  }
  for (const warning of warnings) output.warn(warning);
  await output.table(next, [
    { title: `NEXT (${zone})`, value: (one) => one.local },
    { title: 'UTC', value: (one) => one.utc.replace('.000Z', 'Z') },
  ]);
  const sandbox = settings.sandbox ? 'SANDBOX ' : '';
  if (dry) output.note(`${sandbox}Nothing was made: this is what it would be.`);
  else if (did === 'updated' && changes.length === 0) output.note(`${sandbox}Schedule ${schedule}: nothing to change.`);
  else output.note(`${sandbox}Schedule ${output.paint('bold', schedule)} ${did}. Nothing was published by this.`);
}

/** As people read them; without the settings of the reading, which are many. */
export function settingsOf(input: MadeSchedule['input']): Record<string, string> {
  return Object.fromEntries(Object.entries(traits(input)).filter(([what]) => what !== 'read with'));
}
