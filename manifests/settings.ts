import { parseDateFormat } from './date-format';
import { parseDuration } from './duration';
import { isTimeZone } from './local-time';
import { type Place, type ProblemList } from './problems';
import { SETTINGS, type SettingName } from './schema';
import { showValue } from './text';
import { type ManifestSettings, type ReadOptions } from './types';

/** What a manifest's top says, checked; absent where it says nothing. */
export interface OwnSettings extends Partial<ManifestSettings> {
  campaign?: string;
}

const DEFAULT_SETTINGS = { late: 'hold', giveUpAfterMs: 86_400_000, ambiguous: 'reconcile', repeat: 'refuse' } as const;

/** Checks one setting's value and puts it into `settings`; what is wrong goes to `problems`. */
export function takeSetting(input: {
  name: SettingName;
  value: unknown;
  at: Place;
  settings: OwnSettings;
  problems: ProblemList;
}): void {
  const { name, value, at, settings, problems } = input;
  const checked = SETTINGS[name].safeParse(value);
  if (!checked.success) {
    const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? String(value));
    const reason = checked.error.issues[0]?.message ?? 'isn’t usable';
    const code = name === 'campaign' ? 'campaign-name' : 'bad-setting';
    problems.add({ code, at, value: text, message: `${name} ${reason}, not “${showValue(text)}”.` });
    return;
  }
  if (name === 'version') return;
  if (name === 'give_up_after') {
    const ms = typeof checked.data === 'string' ? parseDuration(checked.data) : undefined;
    if (ms !== undefined) settings.giveUpAfterMs = ms;
  } else if (name === 'date_format' && typeof checked.data === 'string') settings.dateFormat = checked.data;
  else Object.assign(settings, { [name]: checked.data });
}

/** Settings in force: override > manifest > fallback > default. */
export function mergeSettings(own: OwnSettings, options: ReadOptions, problems: ProblemList): ManifestSettings {
  const manifest: Partial<ManifestSettings> & { campaign?: string } = { ...own };
  delete manifest.campaign;
  const merged: ManifestSettings = {
    ...DEFAULT_SETTINGS,
    ...given(options.fallbackSettings),
    ...given(manifest),
    ...given(options.settings),
    ...given({ timezone: options.timezone }),
  };
  const columns = { ...options.fallbackSettings?.columns, ...manifest.columns, ...options.settings?.columns };
  if (Object.keys(columns).length > 0) merged.columns = columns;
  if (merged.timezone !== undefined && !isTimeZone(merged.timezone)) {
    const message = `timezone must be a zone such as Europe/Berlin, or an offset such as +02:00, not “${showValue(merged.timezone)}”.`;
    if (manifest.timezone !== merged.timezone) {
      problems.add({ code: 'bad-setting', at: { line: null, column: 'timezone' }, value: merged.timezone, message });
    }
    delete merged.timezone;
  }
  if (merged.dateFormat !== undefined && parseDateFormat(merged.dateFormat) === undefined) {
    const message = `date_format must have day, month and year, such as DD/MM/YYYY or MM/DD/YYYY h:mm A, not “${showValue(merged.dateFormat)}”.`;
    const at = { line: null, column: 'date_format' };
    problems.add({ code: 'bad-setting', at, value: merged.dateFormat, message });
    delete merged.dateFormat;
  }
  return merged;
}

// An option passed on as undefined must not hide what lies below it.
function given<T extends object>(values: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
