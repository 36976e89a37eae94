import { type CampaignSettings } from '../../ledger/model/types';
import { durationText } from '../terminal/texts/durations';

/** The settings of pace layers that apply to every channel, the strongest last. */
export function mergedRules(layers: NonNullable<CampaignSettings['pace']>): Rules {
  const merged: Rules = {};
  for (const layer of layers) Object.assign(merged, layer);
  return merged;
}

type Rules = Partial<NonNullable<CampaignSettings['pace']>[number]>;

/** Rules as flags with their values, if there are flags for them. */
export function ruleFlagPairs({
  concurrency,
  minGapMs,
  maxPer,
  createsPerSecond,
  createsPerMinute,
  parkAfter,
  tolerate,
  canary,
}: Rules): string[][] {
  const number = (flag: string, value: number | undefined): string[][] =>
    value === undefined ? [] : [[flag, String(value)]];
  return [
    ...number('--concurrency', concurrency),
    ...(minGapMs === undefined ? [] : [['--min-gap', durationText(minGapMs)]]),
    ...(maxPer ?? []).map(({ count, windowMs, zone }) => [
      '--max-per',
      `${String(count)} per ${zone === undefined ? durationText(windowMs) : 'day'}`,
    ]),
    ...number('--creates-per-second', createsPerSecond),
    ...number('--creates-per-minute', createsPerMinute),
    ...number('--park-after', parkAfter),
    ...(tolerate === undefined
      ? []
      : [
          [
            '--tolerate',
            'rows' in tolerate ? String(tolerate.rows) : `${String(Number((tolerate.share * 100).toFixed(4)))}%`,
          ],
        ]),
    ...number('--canary', canary?.rows),
  ];
}
