import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({ faults: ['create title="Wrong*" -> outcome failed'] });

const CLIP = join(__dirname, '../../../manifests/examples/clips/garden-tour.mp4');

const YAML = `campaign: show
timezone: Europe/Berlin
date_format: DD.MM.YYYY HH:mm
columns: {Wann: publish_at}
pace: {min_gap: 3s}
defaults: {platform: long, profile: Garden, privacy: public, description: Our usual text}
videos:
  - {key: a, title: Wrong 1, source: "https://videos.example/a.mp4", Wann: "05.11.2026 10:00"}
  - {key: b, title: Wrong 2, source: "https://videos.example/b.mp4"}
`;

/** The files of a manifest, and how it is run. */
const SHAPES: readonly [shape: string, files: Record<string, string>, run: readonly string[]][] = [
  ['the list of a YAML', { 'show.yaml': YAML }, ['show.yaml', '--past', 'now']],
  [
    'the sheet of a YAML',
    {
      'show.yaml': YAML.replace(/videos:[^]*$/u, 'videos: rows.csv\n'),
      'rows.csv':
        'key,title,source,Wann\na,Wrong 1,https://videos.example/a.mp4,05.11.2026 10:00\nb,Wrong 2,https://videos.example/b.mp4,\n',
    },
    ['show.yaml', '--past', 'now'],
  ],
  [
    'a CSV and its flags',
    {
      'show.csv':
        'key,Caption,source,Wann\na,Wrong 1,https://videos.example/a.mp4,05.11.2026 10:00\nb,Wrong 2,https://videos.example/b.mp4,\n',
    },
    [
      'show.csv',
      ...['--past', 'now', '--timezone', 'Europe/Berlin', '--date-format', 'DD.MM.YYYY HH:mm'],
      ...['--column', 'Caption=title', '--column', 'Wann=publish_at', '--min-gap', '3s'],
      ...['platform=long', 'profile=Garden', 'privacy=public', 'description=Our usual text'].flatMap((given) => [
        '--default',
        given,
      ]),
    ],
  ],
];

test.each(SHAPES)(
  'corrected rows of %s are sent with the settings of their manifest, without repeating its flags',
  async (_shape, files, run) => {
    const { machine, service } = on;
    for (const [name, text] of Object.entries(files)) await writeFile(machine.path(name), text);
    expect((await machine.run(['run', ...run, '--yes'])).code).toBe(5);
    await machine.here(['results', 'show', '--state', 'failed', '--out', 'fix.csv']);
    await machine.here(['results', 'show', '--out', 'fix.xlsx']);
    expect(await machine.here(['check', 'fix.xlsx', '--sheet', 'To correct'])).toMatchObject({ code: 0, stdout: '' });

    const sheet = machine.path('fix.csv');
    await writeFile(sheet, (await readFile(sheet, 'utf8')).replaceAll(/,Wrong(?= \d,http)/gu, ',Right'));
    expect(await machine.here(['check', 'fix.csv'])).toMatchObject({ code: 0, stdout: '' });
    expect((await machine.run(['run', 'fix.csv', '--yes'])).code).toBe(0);
    const sent = service.log().filter(({ title }) => title?.startsWith('Right'));
    expect(sent).toMatchObject([
      { title: 'Right 1', privacy: 'public', description: 'Our usual text' },
      { title: 'Right 2', privacy: 'public', description: 'Our usual text' },
    ]);
    const [first = 0, second = 0] = sent.map(({ at }) => Date.parse(at));
    expect(second - first).toBeGreaterThan(2_500);
  },
);

test('a corrected row of a folder’s files is the same file, with the settings of the YAML', async () => {
  const { machine, service } = on;
  await mkdir(machine.path('clips'));
  await copyFile(CLIP, machine.path('clips/Wrong 1.mp4'));
  const yaml =
    'campaign: show\ndefaults: {platform: long, profile: Garden, privacy: public}\nvideos: {folder: clips}\n';
  await writeFile(machine.path('show.yaml'), yaml);
  expect((await machine.run(['run', 'show.yaml', '--yes'])).code).toBe(5);
  await machine.here(['results', 'show', '--state', 'failed', '--out', 'fix.csv']);
  const sheet = machine.path('fix.csv');
  await writeFile(sheet, (await readFile(sheet, 'utf8')).replace(',Wrong 1,', ',Right,'));
  expect((await machine.run(['run', 'fix.csv', '--yes'])).code).toBe(0);
  expect(service.log()).toMatchObject([{ title: 'Wrong 1' }, { title: 'Right', privacy: 'public', source: 'file' }]);
});

const CONFIG = `columns: {Clip: source, Wann: publish_at}
date_format: DD.MM.YYYY HH:mm
timezone: Europe/Berlin
defaults: {platform: long, profile: Garden, privacy: public}
`;

test('the config of the campaign applies to corrected rows wherever they are given, and is asked for with the manifest', async () => {
  const { machine, service } = on;
  await mkdir(machine.path('plans'));
  await writeFile(machine.path('plans/reelay.config.yaml'), CONFIG);
  await writeFile(
    machine.path('plans/show.csv'),
    'key,title,Clip,Wann\na,Wrong 1,https://videos.example/a.mp4,05.11.2026 10:00\n',
  );
  for (const args of [
    ['check', 'plans/show.csv'],
    ['plan', 'plans/show.csv'],
    ['run', 'plans/show.csv'],
    ['submit', 'plans/show.csv'],
  ]) {
    const { code, stderr } = await machine.here(args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toContain('its columns, defaults, timezone, date_format would not apply');
    expect(stderr).toMatch(/--config \S*plans\/reelay\.config\.yaml/u);
  }
  const config = ['--config', 'plans/reelay.config.yaml'];
  expect((await machine.run(['run', 'plans/show.csv', ...config, '--past', 'now', '--yes'])).code).toBe(5);

  await machine.here(['results', 'show', '--state', 'failed', '--out', 'fix.csv']);
  const sheet = machine.path('fix.csv');
  await writeFile(sheet, (await readFile(sheet, 'utf8')).replaceAll(/,Wrong(?= \d,http)/gu, ',Right'));
  expect(await machine.here(['check', 'fix.csv'])).toMatchObject({ code: 0, stdout: '' });
  // Another config that is found there says nothing of this campaign.
  await writeFile(machine.path('reelay.config.yaml'), 'defaults: {privacy: private}\n');
  expect((await machine.run(['run', 'fix.csv', '--yes'])).code).toBe(0);
  expect(service.log().filter(({ title }) => title?.startsWith('Right'))).toMatchObject([
    { title: 'Right 1', privacy: 'public' },
  ]);
});
