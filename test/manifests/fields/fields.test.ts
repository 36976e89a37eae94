import { errors, folder, list, MP4, read, readYaml, removeFolders } from '../support';

afterEach(removeFolders);

const URL_A = 'https://example.com/a.mp4';
const defaults = { platform: 'long', 'privacy.long': 'public' };
const FAMILY = '👨‍👩‍👧‍👦';

/** A title as one cell of a CSV. */
function titled(title: string, platform = 'long'): Promise<Awaited<ReturnType<typeof read>>> {
  return read(`title,source,platform\n"${title.replaceAll('"', '""')}",${URL_A},${platform}\n`, { defaults });
}

describe('titles', () => {
  test.each([
    ['a', 1],
    ['é', 1],
    ['字', 1],
    [FAMILY, 7],
  ])('of %s are counted in code points', async (unit, size) => {
    const units = Math.floor(100 / size);
    const rest = 'x'.repeat(100 - units * size);
    for (const title of [unit.repeat(units) + rest.slice(1), unit.repeat(units) + rest])
      expect(errors(await titled(title))).toEqual([]);
    expect(errors(await titled(`${unit.repeat(units)}${rest}x`))).toEqual(['error 2 title title-too-long']);
    expect(errors(await titled(`${unit.repeat(units)}${rest}x`, 'short'))).toEqual([]);
  });

  test.each([
    ['a'.repeat(100), []],
    ['é'.repeat(50), []],
    ['é'.repeat(51), ['102 bytes']],
    ['字'.repeat(34), ['102 bytes']],
    ['🔪'.repeat(51), ['102 UTF-16 units and 204 bytes']],
  ])('that another count would refuse are warned of: %s', async (title, words) => {
    const reading = await titled(title);
    expect(list(reading)).toEqual(words.map(() => 'warning 2 title title-length-unclear'));
    for (const word of words) expect(reading.problems[0]?.message).toContain(word);
  });

  test.each([
    ['a line break', 'Line one\nLine two', 'title-line-break'],
    ['NUL', 'a\u0000b', 'bad-character'],
    ['a direction override', 'a\u202eb', 'bad-character'],
    ['only what nobody sees', '\u200b\u200d', 'bad-character'],
    ['a tab', 'a\tb', 'bad-character'],
  ])('with %s are refused, and shown harmlessly', async (_name, title, code) => {
    const reading = await titled(title);
    expect(errors(reading)).toEqual([`error 2 title ${code}`]);

    expect(JSON.stringify(reading.problems.map((one) => [one.value, one.message]))).not.toMatch(
      /[\u0000-\u001f\u202e]/,
    );
  });

  test.each([
    ['right-to-left', 'שלום עולם'],
    ['right-to-left with marks of direction', 'שלום C++\u200e 2026\u200f'],
    ['joined emoji', FAMILY],
  ])('that are %s are kept as they are', async (_name, title) => {
    const reading = await titled(title);
    expect(list(reading)).toEqual([]);
    expect(reading.rows[0]?.title).toBe(title);
  });

  test.each([
    ['Launch\u200b 2026', 'U+200B as its character 7'],
    ['\u200eLaunch', 'U+200E as its character 1'],
    ['Launch\u061c', 'U+061C as its character 7'],
    ['a\u202ab\u202c', 'U+202A (changes the direction of writing) as its character 2'],
    ['ab\u202c', 'U+202C (changes the direction of writing) as its character 3'],
    ['\u2066a\u2069', 'U+2066 (changes the direction of writing) as its character 1'],
    ['a\u2067b', 'U+2067 (changes the direction of writing) as its character 2'],
    ['שלום \u2068clip\u2069', 'U+2068 (changes the direction of writing) as its character 6'],
  ])('an invisible character is warned of with its code point: %j', async (title, words) => {
    const reading = await titled(title);
    expect(list(reading)).toEqual(['warning 2 title invisible-character']);
    expect(reading.problems[0]?.message).toContain(words);
    expect(JSON.stringify(reading.problems[0])).not.toMatch(/[\u061c\u200b\u200e\u202a-\u202e\u2066-\u2069]/u);
  });

  test('a key is warned of likewise: it would be another row’s than the one that looks the same', async () => {
    const base = folder({ 'a.mp4': MP4 });
    const csv = 'key,title,source,platform,profile,privacy\nep\u2067-1,One,a.mp4,long,Garden,private\n';
    expect(list(await read(csv, { base }))).toEqual(['warning 2 key invisible-character']);
  });

  test('blanks count as missing', async () => {
    const reading = await titled('   ');
    expect(list(reading)).toEqual(['warning 2 title title-missing']);
    expect(reading.rows[0]?.title).toBeNull();
  });

  test('a direct publish has its own limit', async () => {
    const base = folder({ 'a.mp4': MP4 });
    const csv = `title,source,platform,profile,via\n${'x'.repeat(150)},a.mp4,long,Garden,direct\n${'x'.repeat(151)},a.mp4,short,Garden,direct\n`;
    expect(errors(await read(csv, { base }))).toEqual(['error 3 title title-too-long']);
  });
});

describe('platforms', () => {
  test('one row makes one publication for each platform it names, by kind or wire value', async () => {
    const reading = await read(`title,source,platform\nA,${URL_A}, Short | PLATFORM_B |short\n`, { defaults });
    expect(list(reading)).toEqual([]);
    expect(reading.rows.map(({ position, line, platform }) => [position, line, platform])).toEqual([
      [0, 2, 'platform_a'],
      [1, 2, 'platform_b'],
    ]);
  });

  test.each([
    ['shrot', 'Did you mean “short”'],
    ['short,long', 'isn’t a platform'],
    ['elsewhere', 'isn’t a configured platform'],
  ])('“%s” is refused', async (platform, words) => {
    const reading = await read(`title,source,platform\nA,${URL_A},"${platform}"\n`, { defaults });
    expect(errors(reading)).toEqual(['error 2 platform platform-unknown']);
    expect(reading.problems[0]?.message).toContain(words);
  });

  test('a suggested header is shown without the control characters of the one it replaces', async () => {
    const { problems } = await read('platform_a.\u0000x,title\nA,B\n');
    const [unknown] = problems.filter(({ code }) => code === 'column-unknown');
    expect(unknown?.message).toContain('Did you mean “platform.\\u{0}x”');
    expect(unknown?.hint).not.toMatch(/\u0000/u);
  });

  test('a missing column is reported once, not for each row', async () => {
    expect(errors(await read(`title,source\nA,${URL_A}\nB,https://example.com/b.mp4\n`))).toEqual([
      'error 1 platform column-missing',
    ]);
  });
});

describe('privacy and description on a platform that takes none', () => {
  test.each([
    ['private', 'error'],
    ['public', 'warning'],
  ])('a default privacy %s is one %s, whether all rows or some are for it', async (privacy, severity) => {
    for (const platforms of [
      ['short', 'short'],
      ['short', 'long'],
      ['short|long', 'long'],
    ]) {
      const rows = platforms.map((platform, at) => `T,https://videos.example/${at}.mp4,${platform}\n`).join('');
      const reading = await read(`title,source,platform\n${rows}`, { defaults: { privacy } });
      expect(list(reading)).toEqual([`${severity} - defaults.privacy privacy-not-offered`]);
    }
  });

  test.each([
    ['description', 'short', 'Text', ['error 2 description description-not-offered']],
    ['description', 'short|long', 'Text', ['warning 2 description description-not-offered']],
    ['description.short', 'short|long', 'Text', ['error 2 description.short description-not-offered']],
    ['description.long', 'short|long', 'Text', []],
    ['privacy', 'short', 'public', ['error 2 privacy privacy-not-offered']],
    ['privacy', 'short|long', 'public', ['warning 2 privacy privacy-not-offered']],
    ['privacy', 'short|long', 'unlisted', ['error 2 privacy privacy-not-offered']],
    ['privacy.long', 'short|long', 'private', []],
  ])('%s of a row for %s: %s', async (column, platform, value, expected) => {
    const text = `title,source,platform,${column}\nA,${URL_A},${platform},${value}\n`;
    expect(list(await read(text, { defaults: { 'privacy.long': 'public' } }))).toEqual(expected);
  });

  test('a default is reported once, with the number of rows', async () => {
    const rows = Array.from({ length: 1500 }, (_one, index) => `T,https://example.com/${index}.mp4,short\n`).join('');
    const reading = await read(`title,source,platform\n${rows}`, { defaults: { description: 'Text' } });
    expect(list(reading)).toEqual(['warning - defaults.description description-not-offered']);
    expect(reading.problems[0]?.message).toContain('1,500 rows');
    const private_ = await read(`title,source,platform\n${rows}`, { defaults: { privacy: 'private' } });
    expect(errors(private_)).toEqual(['error - defaults.privacy privacy-not-offered']);
    expect(private_.rows).toEqual([]);
  });
});

describe('other fields', () => {
  test.each([
    ['privacy', 'publik', 'bad-privacy'],
    ['status', 'live', 'bad-status'],
    ['via', 'upload', 'bad-via'],
    ['skip', 'maybe', 'bad-skip'],
    ['account', '"a\nb"', 'bad-account'],
    ['key', 'k'.repeat(201), 'bad-key'],
  ])('%s: %s is refused', async (column, value, code) => {
    expect(errors(await read(`title,source,platform,${column}\nA,${URL_A},long,${value}\n`, { defaults }))).toEqual([
      `error 2 ${column} ${code}`,
    ]);
  });

  test('without a title, the file’s name counts as that of a direct publish', async () => {
    const names = [`${'n'.repeat(146)}.mp4`, `${'n'.repeat(147)}.mp4`];
    const rows = names.flatMap((name) => [`,clips/${name},short,Garden,direct,d${name}\n`]);
    const csv = `title,source,platform,profile,via,key\n${rows.join('')},clips/${names[1]},short,Garden,,p\n`;
    const { problems } = await read(csv, { name: 'titles.csv' });
    expect(problems.filter(({ code }) => code === 'title-too-long')).toMatchObject([
      { severity: 'error', line: 3, column: 'title', message: expect.stringContaining('has 151 characters') },
    ]);
  });

  test('a direct publish takes a file and a profile, and nothing but a title', async () => {
    const text = `title,source,platform,via,description,privacy,status\nA,${URL_A},long,direct,Text,public,draft\n`;
    expect(errors(await read(text)).map((one) => one.split(' ').at(-1))).toEqual([
      'direct-field',
      'direct-field',
      'direct-field',
      'direct-profile',
      'direct-url',
    ]);
  });

  test('a draft may lack its video but not its key', async () => {
    const reading = await readYaml(
      'defaults: {platform: short, status: draft}\nvideos:\n  - {key: a, title: A}\n  - {title: B}\n',
    );
    expect(errors(reading)).toEqual(['error 4 key key-needed']);
    expect(reading.rows).toMatchObject([{ key: 'a', source: null, sourceKind: 'none', status: 'draft' }]);
  });

  test('a skipped row need not be ready', async () => {
    const reading = await read('title,source,platform,skip\n,missing.mp4,long,yes\n', { base: folder() });
    expect(list(reading)).toEqual([]);
    expect(reading.rows).toMatchObject([{ skip: true }]);
  });

  test('values come from the row, then the command’s defaults, manifest, account and configuration', async () => {
    const yaml =
      'defaults: {title.long: manifest}\nvideos:\n  - {source: "https://example.com/a.mp4", platform: long, privacy: public, account: acme}\n';
    const levels = { defaults: { title: 'config' }, accountDefaults: { acme: { title: 'account', profile: 'P' } } };
    expect((await readYaml(yaml, levels)).rows[0]).toMatchObject({ title: 'manifest', profile: 'P' });
    expect((await readYaml(yaml.replace('title.long: manifest', ''), levels)).rows[0]?.title).toBe('account');
    expect((await readYaml(yaml, { ...levels, givenDefaults: { title: 'flag' } })).rows[0]?.title).toBe('flag');
    const own = yaml.replace('privacy', 'title: row, title.short: other, privacy');
    expect((await readYaml(own, { ...levels, givenDefaults: { title: 'flag' } })).rows[0]?.title).toBe('row');
  });

  test('a default of the command that is no field, or belongs to each row, is an error at the flag', async () => {
    const sheet = `source,platform,title\n${URL_A},long,A\n`;
    const reading = await read(sheet, { defaults, givenDefaults: { titel: 'x', key: 'k' } });
    expect(list(reading)).toEqual(['error - --default titel unknown-setting', 'error - --default key bad-setting']);
  });

  test('strict makes warnings errors', async () => {
    expect(list(await read(`source,platform\n${URL_A},short\n`, { strict: true }))).toEqual([
      'error 2 title title-missing',
    ]);
  });

  test('problems beyond a thousand of a code are counted', async () => {
    const rows = Array.from(
      { length: 1500 },
      (_one, index) => `T,https://example.com/${index}.mp4,nowhere${index}\n`,
    ).join('');
    const reading = await read(`title,source,platform\n${rows}`);
    expect(reading.problems).toHaveLength(1001);
    expect(reading.problems.at(-1)?.message).toContain('500 more');
    expect(reading.invalidLines).toHaveLength(1500);
  });
});

test.each(['Datei', 'Dateiname'])(
  'the German header %s means the file, not the date that it resembles',
  async (name) => {
    const reading = await read(`title,platform,${name}\nA,short,${URL_A}\n`);
    expect(reading.problems.find(({ code }) => code === 'column-unknown')?.message).toContain('source');
  },
);
