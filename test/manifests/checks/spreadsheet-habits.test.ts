import { list, read, readYaml } from '../support';

const URL_A = 'https://videos.example/a.mp4';
const defaults = { platform: 'short' };

describe('what spreadsheets, clipboards and share buttons do to a manifest is named for what it is:', () => {
  test('Date and Time are two columns of one time, and the hint says how to map them', async () => {
    const { problems } = await read(`file,Date,Time\n${URL_A},2026-07-01,18:00\n`, { defaults });
    const hints = problems.filter(({ code }) => code === 'column-unknown').map(({ hint }) => hint);
    expect(hints).toEqual([
      expect.stringContaining('Rename it to publish_date, map it with --column Date=publish_date'),
      expect.stringContaining('Rename it to publish_time, map it with --column Time=publish_time'),
    ]);
    const columns = { Date: 'publish_date', Time: 'publish_time' };
    const mapped = await read(`file,Date,Time\n${URL_A},2026-07-01,18:00\n`, {
      defaults,
      timezone: 'UTC',
      settings: { columns },
    });
    expect(mapped.rows.map(({ publishAt }) => publishAt)).toEqual(['2026-07-01T18:00:00.000Z']);
  });

  test('a header of another tool, in a YAML', async () => {
    const { problems } = await readYaml(`videos:\n  - { source: '${URL_A}', platform: short, Caption: A }\n`);
    expect(problems[0]?.hint).toContain('map it with columns: {Caption: title}');
    const platform = await read(`file,title\n${URL_A},A\n`);
    expect(platform.problems.find(({ code }) => code === 'column-missing')?.hint).toMatch(
      /--column NAME=FIELD.*--default FIELD=VALUE/,
    );
  });

  test.each([',', ';', '\t'])('the name of a table above a header with %j', async (delimiter) => {
    const sheet = [
      ['file', 'platform', 'title'],
      [URL_A, 'short', 'A'],
    ].map((cells) => cells.join(delimiter));
    for (const above of ['Table 1', `Table 1${delimiter}${delimiter}`, '"Table 1"']) {
      const reading = await read([above, ...sheet].join('\n'));
      expect(list(reading)).toEqual(['error 1 - header-line']);
      expect(reading.problems[0]?.message).toContain('“Table 1”');
    }
    expect(list(await read(sheet.join('\n')))).not.toContain('error 1 - header-line');
  });

  test('a blank before a quote', async () => {
    const { problems } = await read(`file,title\n${URL_A}, "Part 1, basics"\n`, { defaults });
    expect(problems.find(({ code }) => code === 'stray-quote')).toMatchObject({
      line: 2,
      message: 'On line 2 there is a space before an opening quote.',
      hint: 'Delete the space between the delimiter and the quote.',
    });
  });

  test.each([
    ['http:/videos.example/a.mp4', 'http:// at'],
    ['https:/videos.example/a.mp4', 'https:// at'],
    ['https//videos.example/a.mp4', 'https:// at'],
    ['https:videos.example/a.mp4', 'https:// at'],
  ])('%s', async (source, hint) => {
    const reading = await read(`file\n${source}\n`, { defaults });
    expect(reading.problems.find(({ code }) => code === 'source-url')?.hint).toContain(hint);
    expect(list(reading)).not.toContain('error 2 file file-missing');
  });

  test.each(['1.00123E+15', '1,00123E+15', '1E+12'])('the key %s', async (key) => {
    const reading = await read(`file;key\n${URL_A};${key}\n`, { defaults });
    expect(list(reading)).toContain('error 2 key bad-key');
    expect(reading.problems.find(({ code }) => code === 'bad-key')?.hint).toContain('Format the column as text');
  });

  test.each(['\u00a0', '\u2003', '\u3000'])('indentation with %j', async (space) => {
    for (const text of [
      `videos:\n  - source: a\n${space}${space}${space}${space}title: T\n`,
      `videos:\n${space}${space}- source: a\n`,
      `campaign: a\ndefaults:\n${space}${space}platform: short\nvideos:\n  - source: a\n`,
    ]) {
      const { problems } = await readYaml(text);
      const found = problems.find(({ code, message }) => code === 'yaml-syntax' && message.includes('special spaces'));
      expect([text, found?.line]).toEqual([text, text.split('\n').findIndex((line) => line.startsWith(space)) + 1]);
    }
    expect(list(await readYaml(`videos:\n  - { source: '${URL_A}', platform: short, title: 'A${space}B' }\n`))).toEqual(
      [],
    );
  });

  test.each(['"C:\\clips\\a.mp4"', '"C:\\new\\take.mp4"', '"clips\\take.mp4"'])(
    'a Windows path: %s',
    async (source) => {
      const { problems } = await readYaml(`videos:\n  - source: ${source}\n    platform: short\n`);
      expect(problems[0]).toMatchObject({ severity: 'error', line: 2, hint: expect.stringContaining('single quotes') });
    },
  );

  test.each<[string, boolean]>([
    ['https://drive.google.com/file/d/abc/view', true],
    ['https://drive.google.com/open?id=abc', true],
    ['https://drive.google.com/uc?export=download&id=abc', false],
    ['https://www.youtube.com/watch?v=abc', true],
    ['https://youtu.be/abc', true],
    ['https://www.dropbox.com/scl/fi/abc/a.mp4?rlkey=x&dl=0', true],
    ['https://www.dropbox.com/scl/fi/abc/a.mp4?rlkey=x&dl=1', false],
    ['https://videos.example/dropbox.com/a.mp4', false],
  ])('%s is a page: %s', async (source, warned) => {
    const reading = await read(`file,key\n${source},k\n`, { defaults });
    expect(list(reading).filter((one) => one.includes('url-page'))).toEqual(warned ? ['warning 2 file url-page'] : []);
    expect(reading.rows).toHaveLength(1);
  });
});

describe('time zones:', () => {
  test.each([
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['Tokyo', 'Asia/Tokyo'],
    ['PST', 'America/Los_Angeles'],
  ])('%s suggests %s', async (timezone, suggested) => {
    const flag = await read(`file\n${URL_A}\n`, { defaults, timezone });
    const yaml = await readYaml(`timezone: ${timezone}\nvideos:\n  - { source: '${URL_A}', platform: short }\n`);
    for (const { problems } of [flag, yaml]) {
      const found = problems.find(({ code }) => code === 'bad-setting');
      expect(found?.message).toContain(`such as ${suggested},`);
      expect(found?.hint).toMatch(/named by a place/);
    }
  });

  test.each([
    ['Etc/GMT+2', /is UTC-02:00.*reversed/, /-02:00/],
    ['EST', /all year/, /America\/New_York/],
  ])('%s is warned of', async (timezone, message, hint) => {
    const reading = await read(`file\n${URL_A}\n`, { defaults, timezone });
    expect(reading.problems.find(({ code }) => code === 'zone-fixed')).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    for (const fine of ['Europe/Berlin', 'UTC', '+02:00', 'Etc/UTC'])
      expect(list(await read(`file\n${URL_A}\n`, { defaults, timezone: fine })).join()).not.toContain('zone-fixed');
  });
});
