import { existsSync } from 'node:fs';
import { localTime } from '../../../wording/times';
import { timeTitle } from '../../terminal/table';
import { type ScheduleContext } from './context';
import { type ScheduleChange, traits } from './changes';
import { type ScheduledInput } from './remote';
import { type ServerView } from './definition/preview';

/** Shows a schedule that was created, updated, or only previewed: its settings, the next firings, the warnings. */
export async function showMade(
  { output, settings }: ScheduleContext,
  shown: MadeSchedule & {
    changes: readonly ScheduleChange[];
    did: 'created' | 'updated';
    dry: boolean;
    paused: boolean;
  },
): Promise<void> {
  const { input, view, manifestTake, warnings, changes, did, dry, paused } = shown;
  const { schedule, zone } = input.definition;
  output.zone = zone;
  const next = view.next.map((utc) => shownTime(utc, zone));
  if (!output.isText) {
    await output.json({
      version: 1,
      schedule,
      did: dry ? 'nothing' : did === 'updated' && changes.length === 0 ? 'nothing' : did,
      settings: settingsOf(input, manifestTake),
      paused,
      changes,
      next,
      warnings,
    });
    return;
  }
  for (const { what, before, after } of changes) output.note(`  ${what}: ${before} → ${after}`);
  if (did === 'created') {
    for (const [what, value] of Object.entries(settingsOf(input, manifestTake)))
      output.note(`  ${what.padEnd(12)} ${value}`);
  }
  for (const warning of warnings) output.warn(warning);
  await output.table(next, [
    { title: timeTitle(output, 'NEXT'), value: ({ utc }) => output.cell(utc) },
    // On a terminal, the times of its own zone are enough.
    { title: 'UTC', value: ({ utc }) => utc.replace('.000Z', 'Z'), from: Infinity },
  ]);
  const sandbox = settings.sandbox ? 'SANDBOX ' : '';
  if (paused) output.note('It is paused: those times are skipped until it is unpaused.');
  if (dry) output.note(`${sandbox}Nothing was created: this is a preview.`);
  else if (did === 'updated' && changes.length === 0) output.note(`${sandbox}Schedule ${schedule}: nothing to change.`);
  else output.note(`${sandbox}Schedule ${output.paint('bold', schedule)} ${did}. Nothing was published by this.`);
}

/** A time of a schedule in JSON: in the schedule's zone, and in UTC. */
export function shownTime(utc: string, zone: string): { local: string; utc: string } {
  return { local: localTime(utc, { zone, now: Date.now() }), utc };
}

/** As text for people, without the many settings for reading the manifest. `manifestTake` is null if it isn't known. */
export function settingsOf(
  input: MadeSchedule['input'],
  manifestTake: MadeSchedule['manifestTake'] | null,
): Record<string, string> {
  const shown = Object.fromEntries(Object.entries(traits(input)).filter(([what]) => what !== 'read with'));
  if (input.definition.take === null && manifestTake !== null) {
    shown.take = `${manifestTake === 'all' ? 'all' : String(manifestTake)} (as the manifest says)`;
  }
  return shown;
}

/** The manifest's current setting; null if it can't be read without a request to a server. */
export async function takeNow({ definition }: MadeSchedule['input']): Promise<MadeSchedule['manifestTake'] | null> {
  const { manifest, read } = definition;
  if (definition.take !== null || manifest.kind !== 'path' || !existsSync(manifest.path)) return null;
  const { findSettings } = await import('../../../manifests/find-schedule.js');
  // Checking the bytes is cheaper than reading all rows.
  const own = await findSettings({ path: manifest.path }, /^(?:[^\S\r\n\u2028\u2029]|[{,])*["']?take["']?\s*:/m);
  return read.settings?.take ?? own?.take ?? read.fallbackSettings?.take ?? 'all';
}

export interface MadeSchedule {
  input: ScheduledInput;
  view: ServerView;
  /** How many rows the manifest sets per firing, or all. */
  manifestTake: number | 'all';
  warnings: string[];
}
