import { settingsAsFlags } from '../../../cli/submission/manifest-settings-flags';
import { PLATFORMS } from '../../manifests/support';
import { readManifest } from '../../../manifests/read-manifest';
import { type GivenFlag } from '../../../ledger/model/submission-types';

const YAML = `campaign: spring
timezone: Europe/Berlin
date_format: DD.MM.YYYY
late: publish
give_up_after: 2h
pace: { min_gap: 10m }
columns: { Clip: source }
defaults: { platform: [short, long], title.short: Garden }
videos:
  - { Clip: https://videos.example/a.mp4 }
`;

async function flagsOf(text: string, name: string, given: readonly GivenFlag[] = []): Promise<string[]> {
  const source = { text: Buffer.from(text), name, base: '/nonexistent' };
  const reading = await readManifest(source, { platforms: PLATFORMS, now: Date.parse('2026-06-01T00:00:00Z') });
  return settingsAsFlags(reading, given).map((words) => words.join(' '));
}

test('a sheet with rows of a YAML gets its settings and defaults as flags', async () => {
  expect(await flagsOf(YAML, 'spring.yaml')).toEqual([
    '--timezone Europe/Berlin',
    '--date-format DD.MM.YYYY',
    '--late publish',
    '--give-up-after 7200s',
    '--column Clip=source',
    '--default platform=short|long',
    '--default title.short=Garden',
    '--min-gap 10m',
  ]);
});

test('a flag of the command replaces the setting', async () => {
  const flags = await flagsOf(YAML, 'spring.yaml', [
    ['--timezone', 'UTC'],
    ['--min-gap', '1m'],
  ]);
  expect(flags.join(' ')).not.toMatch(/--timezone|--min-gap/u);
});

test('a CSV has none', async () => {
  expect(await flagsOf('source,platform\nhttps://videos.example/a.mp4,short\n', 'spring.csv')).toEqual([]);
});
