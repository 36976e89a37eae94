import { shownPlace } from '../../../../activities/schedules/manifest-place';
import { type ScheduleSetting } from '../../../../manifests/settings/schedule-setting';
import { type CommandContext } from '../../../command';
import { UsageError } from '../../../errors/errors';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { sourceName, type ManifestSource } from '../../../submission/manifest-flags';
import { type Settings } from '../../../config/settings';
import { type SubmitFlags } from '../../../submission/submit-flags';
import { type ScheduleContext, withSchedules } from '../context';
import { demandName, placeOf, readForSchedule, storedReadOptions } from './definition';
import { build, put } from '../make';
import { findRemote, readRemote } from '../remote';

type Flags = SubmitFlags & { watch?: boolean; timeout?: string; singleHost?: boolean };

/** What a manifest with a schedule is used for: its schedule, or its rows, this once. */
export async function scheduleOf(source: ManifestSource, flags: SubmitFlags): Promise<ScheduleSetting | null> {
  const { findSchedule } = await import('../../../../manifests/find-schedule.js');
  const setting = await findSchedule(source);
  if (flags.once === true && setting === null) {
    throw new UsageError(`--once: ${sourceName(source)} has no schedule`, 'Leave --once out.');
  }
  return flags.once === true ? null : setting;
}

/** @throws UsageError: `run` lasts until the rows have ended, and a schedule's never end */
export async function refuseSchedule(source: ManifestSource, flags: SubmitFlags): Promise<void> {
  if ((await scheduleOf(source, flags)) === null) return;
  const name = sourceName(source);
  throw new UsageError(
    `${name} has a schedule: its rows are published by firings, not by \`run\``,
    `\`reelay submit ${name}\` creates or updates the schedule; \`reelay run ${name} --once\` publishes now what a firing would.`,
  );
}

const PUBLISHING = ['limit', 'key', 'watch', 'timeout', 'skipInvalid', 'forceOld', 'rekey', 'recreate'] as const;

/** `submit` of a manifest with a schedule: creates or updates the schedule. Publishes nothing. */
export async function submitSchedule(
  { output }: Pick<CommandContext, 'output'>,
  input: { source: ManifestSource; flags: Flags; settings: Settings },
): Promise<ExitCode> {
  const { source, flags, settings } = input;
  const place = 'path' in source ? source.path : source.url;
  if (place === undefined) {
    throw new UsageError(
      'a schedule reads its manifest again at each firing; standard input can’t be read again',
      'Give the file itself, or add --once to publish it now.',
    );
  }
  const misplaced = PUBLISHING.find((flag) => flags[flag] !== undefined);
  if (misplaced !== undefined) {
    const flag = misplaced.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(
      `--${flag} sets how rows are published, but submitting a manifest with a schedule publishes none`,
      'Leave it out, or add --once to publish now.',
    );
  }
  const kept: Omit<Flags, 'limit'> = flags;
  await withSchedules({ output, settings, flags: kept }, async (context) => {
    await bringToManifest(context, place);
    const [{ countPollers }, { noWorkerText }] = await Promise.all([
      import('../../../../temporal/campaigns.js'),
      import('../../../summary/resume-commands.js'),
    ]);
    if ((await countPollers(context.temporal.client, context.ledger.id)) === 0) {
      output.warn(noWorkerText(settings.sandbox, 'fires'));
    }
  });
  return EXIT.ok;
}

async function bringToManifest(context: ScheduleContext, path: string): Promise<void> {
  const { temporal, ledger } = context;
  const place = placeOf(path);
  const read = await storedReadOptions(context.flags, context.settings);
  const reading = await readForSchedule(place, read, context.settings);
  const name = demandName(reading.settings.schedule?.name ?? reading.campaign);
  const found = await findRemote(temporal.client, name);
  const before = found === null ? null : await readRemote(temporal.client, ledger, name);
  const other = before?.input.definition.manifest;
  if (other !== undefined && shownPlace(other) !== shownPlace(place)) {
    throw new UsageError(
      `the schedule “${name}” reads another manifest: ${shownPlace(other)}`,
      `Give this one another name (schedule: {name: …}); or, if the file moved: reelay schedule update ${name} ${path}`,
    );
  }
  const made = await build(context, { name, place, read, reading, timing: null, before: null });
  await put(context, made, before);
}
