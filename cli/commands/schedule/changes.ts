import { shownPlace } from '../../../activities/schedules/manifest-place';
import { timingText } from '../../../manifests/settings/schedule-timing';
import { showDuration } from '../../../wording/times';
import { type ScheduledInput } from './remote';

export interface ScheduleChange {
  what: string;
  before: string;
  after: string;
}

/** What an update changes, for people and programs. */
export function describeChanges(before: ScheduledInput, after: ScheduledInput): ScheduleChange[] {
  const old = traits(before);
  return Object.entries(traits(after)).flatMap(([what, value]) =>
    old[what] === value ? [] : [{ what, before: old[what] ?? '', after: value }],
  );
}

export function traits({ definition, timing }: ScheduledInput): Record<string, string> {
  const { manifest, read, zone, take, vanished, overlap, lateMs, pauseAfter, account } = definition;
  return {
    when: timingText(timing),
    timezone: zone,
    manifest: shownPlace(manifest),
    take: take === null ? 'as the manifest says' : String(take),
    overlap,
    'catch-up': showDuration(lateMs),
    'pause after': pauseAfter === 0 ? 'never' : `${String(pauseAfter)} bad firings`,
    'missing rows': vanished ?? 'kept for templates and folders, else refused',
    account,
    'read with': readText(read),
  };
}

/** Settings besides the manifest, sorted, so that equal settings compare as equal. */
function readText(read: object): string {
  // The zone is shown separately.
  return JSON.stringify(sorted({ ...read, timezone: undefined }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
