import { carriedFlags, mendFlags, ruleFlags } from '../../../cli/shared/carried-flags';
import { loadSettings, type Settings } from '../../../cli/config/settings';
import { mendedCommand } from '../../../cli/shared/show-summary';
import { type RunInfo } from '../../../ledger/model/types';
import { readPaceValue } from '../../../manifests/settings/pace';

const USUAL = {
  late: 'publish',
  giveUpAfterMs: 86_400_000,
  ambiguous: 'reconcile',
  repeat: 'refuse',
  channelConcurrency: 4,
  accountConcurrency: 16,
} as const;
const run = (settings: object) => ({ settings: { ...USUAL, ...settings } }) as RunInfo;

describe('a run of mended rows is given', () => {
  let settings: Settings;
  beforeEach(async () => {
    settings = await loadSettings({ home: '/nowhere' }, {}, '/');
  });

  test('the flags of the first command that its rows need, as a shell takes them', () => {
    const own = carriedFlags({
      ...{ timezone: 'Europe/Berlin', minGap: '20s', maxPer: ['15 per 24h', '2 per 1h'], column: ['-Clip=source'] },
      ...{ encoding: 'windows-1252', delimiter: ';', strict: true },
    });
    const flags = mendFlags({ settings, run: run({}), counts: { failed: 1, published: 3 }, own });
    expect(mendedCommand('mend.csv', true, flags)).toBe(
      "reelay run mend.csv --timezone Europe/Berlin --column='-Clip=source' --min-gap 20s --max-per '15 per 24h' --max-per '2 per 1h' --sandbox",
    );
  });

  test('--keep while rows are still to be sent that the sheet lacks', () => {
    for (const left of [{ planned: 1 }, { waiting: 2 }])
      expect(mendFlags({ settings, run: run({}), counts: { failed: 1, ...left }, own: [] })).toEqual(['--keep']);
    expect(mendFlags({ settings, run: run({}), counts: { failed: 1, processing: 2 } })).toEqual([]);
  });

  test('the pace that the ledger has of it, where its command isn’t known', () => {
    const pace = [
      { minGapMs: 60_000, concurrency: 2 },
      { minGapMs: 20_000, maxPer: [{ count: 15, windowMs: 86_400_000 }], tolerate: { share: 0.05, sample: 20 } },
    ];
    const asked = { settings, run: run({ late: 'hold', pace }), counts: {} };
    const flags = mendFlags(asked);
    expect(flags.join(' ')).toBe('--late hold --concurrency 2 --min-gap 20s --max-per 15 per 1d --tolerate 5%');
    expect(readPaceValue('max_per', flags[flags.indexOf('--max-per') + 1])).toEqual({ maxPer: pace[1]?.maxPer });
    // What the config says it says for the mended rows too.
    const configured = { ...settings, campaign: { late: 'hold' as const, pace: pace.slice(0, 1) } };
    expect(mendFlags({ ...asked, settings: configured }).join(' ')).toBe(
      '--min-gap 20s --max-per 15 per 1d --tolerate 5%',
    );
  });

  test('durations as flags take them', () => {
    const flags = [20_000, 90_000, 5_400_000, 172_800_000, 250].map((minGapMs) => ruleFlags({ minGapMs })[1]);
    expect(flags).toEqual(['20s', '90s', '90m', '2d', '250ms']);
  });
});
