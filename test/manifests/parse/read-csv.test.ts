import { errors, isSlow, list, read } from '../support';

const URL_A = 'https://example.com/a.mp4';
const defaults = { platform: 'platform_b', privacy: 'public' };

describe('encodings', () => {
  test.each([
    ['bare headers', `\ufefftitle,file\nGarden tour,${URL_A}\n`],
    ['quoted headers', `\ufeff"title","file"\nGarden tour,${URL_A}\n`],
  ])('a byte order mark before %s is no part of a name', async (_name, text) => {
    const reading = await read(text, { defaults });
    expect(list(reading)).toEqual([]);
    expect(reading.columns).toEqual(['title', 'file']);
    expect(reading.rows).toMatchObject([{ line: 2, title: 'Garden tour', source: URL_A, key: URL_A }]);
  });

  test.each([
    ['Windows', Buffer.from('title,file\nok,b\nCaf\xe9 \x93Best of\x94,clips/a.mp4\n', 'latin1'), 20],
    ['old Mac', Buffer.from('title,file\nok,b\nCaf\x8e \xd2Best of\xd3,clips/a.mp4\n', 'latin1'), 20],
  ])('a %s code page is refused with line and byte offset', async (_name, bytes, offset) => {
    const reading = await read(bytes, { defaults });
    expect(list(reading)).toEqual(['error 3 - encoding']);
    expect(reading.problems[0]?.message).toContain(`offset ${offset - 1} `);
    expect(reading.rows).toEqual([]);
  });

  test('an encoding named is honoured', async () => {
    const windows = Buffer.from(`title,file\nCaf\xe9 \x93Best of\x94,${URL_A}\n`, 'latin1');
    const mac = Buffer.from(`title,file\nCaf\x8e \xd2Best of\xd3,${URL_A}\n`, 'latin1');
    expect((await read(windows, { defaults, encoding: 'windows-1252' })).rows[0]?.title).toBe('Café “Best of”');
    expect((await read(mac, { defaults, encoding: 'macintosh' })).rows[0]?.title).toBe('Café “Best of”');
    expect(list(await read(mac, { defaults, encoding: 'klingon' }))).toEqual(['error - - encoding']);
  });

  test('UTF-16 with its mark is read, without it named', async () => {
    const text = `title,file\nGärten,${URL_A}\n`;
    const little = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    expect((await read(little, { defaults })).rows[0]?.title).toBe('Gärten');
    expect((await read(Buffer.from(little).swap16(), { defaults })).rows[0]?.title).toBe('Gärten');
    const bare = await read(Buffer.from(text, 'utf16le'), { defaults });
    expect(bare.problems[0]).toMatchObject({ code: 'encoding', hint: expect.stringContaining('utf-16le') });
  });

  test('a title with a replacement character is never accepted', async () => {
    expect(errors(await read(`title,file\nCaf\ufffd,${URL_A}\n`, { defaults }))).toEqual([
      'error 2 title bad-character',
    ]);
  });

  test('a spreadsheet’s own format is recognised', async () => {
    const reading = await read(Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), { name: 'plan.csv' });
    expect(reading.problems).toMatchObject([{ code: 'spreadsheet-file', hint: expect.stringContaining('CSV UTF-8') }]);
  });
});

describe('delimiters', () => {
  const body = `title;file;description\r\nDemo;${URL_A};Part 1, basics, tools, tips\r\n`;
  test.each([
    ['a hint', `sep=;\r\n${body}`, 3],
    ['a quoted hint', `"sep=;"\r\n${body}`, 3],
    ['a hint after a byte order mark', `\ufeffsep=;\r\n${body}`, 3],
    ['no hint', body, 2],
  ])('semicolons are read with %s, and lines stay those of the file', async (_name, text, line) => {
    const reading = await read(text, { defaults });
    expect(list(reading)).toEqual([]);
    expect(reading.rows).toMatchObject([{ line, title: 'Demo', description: 'Part 1, basics, tools, tips' }]);
  });

  test('a row with too many cells says which delimiter was assumed', async () => {
    const reading = await read(`title,file\nDemo, part 1,${URL_A}\n`, { defaults });
    expect(errors(reading)).toEqual(['error 2 - extra-cells']);
    expect(reading.problems[0]?.message).toContain('comma, read from the header');
  });

  test('an unusable delimiter is refused', async () => {
    expect(list(await read(`file\n${URL_A}\n`, { defaults, delimiter: 'ab' }))).toContain('error - - delimiter');
  });
});

describe('rows and columns', () => {
  test('blank rows are counted in one note and are no rows', async () => {
    const text = `title,file,description,,\nA,${URL_A},,,\nB,https://example.com/b.mp4,,,\n${',,,,\n'.repeat(1200)}  , ,,,\n`;
    const reading = await read(text, { defaults });
    expect(reading.rows).toHaveLength(2);
    expect(list(reading)).toEqual(['warning 4 - blank-rows']);
    expect(reading.problems[0]?.message).toContain('1,201');
  });

  test('a file with blank rows only is an error', async () => {
    expect(errors(await read('title,file\n,\n,\n'))).toEqual(['error - - no-rows']);
    expect(errors(await read(''))).toEqual(['error - - no-rows']);
  });

  test('a column without a name but with data is an error', async () => {
    expect(errors(await read(`title,file,\nA,${URL_A},\nB,https://example.com/b.mp4,x\n`, { defaults }))).toEqual([
      'error 3 - nameless-column',
    ]);
  });

  test.each([
    ['title,file,title', 'Columns 1 and 3'],
    ['Title,title\u00a0,file', 'Columns 1 and 2'],
  ])('the header %j is refused with both positions', async (header, positions) => {
    const reading = await read(`${header}\nOne,${URL_A},${URL_A}\n`, { defaults });
    expect(errors(reading)).toContain('error 1 title column-duplicate');
    expect(reading.problems.find((one) => one.code === 'column-duplicate')?.message).toContain(positions);
  });

  test('headers are trimmed and folded', async () => {
    const reading = await read(` Title ,FILE,Publish At\u00a0,Privacy.LONG\nA,${URL_A},2026-07-01T10:00Z,unlisted\n`, {
      defaults,
    });
    expect(list(reading)).toEqual([]);
    expect(reading.rows).toMatchObject([{ title: 'A', publishAt: '2026-07-01T10:00:00.000Z', privacy: 'unlisted' }]);
  });

  test.each([
    ['visibilty', 'privacy'],
    ['visibility', 'privacy'],
    ['tilte', 'title'],
    ['caption', 'title'],
    ['scheduled_at', 'publish_at'],
    ['title.shrot', 'title.short or title.long'],
    ['status.long', 'status'],
  ])('the column %s is refused and %s is told', async (column, suggestion) => {
    const reading = await read(`file,${column}\n${URL_A},x\n`, { defaults });
    const problem = reading.problems.find((one) => one.code === 'column-unknown');
    expect(problem).toMatchObject({ severity: 'error', line: 1, column });
    expect(problem?.message).toContain(`“${suggestion}”`);
  });

  test('columns of no endpoint are warned of, others kept and listed once', async () => {
    const reading = await read(`title,file,tags,editor,__proto__\nA,${URL_A},x,Ana,odd\n`, { defaults });
    expect(list(reading)).toEqual(['warning 1 tags column-not-offered', 'warning 1 - columns-kept']);
    expect(Object.entries(reading.rows[0]?.cells ?? {})).toEqual([
      ['title', 'A'],
      ['file', URL_A],
      ['tags', 'x'],
      ['editor', 'Ana'],
      ['__proto__', 'odd'],
    ]);
  });

  test('a columns setting maps headers and silences notes', async () => {
    const settings = { columns: { Clip: 'source', Visibilty: 'ignore' } };
    const reading = await read(`clip,visibilty,title\n${URL_A},x,A\n`, { defaults, settings });
    expect(list(reading)).toEqual([]);
    expect(reading.rows[0]?.source).toBe(URL_A);
  });

  test('two columns of one field may not both be filled', async () => {
    const other = 'https://example.com/b.mp4';
    const text = `title,file,video_url\nA,,${URL_A}\nB,${other},${other}\n`;
    expect(errors(await read(text, { defaults }))).toEqual(['error 3 video_url field-twice']);
  });
});

describe('quotes', () => {
  const good = Array.from({ length: 5000 }, (_one, index) => `T${index},https://example.com/${index}.mp4,x\n`).join('');
  const head = `title,file,description\nFirst,${URL_A},"several\nlines"\n`;

  test('an unclosed quote is reported at its line, quickly, and the other rows are still checked', async () => {
    const text = `${head}"Season opener,clips/c.mp4,text\n${good}`;
    const reading = await read(text, { defaults });
    expect(errors(reading)).toEqual(['error 4 - unclosed-quote']);
    expect(reading.rows).toHaveLength(5001);
    expect(reading.rows[1]).toMatchObject({ line: 5, title: 'T0' });
    expect(await isSlow(text, { defaults })).toBe(false);
  });

  test('a quote closed by a later row’s quote is still reported where it was opened', async () => {
    const reading = await read(
      `${head}"Season opener,clips/c.mp4,text\nA,https://example.com/x.mp4,x\n"B, too",https://example.com/y.mp4,x\n`,
      { defaults },
    );
    expect(errors(reading)).toEqual(['error 4 - unclosed-quote']);
    expect(reading.problems[0]?.message).toContain('runs on to line 6');
    expect(reading.rows.map((row) => row.title)).toEqual(['First', 'A', 'B, too']);
  });

  test('a quote inside an unquoted cell is reported', async () => {
    const reading = await read(`${head}24" screen review,clips/d.mp4,x\n"24" again,clips/d.mp4,x\n`, { defaults });
    expect(errors(reading)).toEqual(['error 4 - stray-quote', 'error 5 - stray-quote']);
  });

  test('a file full of wrong quotes ends early', async () => {
    const reading = await read(`title,file,description\n${'a"b,x,y\n'.repeat(50_000)}`, { defaults });
    expect(errors(reading)).toHaveLength(100);
  });
});

test('line ends may be mixed, and lines are physical ones', async () => {
  const text = `title,file,description\r\nA,https://example.com/1.mp4,"x\r\ny"\r\nB,https://example.com/2.mp4,z\nC,https://example.com/3.mp4,z\rD,https://example.com/4.mp4,"p\rq\n\nr"\nE,https://example.com/5.mp4,z`;
  const reading = await read(text, { defaults });
  expect(reading.rows.map(({ title, line }) => [title, line])).toEqual([
    ['A', 2],
    ['B', 4],
    ['C', 5],
    ['D', 6],
    ['E', 10],
  ]);
});

test.each([
  ['thousands of line ends', '\r\n'.repeat(20_000), 'stdin'],
  ['one endless word', `source,platform\n${'a.'.repeat(100_000)},short\n`, 'spring.csv'],
  ['a header of thousands of words', `source,${'title '.repeat(20_000)}\n${URL_A},short\n`, 'spring.csv'],
])('a file of %s is read in no time', async (_name, text, name) => {
  expect(errors(await read(text, { name }))).not.toEqual([]);
  expect(await isSlow(text, { name })).toBe(false);
});
