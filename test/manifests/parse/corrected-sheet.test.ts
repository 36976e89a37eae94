import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../../../manifests/read-manifest';
import { type CorrectedManifest, type ReadOptions } from '../../../manifests/types';
import { errors, folder, NOW, PLATFORMS, removeFolders } from '../support';

afterEach(removeFolders);

const YAML = `campaign: spring
timezone: Europe/Berlin
date_format: DD.MM.YYYY HH:mm
columns: {Caption: title, Wann: publish_at}
pace: {min_gap: 10m}
take: 3
repeat: every-run
template: true
schedule: {at: "09:00"}
defaults: {platform: long, privacy: public, description.long: Ours, profile: Garden}
videos: []
`;

const SHEET =
  'Caption,source,Wann,reelay_key,reelay_campaign\nOne,https://e.example/1.mp4,05.12.2026 18:00,one,spring\n';

async function read(
  sheet: string,
  { corrected, ...now }: Partial<Omit<ReadOptions, 'corrected'>> & { corrected?: CorrectedManifest | null } = {},
) {
  const path = join(folder({}), 'fix.csv');
  writeFileSync(path, sheet);
  const asked: string[] = [];
  const reading = await readManifest(
    { path },
    {
      platforms: PLATFORMS,
      now: NOW,
      ...now,
      corrected: async (campaign) => {
        asked.push(campaign);
        return corrected ?? null;
      },
    },
  );
  return { reading, asked };
}

test('a sheet of results has the columns, defaults and settings of its campaign’s YAML', async () => {
  const { reading, asked } = await read(SHEET, { corrected: { yaml: YAML, options: {} } });
  expect(errors(reading)).toEqual([]);
  expect(asked).toEqual(['spring']);
  expect(reading.rows).toMatchObject([
    {
      ...{ title: 'One', profile: 'Garden', platform: PLATFORMS.find(({ kind }) => kind === 'long')?.name },
      ...{ privacy: 'public', description: 'Ours', publishAt: '2026-12-05T17:00:00.000Z' },
    },
  ]);
  const { timezone, pace, repeat, take, schedule } = reading.settings;
  expect({ timezone, pace, repeat, take, schedule }).toEqual({
    ...{ timezone: 'Europe/Berlin', pace: [expect.objectContaining({ minGapMs: 600_000 })], repeat: 'allow' },
    ...{ take: undefined, schedule: undefined },
  });
});

test('flags override the YAML, and those given now override the earlier ones', async () => {
  const corrected: CorrectedManifest = {
    yaml: YAML,
    options: { timezone: 'Europe/London', givenDefaults: { privacy: 'unlisted', description: 'Theirs' } },
  };
  const before = (await read(SHEET, { corrected })).reading.rows[0];
  expect(before).toMatchObject({ privacy: 'unlisted', description: 'Theirs', publishAt: '2026-12-05T18:00:00.000Z' });
  const now = (await read(SHEET, { corrected, timezone: 'UTC', givenDefaults: { privacy: 'private' } })).reading
    .rows[0];
  expect(now).toMatchObject({ privacy: 'private', description: 'Theirs', publishAt: '2026-12-05T18:00:00.000Z' });
});

test('without a campaign of the ledger, or without its column, a sheet is read as it is', async () => {
  expect((await read(SHEET)).reading.settings.timezone).toBeUndefined();
  const plain = await read(SHEET.replaceAll(',reelay_campaign', '').replace(',spring', ''), {
    corrected: { yaml: YAML, options: {} },
  });
  expect([plain.asked, plain.reading.settings.timezone]).toEqual([[], undefined]);
});

test('the campaign is known from any row, and one that the ledger lacks is named', async () => {
  const own = SHEET.replace('\nOne', '\nNew,https://e.example/n.mp4,,,\nOne');
  const { reading } = await read(own, { corrected: { yaml: YAML, options: {} } });
  expect(reading.rows.map(({ title, privacy }) => [title, privacy])).toEqual([
    ['New', 'public'],
    ['One', 'public'],
  ]);
  const unknown = (await read(SHEET)).reading.problems.filter(({ code }) => code === 'settings-unknown');
  expect(unknown).toMatchObject([{ severity: 'warning', value: 'spring' }]);
});
