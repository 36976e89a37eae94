import { errors, folder, list, MP4, readYaml, removeFolders } from '../support';

afterAll(removeFolders);

const nominal = { at: Date.parse('2026-12-31T23:30:00Z'), zone: 'Europe/Berlin' };

/** Rows without a title or a file are warned of; that is not what is looked at here. */
const top = 'timezone: UTC\ntemplate: true\ndefaults: {platform: short}\nvideos:\n';

async function one(fields: string, options: Parameters<typeof readYaml>[1] = {}) {
  return readYaml(`${top}  - {${fields}}\n`, { nominal, ...options });
}

describe('placeholders', () => {
  test.each([
    ['{date:yyyy-MM-dd}', '2027-01-01'],
    ['{date}', '2027-01-01'],
    ['{date:yy M d}', '27 1 1'],
    ['{date:EEEE, d MMMM yyyy}', 'Friday, 1 January 2027'],
    ["{date:EEE dd MMM 'at' HH:mm}", 'Fri 01 Jan at 00:30'],
    ["{date:d 'o''clock' EEEE}", "1 o'clock Friday"],
    ['{{date}} of {date:dd}', '{date} of 01'],
    ['no placeholder', 'no placeholder'],
  ])('%s is %s on the nominal day in the schedule’s zone', async (written, title) => {
    const reading = await one(`source: "https://a.example/{date}.mp4", title: "${written}"`);
    expect([errors(reading), reading.rows[0]?.title]).toEqual([[], title]);
    // So that a results file shows the filled-in values, and can be submitted again.
    expect(reading.rows[0]?.cells).toEqual({ source: 'https://a.example/2027-01-01.mp4', title });
  });

  test.each([
    ['{dat:yyyy}', 1, '“{dat}”'],
    ['Show {date:YYYY}', 6, 'yyyy'],
    ['Show {date:yyyyy}', 6, '“yyyyy”'],
    ['{date:}', 1, 'without its format'],
    ['{date:yyyy-mm-dd}', 1, 'months are MM'],
    ['ab{date', 3, 'never closed'],
    ['100 % }', 7, 'without its “{”'],
    ['{constructor}', 1, 'isn’t a placeholder'],
  ])('%s is refused with its line, column and character', async (written, character, words) => {
    const reading = await one(`source: "https://a.example/a.mp4", title: "${written}"`);
    expect(errors(reading)).toEqual(['error 5 title template-placeholder']);
    const message = reading.problems.find(({ code }) => code === 'template-placeholder')?.message;
    expect(message).toContain(`character ${character}:`);
    expect(message).toContain(words);
  });

  test('work in defaults and sheets too', async () => {
    const base = folder({ 'rows.csv': 'source\nhttps://a.example/{date:dd}.mp4\n' });
    const text = `timezone: UTC\ntemplate: true\ndefaults: {platform: short, title: "Day {date:d}"}\nvideos: rows.csv\n`;
    const reading = await readYaml(text, { nominal, base });
    expect(reading.rows[0]).toMatchObject({ source: 'https://a.example/01.mp4', title: 'Day 1' });
  });

  test('are reported if template: true is missing, and taken literally', async () => {
    const text = `videos:\n  - {source: "https://a.example/a.mp4", platform: short, title: "Day {date:d}"}\n`;
    const reading = await readYaml(text);
    expect(list(reading)).toContain('warning 2 title template-off');
    expect(reading.rows[0]?.title).toBe('Day {date:d}');
  });

  test('need a zone', async () => {
    const reading = await readYaml(`template: true\nvideos:\n  - {source: a.mp4, platform: short}\n`);
    expect(errors(reading)).toContain('error - timezone time-zone-missing');
  });

  test('change key and source together, or the key alone where every run repeats the row', async () => {
    const source = 'source: "https://a.example/a.mp4"';
    expect(errors(await one(`${source}, key: "k-{date}"`))).toEqual(['error 5 key template-key']);
    expect(errors(await one(`source: "https://a.example/{date}.mp4", key: k`))).toEqual(['error 5 key template-key']);
    expect(errors(await one(`source: "https://a.example/{date}.mp4", key: "k-{date}"`))).toEqual([]);
    const repeated = (row: string) => readYaml(`repeat: every-run\n${top}  - {${row}}\n`, { nominal });
    expect(errors(await repeated(`${source}, key: "k-{date}"`))).toEqual([]);
    expect(errors(await repeated(`${source}, key: k`))).toEqual(['error 6 key template-key']);
    expect(errors(await repeated(source))).toEqual(['error 6 key template-key']);
    expect(errors(await readYaml(`repeat: every-run\nvideos:\n  - {${source}, platform: short}\n`))).toContain(
      'error - repeat bad-setting',
    );
  });
});

test.each([
  ['missing: wait 2h', { waitMs: 7_200_000 }],
  ['missing: skip', 'skip'],
  ['missing: fail', 'fail'],
])('%s is understood', async (line, missing) => {
  const base = folder({ 'a.mp4': MP4 });
  expect(
    (await readYaml(`${line}\nvideos:\n  - {source: a.mp4, platform: short}\n`, { base })).settings.missing,
  ).toEqual(missing);
});

test.each(['missing: wait', 'missing: wait soon', 'missing: skip 2h', 'template: "yes"'])(
  '%s is refused',
  async (line) => {
    expect(
      errors(await readYaml(`${line}\nvideos:\n  - {source: "https://a.example/a.mp4", platform: short}\n`)),
    ).toEqual([expect.stringContaining('bad-setting')]);
  },
);
