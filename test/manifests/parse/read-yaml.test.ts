import { errors, folder, isSlow, list, readYaml, removeFolders } from '../support';

afterEach(removeFolders);

const item = (extra: string): string =>
  `videos:\n  - source: https://example.com/a.mp4\n    platform: long\n    privacy: public\n    title: T\n${extra}`;

describe('values', () => {
  test.each(['no', 'true', '~', '2024', '1e3', 'Off', '0x1f'])(
    'title: %s is refused with the advice to quote it',
    async (value) => {
      const reading = await readYaml(item('').replace('title: T', `title: ${value}`));
      expect(errors(reading)).toEqual(['error 5 title not-text']);
      expect(reading.problems[0]?.hint).toBe(`Put quotes around it: "${value}".`);
      expect(reading.rows).toEqual([]);
    },
  );

  test.each([
    ['2026-10-25', '2026-10-25'],
    ['"no"', 'no'],
    ["'2024'", '2024'],
    ['|\n      Line\n', 'Line'],
  ])('title: %s is the text %s', async (written, title) => {
    const reading = await readYaml(item('').replace('title: T', `title: ${written}`));
    expect(list(reading)).toEqual([]);
    expect(reading.rows[0]?.title).toBe(title);
  });

  test('a date alone is no time', async () => {
    expect(errors(await readYaml(item('    publish_at: 2026-10-25\n')))).toEqual(['error 6 publish_at bad-time']);
  });

  test.each([
    ['yes', true],
    ['true', true],
    ['no', false],
  ])('skip: %s', async (written, skip) => {
    expect((await readYaml(item(`    skip: ${written}\n`))).rows).toMatchObject([{ skip }]);
  });

  test('skip takes no text and no other word', async () => {
    expect(errors(await readYaml(item('    skip: "false"\n')))).toEqual(['error 6 skip bad-skip']);
    expect(errors(await readYaml(item('    skip: maybe\n')))).toEqual(['error 6 skip bad-skip']);
  });

  test('a comment that cuts a title is warned of with the title that is left', async () => {
    const reading = await readYaml(item('').replace('title: T', 'title: Weekly recap #42 highlights'));
    expect(list(reading)).toEqual(['warning 5 title comment-cuts-value']);
    expect(reading.problems[0]?.message).toContain('“Weekly recap”');
  });

  test('a value that is wholly a comment is an error', async () => {
    expect(errors(await readYaml(item('    tags: #garden\n')))).toEqual(['error 6 tags comment-cuts-value']);
  });

  test('one wrong value does not hide the others of its row', async () => {
    const text =
      'videos:\n  - source: ftp://example.com/a.mp4\n    platform: [short, lnog]\n    title: 2024\n    publish_at: soon\n';
    expect(errors(await readYaml(text))).toEqual([
      'error 2 source source-url',
      'error 3 platform platform-unknown',
      'error 4 title not-text',
      'error 5 publish_at bad-time',
    ]);
  });
});

describe('structure', () => {
  test('merges are applied, and own keys win', async () => {
    const text = `x-base: &b {privacy: unlisted, platform: long, title: Base}\nvideos:\n  - <<: *b\n    source: https://example.com/a.mp4\n    title: Own\n`;
    const reading = await readYaml(text);
    expect(list(reading)).toEqual([]);
    expect(reading.rows).toMatchObject([{ line: 3, title: 'Own', privacy: 'unlisted', platform: 'platform_b' }]);
  });

  test.each([
    ['an unknown anchor', 'videos:\n  - <<: *nobody\n', 'yaml-alias'],
    ['something else than a mapping', 'x-a: &a [1]\nvideos:\n  - <<: *a\n', 'yaml-alias'],
    ['itself', 'videos:\n  - &a\n    <<: *a\n', 'yaml-alias'],
  ])('a merge of %s is refused', async (_name, text, code) => {
    expect((await readYaml(text)).problems.map((one) => one.code)).toContain(code);
  });

  test('nested merges can’t blow up', async () => {
    const levels = Array.from(
      { length: 19 },
      (_one, n) => `x-${n + 1}: &l${n + 1}\n  <<: [${Array(9).fill(`*l${n}`).join(', ')}]\n`,
    );
    const text = `x-0: &l0 {title: T}\n${levels.join('')}videos:\n  - <<: *l19\n`;
    expect((await readYaml(text)).problems.map((one) => one.code)).toContain('yaml-alias');
    expect(await isSlow(text, { name: 'spring.yaml' })).toBe(false);
  });

  test('duplicate keys are refused with both lines', async () => {
    const reading = await readYaml(item('    title: Again\n'));
    expect(errors(reading)).toEqual(['error 6 title yaml-duplicate-key']);
    expect(reading.problems[0]?.message).toContain('line 5 and again on line 6');
    expect(reading.invalidLines).toEqual([2]);
  });

  test('a second document and a tab are refused with their lines', async () => {
    expect(errors(await readYaml(`${item('')}---\nvideos: []\n`))).toEqual(['error 6 - yaml-second-document']);
    expect(errors(await readYaml('videos:\n\t- title: A\n'))).toEqual(['error 2 - yaml-syntax']);
  });

  test.each([
    ['time_zone: Europe/Paris', 'unknown-setting', '“timezone”'],
    ['schedule: daily', 'bad-setting', 'must be a mapping'],
    ['schedule: {at: mon 09:00, evry: 6h}', 'bad-setting', '“evry”'],
    ['schedule: {at: 25:00}', 'bad-setting', 'isn’t a time of a calendar'],
    ['schedule: {at: 09:00, every: 6h}', 'bad-setting', 'more than one of'],
    ['schedule: {at: 09:00, pause_after: -1}', 'bad-setting', 'schedule.pause_after'],
    ['notify: {url: ftp://hooks.example}', 'bad-setting', 'an http(s) address'],
    ['notify: {url: https://hooks.example, command: rm}', 'bad-setting', 'a command is set in reelay.config.yaml'],
    ['take: 0', 'bad-setting', 'whole number from 1'],
    ['pace: 10/h', 'bad-setting', 'a mapping'],
    ['pace: {min_gap: 10}', 'bad-setting', 'min_gap must be a duration'],
    ['pace: {max_per: many}', 'bad-setting', '15 per 24h'],
    ['tolerate: 500%', 'bad-setting', '5%'],
    ['canary: some', 'bad-setting', 'whole number'],
    ['late: never', 'bad-setting', 'publish, hold or skip'],
    ['timezone: Mars/Olympus', 'bad-setting', 'Europe/Berlin'],
    ['give_up_after: soon', 'bad-setting', '24h'],
    ['version: 2', 'bad-setting', 'must be 1'],
    ['campaign: Spring Sale!', 'campaign-name', 'a-z'],
    ['defaults: {privcy: public}', 'unknown-setting', '“privacy”'],
    ['columns: {Nope: title}', 'columns-setting', '“Nope”'],
  ])('%s is refused', async (line, code, words) => {
    const reading = await readYaml(`${line}\n${item('')}`);
    expect(reading.problems).toMatchObject([
      { severity: 'error', line: 1, code, message: expect.stringContaining(words) },
    ]);
  });

  test('settings are taken, and an override wins', async () => {
    const text = `campaign: spring.26\ntimezone: Europe/Paris\nlate: skip\ngive_up_after: 1h30m\nambiguous: hold\nrepeat: allow\n${item('')}`;
    const reading = await readYaml(text, {
      settings: { late: 'publish' },
      fallbackSettings: { ambiguous: 'reconcile' },
    });
    expect(reading.campaign).toBe('spring.26');
    expect(reading.settings).toEqual({
      timezone: 'Europe/Paris',
      late: 'publish',
      giveUpAfterMs: 5_400_000,
      ambiguous: 'hold',
      repeat: 'allow',
    });
  });
});

describe('a sheet under videos', () => {
  test('its rows have its lines, and its name is in problems', async () => {
    const base = folder({
      'sheets/rows.csv': 'title,source,platform,privacy\nA,https://example.com/a.mp4,long,publik\n',
    });
    const reading = await readYaml('videos: sheets/rows.csv\n', { base });
    expect(list(reading)).toEqual(['error 2 privacy bad-privacy']);
    expect(reading.problems[0]?.message).toMatch(/^sheets\/rows\.csv: /);
    expect(reading.sheet?.path).toBe(`${base}/sheets/rows.csv`);
  });

  test('a changed sheet changes the hash', async () => {
    const hashes = await Promise.all(
      ['A', 'B'].map(
        async (title) =>
          (await readYaml('videos: r.csv\n', { base: folder({ 'r.csv': `title\n${title}\n` }) })).fileHash,
      ),
    );
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  test('a missing sheet is refused with the path that was tried', async () => {
    const base = folder();
    const reading = await readYaml('videos: rows.csv\n', { base });
    expect(list(reading)).toEqual(['error 1 videos sheet-unreadable']);
    expect(reading.problems[0]?.message).toContain(`${base}/rows.csv`);
  });
});

describe('special spaces as indentation', () => {
  const INDENT = '\u00a0\u00a0\u00a0 ';
  const video = (name: string): string =>
    `  - source: https://example.com/${name}.mp4\n${INDENT}title: "${name}: c"\n${INDENT}platform: short\n`;

  it('are the only problem, whatever else the parser makes of them', async () => {
    const { problems } = await readYaml(`videos:\n${video('a')}${video('b')}`);
    expect(problems.map(({ message }) => message)).toEqual([
      'Lines 3, 4, 6, 7 are indented with non-breaking or other special spaces, which YAML takes for text.',
    ]);
  });

  it('don’t hide a mistake above them', async () => {
    const { problems } = await readYaml(`pace: @10m\nvideos:\n${video('a')}`);
    expect(problems.map(({ line, code }) => `${line ?? 0} ${code}`)).toContain('1 yaml-syntax');
  });

  it('of a text that is quoted as it is are fine', async () => {
    const text = `videos:\n  - source: https://example.com/a.mp4\n    platform: short\n    title: |\n      A\n      \u00a0 b\n`;
    expect((await readYaml(text)).problems.map(({ code }) => code)).not.toContain('yaml-syntax');
  });
});
