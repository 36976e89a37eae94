import { type ManifestPlace, type ScheduleDefinition } from '../../../activities/schedules/contract';
import { type ManifestReading } from '../../../manifests/types';
import { type ScheduleTiming } from '../../../manifests/settings/schedule-timing';
import { demandConfigBeside } from '../../config/config-beside';
import { UsageError } from '../../errors/errors';
import { type ScheduleContext } from './context';
import {
  defaultsOf,
  demandZone,
  draftDefinition,
  placeOf,
  readForSchedule,
  storedReadOptions,
  timingFlags,
  withKeys,
  zoneOf,
} from './definition/definition';
import { describeChanges } from './changes';
import { createRemote, readRemote, type RemoteSchedule, type ScheduledInput, updateRemote } from './remote';
import { type MadeSchedule, showMade } from './show-made';

/** `schedule create NAME MANIFEST`: checks, previews, and creates it. */
export async function createSchedule(
  context: ScheduleContext,
  name: string,
  manifest: string | undefined,
): Promise<void> {
  if (manifest === undefined)
    throw new UsageError(
      'the manifest is missing',
      'For example `reelay schedule create weekly show.yaml --cron "0 9 * * 1"`.',
    );
  demandZone(context.flags.timezone);
  const place = placeOf(manifest);
  if (place.kind === 'path') await demandConfigBeside(place.path, context.settings);
  const read = await storedReadOptions(context.flags, context.settings);
  const reading = await readForSchedule(place, read, context.settings);
  const made = await build(context, { name, place, read, reading, timing: timingFlags(context.flags), before: null });
  await put(context, made, null);
}

/** `schedule update NAME [MANIFEST]`: changes only what is given; the configuration is read again. */
export async function updateSchedule(
  context: ScheduleContext,
  name: string,
  manifest: string | undefined,
): Promise<void> {
  demandZone(context.flags.timezone);
  const before = await readRemote(context.temporal.client, context.ledger, name);
  const { definition } = before.input;
  const place = manifest === undefined ? definition.manifest : placeOf(manifest);
  if (place.kind === 'path') await demandConfigBeside(place.path, context.settings);
  const fresh = await storedReadOptions(context.flags, context.settings);
  const read = { ...definition.read, ...fresh, settings: { ...definition.read.settings, ...fresh.settings } };
  const timing = timingFlags(context.flags) ?? before.input.timing;
  const reading = await readForSchedule(place, read, context.settings);
  const made = await build(context, { name, place, read, reading, timing, before: definition });
  await put(context, made, before);
}

/**
 * The resulting schedule, with the server's computed times: from the flags, over the previous settings, or over those
 * of the manifest itself.
 */
export async function build(
  context: ScheduleContext,
  given: {
    name: string;
    place: ManifestPlace;
    read: ScheduleDefinition['read'];
    reading: ManifestReading;
    timing: ScheduleTiming | null;
    before: ScheduleDefinition | null;
  },
): Promise<MadeSchedule> {
  const { flags, settings, ledger, temporal } = context;
  const { name, place, read, reading, before } = given;
  const own = before === null ? reading.settings.schedule : undefined;
  const [{ specOf }, { previewSpec }, { timingWarnings }, { keysOf }, { parseTiming, isTimingFault }] =
    await Promise.all([
      import('./definition/spec.js'),
      import('./definition/preview.js'),
      import('./definition/warnings.js'),
      import('../../../activities/schedules/firing-key.js'),
      import('../../../manifests/settings/schedule-timing.js'),
    ]);
  const when = given.timing ?? own?.timing ?? {};
  const parsed = parseTiming(when);
  if (isTimingFault(parsed)) throw new UsageError(`the schedule “${name}”: ${parsed.message}`, parsed.hint);
  const zone = zoneOf({
    timing: when,
    flag: flags.timezone ?? own?.timezone,
    manifest: reading.settings.timezone,
    before: before?.zone ?? null,
  });
  const now = Date.now();
  const base = before ?? defaultsOf(own);
  const draft = draftDefinition({ name, place, read, zone, account: settings.account, flags, base, now });
  const view = await previewSpec(temporal.client, specOf(when, zone));
  const keyed = keysOf(view.calendars, parsed.kind === 'every' ? 1 : 0);
  const warnings = timingWarnings({ parsed, view, zone, keyed, now });
  if (reading.settings.repeat === 'every-run') {
    const { repeatedKeys } = await import('./definition/repeated-keys.js');
    const { privateHosts } = settings;
    const repeated = await repeatedKeys({ place, read, firings: view.next, zone, privateHosts });
    if (repeated !== null) warnings.push(repeated);
  }
  const inManifest = reading.settings.schedule !== undefined;
  const definition = withKeys(draft, keyed);
  const manifestTake = reading.settings.take ?? 'all';
  return { input: { definition, ledgerId: ledger.id, timing: when, inManifest }, view, manifestTake, warnings };
}

/** Creates or updates it, unless it is a dry run, and shows the result. */
export async function put(context: ScheduleContext, made: MadeSchedule, before: RemoteSchedule | null): Promise<void> {
  const { temporal, ledger, flags, by } = context;
  const dry = flags.dryRun ?? false;
  const changes = before === null ? [] : describeChanges(before.input, made.input);
  const { born } = before?.input.definition ?? { born: new Date().toISOString() };
  if (born !== undefined) made.input.definition.born = born;
  if (before !== null) {
    // If nothing changed, recording continues without a gap.
    if (sameTimes(before.input, made.input)) made.input.definition.since = before.input.definition.since;
  } else if (!dry) {
    await createRemote(temporal.client, ledger, made.input, { paused: flags.paused ?? false, by });
  }
  const same = changes.length === 0 && before?.input.inManifest === made.input.inManifest;
  if (before !== null && !dry && !same) {
    const { noteGaps } = await import('../../../activities/schedules/open-firing.js');
    const { definition } = before.input;
    if (definition.overlap !== 'wait')
      await noteGaps({ ledger, schedules: context.server }, definition, Date.now() - definition.lateMs);
    await updateRemote(temporal.client, made.input, before.revision);
  }
  const paused = before === null ? (flags.paused ?? false) : before.description.state.paused;
  await showMade(context, { ...made, changes, did: before === null ? 'created' : 'updated', dry, paused });
}

function sameTimes(before: ScheduledInput, after: ScheduledInput): boolean {
  return (
    JSON.stringify(before.timing) === JSON.stringify(after.timing) && before.definition.zone === after.definition.zone
  );
}
