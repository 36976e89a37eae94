import { type Ledger } from '../../ledger/ledger';
import { type CampaignSettings, type Counts, type RunInfo } from '../../ledger/model/types';
import { durationText } from '../terminal/durations';
import { type ManifestFlags } from './manifest-flags';
import { type Settings } from '../config/settings';

/** Flags that a sheet of rows to mend needs as its campaign had them; how the first file was encoded says nothing of it. */
const CARRIED = [
  ['account', '--account'],
  ['timezone', '--timezone'],
  ['dateFormat', '--date-format'],
  ['column', '--column'],
  ['past', '--past'],
  ['late', '--late'],
  ['giveUpAfter', '--give-up-after'],
  ['ambiguous', '--ambiguous'],
  ['repeat', '--repeat'],
  ['missing', '--missing'],
  ['concurrency', '--concurrency'],
  ['minGap', '--min-gap'],
  ['maxPer', '--max-per'],
  ['hours', '--hours'],
  ['createsPerMinute', '--creates-per-minute'],
  ['parkAfter', '--park-after'],
  ['tolerate', '--tolerate'],
  ['canary', '--canary'],
] as const satisfies readonly (readonly [keyof ManifestFlags, string])[];

/** Of a command's own flags those that its mended rows need too, as words of a command line. */
export function carriedFlags(flags: ManifestFlags & { config?: string; baseUrl?: string }): string[] {
  const words = CARRIED.flatMap(([name, flag]) => [flags[name] ?? []].flat().flatMap((value) => pair(flag, value)));
  const { config, baseUrl } = flags;
  return [
    ...words,
    ...(config === undefined ? [] : pair('--config', config)),
    ...(baseUrl === undefined ? [] : pair('--base-url', baseUrl)),
  ];
}

/**
 * What a run of mended rows is to be given: the flags of the run's own command (`own`), or where that isn't known what
 * the ledger has of them; and `--keep` where rows are still to be sent that the sheet of mended ones lacks.
 */
export function mendFlags(input: {
  settings: Settings;
  run: RunInfo;
  counts: Counts;
  own?: readonly string[];
}): string[] {
  const { settings, run, counts, own } = input;
  const left = (counts.planned ?? 0) + (counts.waiting ?? 0);
  return [...(own ?? settingFlags(settings, run.settings)), ...(left > 0 ? ['--keep'] : [])];
}

export async function mendFlagsOf(settings: Settings, ledger: Ledger, run: RunInfo): Promise<string[]> {
  return mendFlags({ settings, run, counts: await ledger.counts(run) });
}

/** A run's settings as flags, as far as the config doesn't say the same and flags can say it (not for single channels). */
function settingFlags({ campaign }: Settings, own: CampaignSettings | null): string[] {
  if (own === null) return [];
  const usual = { late: 'publish', ambiguous: 'reconcile', repeat: 'refuse' } as const;
  const words = (['late', 'ambiguous', 'repeat'] as const).flatMap((name) =>
    own[name] === (campaign[name] ?? usual[name]) ? [] : pair(`--${name}`, own[name]),
  );
  const { pace = [] } = own;
  const configured = JSON.stringify(campaign.pace ?? []);
  const isConfigured = configured !== '[]' && JSON.stringify(pace.slice(0, campaign.pace?.length)) === configured;
  return [...words, ...ruleFlags(mergedRules(isConfigured ? pace.slice(campaign.pace?.length) : pace))];
}

/** What layers of pace say for every channel, the strongest last. */
export function mergedRules(layers: NonNullable<CampaignSettings['pace']>): Rules {
  const merged: Rules = {};
  for (const layer of layers) Object.assign(merged, layer);
  return merged;
}

type Rules = Partial<NonNullable<CampaignSettings['pace']>[number]>;

/** Rules as words of a command line, as far as there are flags for them. */
export function ruleFlags(rules: Rules): string[] {
  return ruleFlagPairs(rules).flat();
}

/** The same, each flag with its value. */
export function ruleFlagPairs({
  concurrency,
  minGapMs,
  maxPer,
  createsPerMinute,
  parkAfter,
  tolerate,
  canary,
}: Rules): string[][] {
  const number = (flag: string, value: number | undefined): string[][] =>
    value === undefined ? [] : [pair(flag, String(value))];
  return [
    ...number('--concurrency', concurrency),
    ...(minGapMs === undefined ? [] : [pair('--min-gap', durationText(minGapMs))]),
    ...(maxPer ?? []).map(({ count, windowMs }) => pair('--max-per', `${String(count)} per ${durationText(windowMs)}`)),
    ...number('--creates-per-minute', createsPerMinute),
    ...number('--park-after', parkAfter),
    ...(tolerate === undefined
      ? []
      : [
          pair(
            '--tolerate',
            'rows' in tolerate ? String(tolerate.rows) : `${String(Number((tolerate.share * 100).toFixed(4)))}%`,
          ),
        ]),
    ...number('--canary', canary?.rows),
  ];
}

/** One that begins with a dash would be taken for another flag. */
function pair(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}
