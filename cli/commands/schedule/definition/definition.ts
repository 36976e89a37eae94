import { resolve } from 'node:path';
import {
  type FiringKeys,
  type ManifestPlace,
  type ScheduleDefinition,
} from '../../../../activities/schedules/contract';
import { isTimeZone } from '../../../../manifests/times/local-time';
import { zonesMeant } from '../../../../manifests/times/zone-hints';
import { SCHEDULE_NAME, type ScheduleSetting } from '../../../../manifests/settings/schedule-setting';
import { type ScheduleTiming } from '../../../../manifests/settings/schedule-timing';
import { type ManifestReading, type ReadOptions } from '../../../../manifests/types';
import { durationFlag } from '../../../terminal/texts/durations';
import { RefusedError, UsageError } from '../../../errors/errors';
import { problemsOf } from '../../../errors/explain-error';
import { readOptions } from '../../../submission/manifest-flags';
import { type Settings } from '../../../config/settings';
import { countFlag, type ScheduleFlags } from './flags';

/** A definition, without what only the server can compute from its times. */
export type DraftDefinition = Omit<ScheduleDefinition, 'keyed'>;

/** @throws UsageError */
export function demandName(name: string | undefined): string {
  if (name === undefined)
    throw new UsageError('the schedule’s name is missing', 'For example `reelay schedule show weekly`.');
  if (SCHEDULE_NAME.test(name)) return name;
  throw new UsageError(
    `“${name}” isn’t a valid name for a schedule`,
    'Use 1 to 100 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit.',
  );
}

export function placeOf(argument: string, cwd: string = process.cwd()): ManifestPlace {
  if (!/^https?:\/\//i.test(argument)) return { kind: 'path', path: resolve(cwd, argument) };
  if (!URL.canParse(argument)) throw new UsageError('the manifest’s URL can’t be read');
  return { kind: 'url', url: argument, base: cwd };
}

export function timingFlags({ cron, every, offset, at }: ScheduleFlags): ScheduleTiming | null {
  if (cron === undefined && every === undefined && at === undefined && offset === undefined) return null;
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every }),
    ...(offset === undefined ? {} : { offset }),
    ...(at === undefined ? {} : { at }),
  };
}

/** Reads the manifest as a firing would, without the service. @throws RefusedError if it has errors of its own */
export async function readForSchedule(
  place: ManifestPlace,
  read: ScheduleDefinition['read'],
  { privateHosts }: Pick<Settings, 'privateHosts'>,
): Promise<ManifestReading> {
  const [{ readManifest }, { loadPlace, shownPlace }] = await Promise.all([
    import('../../../../manifests/read-manifest.js'),
    import('../../../../activities/schedules/manifest-place.js'),
  ]);
  const reading = await readManifest(await loadPlace(place, privateHosts), { ...read, now: Date.now() });
  const deferredErrors = new Set(reading.rows.flatMap((row) => row.deferredErrors));
  // A past time or a missing file matters to the firing, not to the schedule.
  const errors = reading.problems.filter((problem) => problem.severity === 'error' && !deferredErrors.has(problem));
  if (errors.length === 0) return reading;
  throw new RefusedError(
    `${shownPlace(place)} has errors; no schedule was created`,
    problemsOf(errors) ?? [],
    'Fix the file and repeat the command.',
    reading,
  );
}

/** How the manifest is read, without the current time, which comes with each firing. */
export async function storedReadOptions(flags: ScheduleFlags, settings: Settings): Promise<ScheduleDefinition['read']> {
  const read: Partial<ReadOptions> & ScheduleDefinition['read'] = await readOptions(flags, settings);
  delete read.now;
  delete read.corrected;
  return read;
}

/** The settings that flags change individually. */
export type ScheduleBase = Pick<ScheduleDefinition, 'take' | 'vanished' | 'overlap' | 'lateMs' | 'pauseAfter'>;

const DEFAULT_LATE_MS = 3_600_000;
const DEFAULT_PAUSE_AFTER = 3;

/** The manifest's settings for its schedule, and the defaults for the rest. */
export function defaultsOf(own: ScheduleSetting | undefined): ScheduleBase {
  return {
    take: null,
    vanished: own?.rowsGone ?? null,
    overlap: own?.overlap ?? 'skip',
    lateMs: own?.catchUpMs ?? DEFAULT_LATE_MS,
    pauseAfter: own?.pauseAfter ?? DEFAULT_PAUSE_AFTER,
  };
}

/** The flags' settings, over the previous ones (or the defaults). */
export function draftDefinition(input: {
  name: string;
  place: ManifestPlace;
  read: ScheduleDefinition['read'];
  zone: string;
  account: string;
  flags: ScheduleFlags;
  base: ScheduleBase;
  now: number;
}): DraftDefinition {
  const { name, place, read, zone, account, flags, base, now } = input;
  const { take, overlap, catchUp, pauseAfter, prune, keep } = flags;
  return {
    schedule: name,
    manifest: place,
    read,
    account,
    zone,
    take: take === undefined ? base.take : countFlag('--take', take, 1),
    vanished: prune === true ? 'prune' : keep === true ? 'keep' : base.vanished,
    overlap: overlap ?? base.overlap,
    lateMs: catchUp === undefined ? base.lateMs : durationFlag('--catch-up', catchUp),
    pauseAfter: pauseAfter === undefined ? base.pauseAfter : countFlag('--pause-after', pauseAfter, 0),
    since: new Date(now).toISOString(),
  };
}

/** The zone of the times: from the flag, the manifest or the configuration. @throws UsageError if a calendar has none */
export function zoneOf(input: {
  timing: ScheduleTiming;
  flag: string | undefined;
  manifest: string | undefined;
  before: string | null;
}): string {
  const zone = input.flag ?? input.manifest ?? input.before ?? undefined;
  if (zone === undefined) {
    if (input.timing.every !== undefined) return 'UTC';
    throw new UsageError(
      'the schedule has no time zone: its times would depend on the machine',
      'Give --timezone, such as Europe/Berlin or UTC; or `timezone:` in the manifest or the config.',
    );
  }
  demandZone(zone);
  return zone;
}

/** @throws UsageError for anything other than a named zone */
export function demandZone(zone: string | undefined): void {
  if (zone === undefined) return;
  const named = `Use a named zone such as ${zonesMeant(zone)}, or UTC.`;
  if (!isTimeZone(zone)) throw new UsageError(`“${zone}” is not a time zone`, named);
  if (/^[+-]\d/.test(zone) || zone === 'Z') {
    throw new UsageError(`a schedule takes a named zone, not the offset ${zone}`, named);
  }
}

export function withKeys(draft: DraftDefinition, keyed: FiringKeys): ScheduleDefinition {
  return { ...draft, keyed };
}
