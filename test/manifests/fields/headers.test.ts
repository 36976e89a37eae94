import { classifyColumn } from '../../../manifests/fields/classify-column';
import { list, PLATFORMS, read, readYaml } from '../support';

const URL_A = 'https://example.com/a.mp4';

/** What a header is taken for: the suggestion of a mistaken one, else the kind. */
function taken(header: string): string {
  const meaning = classifyColumn(header, { platforms: PLATFORMS });
  return meaning.kind === 'mistaken' ? meaning.suggestion : meaning.kind;
}

describe('a field and a platform in one name, not joined by a dot', () => {
  test.each([
    ['publish_at_short', 'publish_at.short'],
    ['publish_at_long', 'publish_at.long'],
    ['Publish at short', 'publish_at.short'],
    ['publish_at (short)', 'publish_at.short'],
    ['publish_at [long]', 'publish_at.long'],
    ['publish_at: short', 'publish_at.short'],
    ['publish.at.short', 'publish_at.short'],
    ['publishAtShort', 'publish_at.short'],
    ['short publish_at', 'publish_at.short'],
    ['deadline_short', 'deadline.short'],
    ['privacy_long', 'privacy.long'],
    ['long privacy', 'privacy.long'],
    ['profile_short', 'profile.short'],
    ['description-long', 'description.long'],
    ['title_short', 'title.short'],
    ['title-short', 'title.short'],
    ['title short', 'title.short'],
    ['titleshort', 'title.short'],
    ['titlelong', 'title.long'],
    ['short title', 'title.short'],
    ['Shorts title', 'title.short'],
    ['title_platform_b', 'title.long'],
    ['visibility_long', 'privacy.long'],
    ['short caption', 'title.short'],
    ['publishat_short', 'publish_at.short'],
    ['pubish_at_short', 'publish_at.short'],
    ['tilte_short', 'title.short'],
    ['long privcy', 'privacy.long'],
    ['skip_short', 'skip'],
    ['publish_time_long', 'publish_time'],
    ['video_short', 'source'],
    ['titl_short', 'title.short'],
    // The platform is mistyped.
    ['publish_at_shrot', 'publish_at.short'],
    ['publish_at_shrt', 'publish_at.short'],
    ['publish_at_shortt', 'publish_at.short'],
    ['Publish at (sohrt)', 'publish_at.short'],
    ['publish.at.shrot', 'publish_at.short'],
    ['title_lnog', 'title.long'],
    ['title-loong', 'title.long'],
    ['description lng', 'description.long'],
    ['shrot_title', 'title.short'],
    ['caption_olng', 'title.long'],
    ['title_platfrom_b', 'title.long'],
    ['privacy_platformb', 'privacy.long'],
  ])('%s is refused, and %s named', (header, suggestion) => {
    expect(taken(header)).toBe(suggestion);
  });

  test.each([
    ...['short url', 'link_long', 'shortlist', 'longitude', 'belong', 'short film', 'short_name', 'is_short'],
    // Words that are close to “short” and “long”.
    ...['title_sort', 'sort title', 'title_log', 'title_lang', 'description_lang', 'title_song', 'description_shot'],
    ...['publish_at_local', 'deadline_log', 'profile_sort', 'shirt title', 'note_shrot', 'link_shrot'],
    ...['title_platform_c', 'status_lnog', 'photo_shoot', 'clip_lng'],
  ])('%s is a column of one’s own', (header) => {
    expect(taken(header)).toBe('own');
  });

  test('a time under such a header is not sent at once, in a CSV, a YAML’s video or its defaults', async () => {
    const csv = `title,source,platform,publish_at_short\nA,${URL_A},short,2026-07-01T18:00Z\n`;
    const sheet = await read(csv);
    expect(list(sheet)).toEqual(['error 1 publish_at_short column-unknown']);
    expect(sheet.problems[0]?.message).toContain('Did you mean “publish_at.short”?');

    const video = `{title: A, source: "${URL_A}", platform: short`;
    const key = await readYaml(`videos:\n  - ${video}, publish_at_short: "2026-07-01T18:00Z"}\n`);
    expect(list(key)).toEqual(['error 2 publish_at_short column-unknown']);

    const defaults = await readYaml(`defaults: {publish_at_short: "2026-07-01T18:00Z"}\nvideos:\n  - ${video}}\n`);
    expect(list(defaults)).toEqual([expect.stringMatching(/^error 1 .*publish_at_short unknown-setting$/u)]);
    expect(defaults.problems[0]?.message).toContain('Did you mean “publish_at.short”?');
  });

  test('is kept without a word where columns says ignore, and read where it names a field', async () => {
    const csv = `title,source,platform,publish_at_short\nA,${URL_A},short,2026-07-01T18:00Z\n`;
    expect(list(await read(csv, { settings: { columns: { publish_at_short: 'ignore' } } }))).toEqual([]);
    const mapped = await read(csv, {
      settings: { columns: { publish_at_short: 'publish_at.short' } },
    });
    expect(list(mapped)).toEqual([]);
    expect(mapped.rows[0]?.publishAt).not.toBeNull();
  });
});

describe('a name close to a field', () => {
  test.each([
    ['wia', 'via'],
    ['mey', 'key'],
    ['akip', 'skip'],
    ['vie', 'via'],
    ['vie.', 'via'],
    ['via.', 'via'],
    ['publish.at', 'publish_at'],
    ['pubish.at', 'publish_at'],
    ['title?', 'title'],
    ['title.shrt', 'title.short or title.long'],
    ['tile', 'title'],
    ['data', 'publish_date'],
    ['tiem', 'publish_time'],
  ])('%s: %s', (header, suggestion) => {
    expect(taken(header)).toBe(suggestion);
  });

  test.each(['mile', 'pile', 'life', 'size', 'line', 'like', 'may', 'day', 'bay', 'age', 'action', 'posted', 'poster'])(
    '%s is a word, and a column of one’s own',
    (header) => {
      expect(taken(header)).toBe('own');
    },
  );
});

test.each(['go_live', 'golive', 'Go live', 'start time', 'embargo', 'planned_for', 'post at', 'postat', 'dia'])(
  '%s is another name of a time to publish',
  (header) => {
    expect(taken(header)).toBe(header === 'dia' ? 'publish_date' : 'publish_at');
  },
);

test.each(['post_id', 'postal', 'olive', 'diy'])('%s is not', (header) => {
  expect(taken(header)).toBe('own');
});

describe('a mistaken name beside a column with the field’s own name', () => {
  const row = 'https://example.com/a.mp4,short,A,Foo';
  const hintOf = ({ problems }: Awaited<ReturnType<typeof read>>): string[] =>
    problems.flatMap(({ code, message, hint }) => (code === 'column-unknown' ? [`${message} ${hint}`] : []));

  test('is never told to become the same field', async () => {
    const [hint] = hintOf(await read(`source,platform,title,Caption\n${row}\n`));
    expect(hint).toMatch(/there is a column for “title” already/);
    expect(hint).toMatch(/--column Caption=ignore, or map it to another field, such as --column Caption=description/);
    expect(hint).not.toContain('Caption=title');
  });

  test('in whichever order they are, in a YAML too', async () => {
    const [before] = hintOf(await read(`source,platform,Caption,title\n${row}\n`));
    expect(before).toMatch(/already/);
    const yaml = 'videos:\n  - { source: https://example.com/a.mp4, platform: short, caption: Foo, title: A }\n';
    const [inYaml] = hintOf(await readYaml(yaml));
    expect(inYaml).toMatch(/already.*columns: \{caption: ignore\}, or .*columns: \{caption: description\}/);
  });

  test('stays as a column of one’s own where no other text is free, and for other fields', async () => {
    const [caption] = hintOf(await read(`source,platform,title,Caption,description.long,description\n${row},,D\n`));
    expect(caption).toMatch(/Keep it as your own with --column Caption=ignore\.$/);
    const [link] = hintOf(await read(`source,platform,title,Link\n${row}\n`));
    expect(link).toMatch(/Keep it as your own with --column Link=ignore\.$/);
  });

  test('is renamed or mapped where the field has no column', async () => {
    const [hint] = hintOf(await read('source,platform,Caption\nhttps://example.com/a.mp4,short,A\n'));
    expect(hint).toContain('Rename it to title, map it with --column Caption=title');
  });
});

describe('a field’s name in another language', () => {
  test.each([
    ['Beschreibung', 'description'],
    ['Sichtbarkeit', 'privacy'],
    ['Privatsphäre', 'privacy'],
    ['Quelle', 'source'],
    ['Titel', 'title'],
    ['Kanal', 'profile'],
    ['Entwurf', 'status'],
    ['Überspringen', 'skip'],
    ['Beschreibung (long)', 'description.long'],
    ['Visibilité', 'privacy'],
    ['Confidentialite\u0301', 'privacy'],
    ['Chaîne', 'profile'],
    ['Título', 'title'],
    ['Descripción', 'description'],
    ['Visibilidad', 'privacy'],
    ['Descrição', 'description'],
    ['Privacidade', 'privacy'],
    ['Descrizione', 'description'],
    ['Visibilità', 'privacy'],
    ['Piattaforma', 'platform'],
  ])('%s is refused, and %s named', (header, suggestion) => {
    expect(taken(header)).toBe(suggestion);
  });

  test.each(['font', 'Fonts', 'Quelldatei-Nr', 'Notiz', 'Kanäle', 'Bemerkung', 'Archiv', 'Trist'])(
    '%s is a column of one’s own',
    (header) => {
      expect(taken(header)).toBe('own');
    },
  );

  test('the hint maps it; mapped, it is read; the field’s own column makes it one’s own', async () => {
    const sheet = (header: string) => `file,title,platform,privacy,${header}\n${URL_A},A,long,public,Text\n`;
    const unread = await read(sheet('Beschreibung'));
    expect(list(unread)).toEqual(['error 1 Beschreibung column-unknown']);
    expect(unread.problems[0]?.hint).toContain('--column Beschreibung=description');

    const mapped = await read(sheet('Beschreibung'), { settings: { columns: { Beschreibung: 'description' } } });
    expect(list(mapped)).toEqual([]);
    expect(mapped.rows[0]?.description).toBe('Text');

    const both = await read(
      `file,title,platform,privacy,description,Beschreibung\n${URL_A},A,long,public,Text,Intern\n`,
    );
    expect(list(both)).toEqual(['warning 1 - columns-kept']);
    expect(both.rows[0]?.description).toBe('Text');
    const ofPlatform = await read(`file,title,platform,privacy.long,Sichtbarkeit\n${URL_A},A,long,public,Intern\n`);
    expect(list(ofPlatform)).toEqual(['warning 1 - columns-kept']);
  });
});
