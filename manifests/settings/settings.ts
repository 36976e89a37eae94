import { parseDateFormat } from '../times/date-format';
import { parseDuration } from '../../wording/duration';
import { isTimeZone } from '../times/local-time';
import { fixedZone, zoneRule } from '../times/zone-hints';
import { parseMissing } from './missing-files';
import { type PaceSettings, readPace, readPaceValue, withZone } from './pace';
import { PaceValueError } from './pace-value-error';
import { type Place, type ProblemList } from '../problems/problems';
import { readScheduleSetting } from './schedule-setting';
import { SETTINGS, type SettingName } from './schema';
import { showValue } from '../text';
import { type ManifestSettings, type ReadOptions } from '../types';

/** The checked settings at a manifest's top; absent if it doesn't set them. */
export interface OwnSettings extends Partial<ManifestSettings> {
  campaign?: string;
}

const ZONE_HINT =
  'A zone that is named by a place follows its daylight-saving time; an offset stays the same all year.';

/** What holds where nothing else is said. */
export const DEFAULT_SETTINGS = {
  late: 'hold',
  giveUpAfterMs: 86_400_000,
  ambiguous: 'reconcile',
  repeat: 'refuse',
} as const;

/** Checks one setting's value and puts it into `settings`; mistakes go to `problems`. */
export function takeSetting(input: {
  name: SettingName;
  value: unknown;
  at: Place;
  settings: OwnSettings;
  problems: ProblemList;
}): void {
  const { name, value, at, settings, problems } = input;
  if (name === 'pace' || name === 'tolerate' || name === 'canary') {
    takePace({ ...input, name });
    return;
  }
  if (name === 'schedule') {
    const read = readScheduleSetting(value);
    if ('timing' in read) settings.schedule = read;
    else {
      const hint = read.hint === undefined ? {} : { hint: read.hint };
      problems.add({ code: 'bad-setting', at, value: JSON.stringify(value), message: `${read.fault}.`, ...hint });
    }
    return;
  }
  const checked = SETTINGS[name].safeParse(value);
  if (!checked.success && name === 'notify') {
    // The address may be a secret: it isn’t repeated.
    const message = `notify ${checked.error.issues[0]?.message ?? 'isn’t usable'}.`;
    problems.add({ code: 'bad-setting', at, message });
    return;
  }
  if (!checked.success) {
    const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? String(value));
    const reason = checked.error.issues[0]?.message ?? 'isn’t usable';
    const code = name === 'campaign' ? 'campaign-name' : 'bad-setting';
    const hint = name === 'timezone' ? { hint: ZONE_HINT } : {};
    problems.add({ code, at, value: text, message: `${name} ${reason}, not “${showValue(text)}”.`, ...hint });
    return;
  }
  if (name === 'version') return;
  if (name === 'give_up_after') {
    const ms = typeof checked.data === 'string' ? parseDuration(checked.data) : undefined;
    if (ms !== undefined) settings.giveUpAfterMs = ms;
  } else if (name === 'missing') {
    const missing = typeof checked.data === 'string' ? parseMissing(checked.data) : undefined;
    if (missing !== undefined) settings.missing = missing;
  } else if (name === 'date_format' && typeof checked.data === 'string') settings.dateFormat = checked.data;
  else Object.assign(settings, { [name]: checked.data });
}

/** Pace is read by its own rules: one text contains several numbers. */
function takePace(input: {
  name: 'pace' | 'tolerate' | 'canary';
  value: unknown;
  at: Place;
  settings: OwnSettings;
  problems: ProblemList;
}): void {
  const { name, value, at, settings, problems } = input;
  try {
    const read: PaceSettings = name === 'pace' ? readPace(value) : readPaceValue(name, value);
    settings.pace = [{ ...settings.pace?.[0], ...read }];
  } catch (error) {
    if (!(error instanceof PaceValueError)) throw error;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    problems.add({
      code: 'bad-setting',
      at,
      value: text,
      message: `${name}: ${error.message}, not “${showValue(text)}”.`,
    });
  }
}

/**
 * The settings of several sources, the weakest first. Columns of all of them are mapped. Of pace, every source keeps its
 * own layer: a weaker source may set what a stronger one leaves out.
 */
export function layerSettings(
  ...sources: readonly (Partial<ManifestSettings> | undefined)[]
): Partial<ManifestSettings> {
  const layered: Partial<ManifestSettings> = {};
  const columns: Record<string, string> = {};
  for (const source of sources) {
    Object.assign(layered, given(source));
    Object.assign(columns, source?.columns);
  }
  if (Object.keys(columns).length > 0) layered.columns = columns;
  const pace = sources.flatMap((source) => source?.pace ?? []);
  if (pace.length > 0) layered.pace = pace;
  return layered;
}

/** Settings in force: override > manifest > fallback > default. */
export function mergeSettings(own: OwnSettings, options: ReadOptions, problems: ProblemList): ManifestSettings {
  const manifest: Partial<ManifestSettings> & { campaign?: string } = { ...own };
  delete manifest.campaign;
  const { pace: layers = [], ...settings } = layerSettings(options.fallbackSettings, manifest, options.settings);
  const merged: ManifestSettings = { ...DEFAULT_SETTINGS, ...settings, ...given({ timezone: options.timezone }) };
  if (merged.timezone !== undefined && !isTimeZone(merged.timezone)) {
    const message = `timezone ${zoneRule(merged.timezone)}, not “${showValue(merged.timezone)}”.`;
    if (manifest.timezone !== merged.timezone) {
      problems.add({
        code: 'bad-setting',
        at: { line: null, column: 'timezone' },
        value: merged.timezone,
        message,
        hint: ZONE_HINT,
      });
    }
    // It is refused: that times and limits lack a zone would be no second mistake.
    merged.timezone = 'UTC';
  }
  const fixed = merged.timezone === undefined ? null : fixedZone(merged.timezone);
  if (fixed !== null) {
    const at = { line: null, column: 'timezone' };
    problems.add({ code: 'zone-fixed', at, value: merged.timezone ?? null, ...fixed });
  }
  const pace = layers.flatMap((layer) => withZone(layer, merged.timezone) ?? []);
  if (pace.length > 0) merged.pace = pace;
  if (pace.length < layers.length) {
    const message = 'pace: hours and limits per day need a timezone, in pace or for the whole manifest.';
    const hint = 'Add --timezone Europe/Berlin, for example, or timezone: in the YAML or the config.';
    problems.add({ code: 'bad-setting', at: { line: null, column: 'pace' }, message, hint });
  }
  if (merged.dateFormat !== undefined && parseDateFormat(merged.dateFormat) === undefined) {
    const message = `date_format must have day, month and year, such as DD/MM/YYYY or MM/DD/YYYY h:mm A, not “${showValue(merged.dateFormat)}”.`;
    const at = { line: null, column: 'date_format' };
    problems.add({ code: 'bad-setting', at, value: merged.dateFormat, message });
    delete merged.dateFormat;
  }
  return merged;
}

// An option passed as undefined must not hide lower levels.
function given<T extends object>(values: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
