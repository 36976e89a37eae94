import { join } from 'node:path';
import { readManifest } from '../../../manifests/read-manifest';
import { type ManifestReading, type ReadOptions } from '../../../manifests/types';
import { errors, folder, list, NOW, PLATFORMS, removeFolders } from '../support';
import { textRow, workbookFile, type WorkbookFile } from './workbook-file';

afterEach(removeFolders);

const URL = 'https://media.test/a.mp4';
const HEADER = ['key', 'title', 'source', 'platform', 'publish_at'];

/** One sheet with the header and these rows, which begin on line 2. */
const plan = (rows: string, more: Partial<WorkbookFile> = {}): WorkbookFile => ({
  sheets: [{ name: 'Plan', rows: textRow(1, HEADER) + rows }],
  ...more,
});

async function read(file: WorkbookFile | Buffer, options: Partial<ReadOptions> = {}): Promise<ManifestReading> {
  const bytes = Buffer.isBuffer(file) ? file : workbookFile(file);
  const path = join(folder({ 'campaign.xlsx': bytes }), 'campaign.xlsx');
  return readManifest({ path }, { platforms: PLATFORMS, now: NOW, timezone: 'Europe/Berlin', ...options });
}

/** A row of text cells, whose fifth is as given. */
const row = (line: number, publishAt: string, key = `k${line}`): string =>
  textRow(line, [key, `T${line}`, `${URL}?${line}`, 'long']).replace('</row>', `${publishAt}</row>`);

test('dates, times of day and texts become the local times that they show', async () => {
  const formats = ['yyyy\\-mm\\-dd hh:mm', 'dd.mm.yyyy', 'h:mm AM/PM'];
  const header = textRow(1, [...HEADER.slice(0, 4), 'publish_at', 'publish_date', 'publish_time']);
  const split = textRow(3, ['k3', 'T3', `${URL}?3`, 'long', '']).replace(
    '</row>',
    '<c s="2"><v>46357</v></c><c s="3"><v>0.75</v></c></row>',
  );
  const rows = header + row(2, '<c s="1"><v>46357.75</v></c>') + split + row(4, '<c t="s"><v>0</v></c>');
  const reading = await read({
    sheets: [{ name: 'Plan', rows }],
    formats,
    strings: ['<r><t>2026-12-</t></r><r><t>01 18:30</t></r><rPh><t>x</t></rPh>'],
  });
  expect(errors(reading)).toEqual([]);
  expect(reading.rows.map(({ publishAt }) => publishAt)).toEqual([
    '2026-12-01T17:00:00.000Z',
    '2026-12-01T17:00:00.000Z',
    '2026-12-01T17:30:00.000Z',
  ]);
  expect(reading.rows[0]?.cells.publish_at).toBe('2026-12-01 18:00');
  expect(reading.rows[1]?.cells).toMatchObject({ publish_date: '2026-12-01', publish_time: '18:00' });
});

test('days of the 1904 system are the same days', async () => {
  const reading = await read(
    plan(row(2, '<c s="1"><v>44895.75</v></c>'), { formats: ['yyyy-mm-dd hh:mm'], date1904: true }),
  );
  expect(reading.rows[0]?.cells.publish_at).toBe('2026-12-01 18:00');
});

test('numbers keep all their digits, and zeros that their format shows', async () => {
  const header = textRow(1, ['key', 'title', 'source', 'platform', 'a', 'b', 'c', 'd']);
  const cells =
    '<c s="1"><v>42</v></c><c><v>0.30000000000000004</v></c><c t="b"><v>1</v></c><c s="2"><v>1.5E-7</v></c></row>';
  const rows =
    header + textRow(2, ['', 'T', URL, 'long']).replace('<c/>', '<c><v>1.00123E+15</v></c>').replace('</row>', cells);
  const { rows: found } = await read({
    sheets: [{ name: 'Plan', rows }],
    formats: ['00000', '#,##0.00 &quot;days&quot;'],
  });
  expect(found[0]?.key).toBe('1001230000000000');
  expect(found[0]?.cells).toMatchObject({ a: '00042', b: '0.3', c: 'TRUE', d: '0.00000015' });
});

test('problems name sheet and cell, and rows their numbers in the sheet', async () => {
  const rows = `${textRow(3, HEADER)}${row(5, '<c t="inlineStr"><is><t>soon</t></is></c>')}<row r="6"><c/></row>${row(7, '', 'k5')}`;
  const reading = await read({ sheets: [{ name: 'Week 1', rows }] });
  expect(errors(reading)).toEqual(['error 5 publish_at bad-time', 'error 7 key duplicate-key']);
  expect(reading.problems.flatMap(({ severity, cell }) => (severity === 'error' ? [cell] : []))).toEqual([
    "'Week 1'!E5",
    "'Week 1'!A7",
  ]);
  expect(reading.text).toMatch(/^key,title,source,platform,publish_at\r\nk5,/);
});

test('errors of formulas, formulas without a result, merged cells and hidden rows are problems', async () => {
  const rows =
    row(2, '<c r="E2" t="e"><f>A1</f><v>#REF!</v></c>') +
    row(3, '<c r="E3"><f>NOW()</f></c>') +
    row(4, '<c r="E4" t="str"><f>A1</f><v></v></c>').replace('<row ', '<row hidden="1" ');
  const reading = await read({
    sheets: [
      { name: 'Plan', rows: textRow(1, HEADER) + rows, after: '<mergeCells><mergeCell ref="D2:D4"/></mergeCells>' },
    ],
  });
  expect(list(reading)).toEqual(
    expect.arrayContaining([
      'error 2 publish_at cell-error',
      'error 3 publish_at cell-error',
      'error 2 - merged-cells',
      'warning 4 - hidden-rows',
    ]),
  );
});

test('the first visible sheet is read, or the one that is named', async () => {
  const sheets = [
    { name: 'Old', rows: textRow(1, ['x']), state: 'hidden' },
    { name: 'Plan', rows: textRow(1, HEADER) + row(2, '') },
    { name: 'Spring', rows: textRow(1, HEADER) + row(2, '') + row(3, '') },
    { name: 'Empty', rows: '' },
  ];
  const first = await read({ sheets });
  expect(first.rows).toHaveLength(1);
  expect(first.problems.find(({ code }) => code === 'several-sheets')?.message).toBe(
    'The sheet “Plan” is read; “Spring” has values too.',
  );
  const named = await read({ sheets }, { sheet: 'spring' });
  expect([named.rows.length, named.problems.map(({ code }) => code)]).toEqual([
    2,
    expect.not.arrayContaining(['several-sheets']),
  ]);
  expect(errors(await read({ sheets }, { sheet: 'Autumn' }))).toEqual(['error - - sheet-missing']);
});

test('a workbook of results is read from its sheet of rows to correct, wherever that is', async () => {
  const header = textRow(1, [...HEADER, 'reelay_key', 'reelay_campaign']);
  const rowOf = (line: number, key: string): string =>
    textRow(line, [key, key, `${URL}/${key}`, 'long', '', key, 'spring']);
  const results = { name: 'Results', rows: header + rowOf(2, 'a') + rowOf(3, 'b') };
  const correct = { name: 'To correct', rows: header + rowOf(2, 'b') };
  const shared = textRow(1, HEADER.slice(0, -1)).replace('</row>', '<c/><c t="s"><v>0</v></c></row>');
  const saved = { name: 'To correct', rows: shared + textRow(2, ['b', 'b', `${URL}/b`, 'long', '', 'b']) };
  for (const file of [
    { sheets: [results, correct] },
    { sheets: [correct, results] },
    { sheets: [results, saved], strings: ['<t>reelay_key</t>'] },
  ]) {
    const { rows, problems } = await read(file);
    expect([rows.map(({ key }) => key), problems.map(({ code }) => code)]).toEqual([
      ['b'],
      expect.not.arrayContaining(['several-sheets']),
    ]);
  }
  expect((await read({ sheets: [results, correct] }, { sheet: 'Results' })).rows).toHaveLength(2);
  // A sheet of the user's own may have the same name.
  const own = { name: 'To correct', rows: textRow(1, ['note']) + textRow(2, ['call Ana']) };
  const { rows, problems } = await read({ sheets: [results, own] });
  expect([rows.length, problems.map(({ code }) => code)]).toEqual([2, expect.arrayContaining(['several-sheets'])]);
  const hidden = await read({ sheets: [results, { ...correct, state: 'hidden' }] });
  expect(hidden.rows).toHaveLength(2);
});

test('texts that look like formulas, markup or escapes are texts', async () => {
  const texts = ['=1+1', '&lt;b&gt; &amp;', '_x0041_', '&#x27;=x'];
  const rows = texts.map((text, at) => textRow(at + 2, [`k${at}`, text, `${URL}?${at}`, 'long']));
  const { rows: found } = await read(plan(rows.join('')));
  expect(found.map(({ title }) => title)).toEqual(['=1+1', '<b> &', 'A', "'=x"]);
});

test('a YAML names a workbook as its rows', async () => {
  const base = folder({
    'm.yaml': 'version: 1\ntimezone: Europe/Berlin\ndefaults: {platform: long}\nvideos: book.xlsx\n',
    'book.xlsx': workbookFile(plan(row(2, '<c t="inlineStr"><is><t>soon</t></is></c>'))),
  });
  const reading = await readManifest({ path: join(base, 'm.yaml') }, { platforms: PLATFORMS, now: NOW });
  expect(reading.problems.find(({ code }) => code === 'bad-time')).toMatchObject({
    file: 'book.xlsx',
    cell: 'Plan!E2',
  });
});

describe('hostile workbooks', () => {
  const bomb = (): Buffer => {
    const bytes = workbookFile(plan(row(2, '')));
    // The directory's entry of the sheet claims a gigabyte.
    const at = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
    bytes.writeUInt32LE(1024 ** 3, at + 24);
    return bytes;
  };

  test.each<[string, () => Buffer]>([
    ['cut off', () => workbookFile(plan(row(2, ''))).subarray(0, 600)],
    ['that would unpack to a gigabyte', bomb],
    [
      'with entities',
      () =>
        workbookFile({
          ...plan(''),
          parts: { 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>' },
        }),
    ],
    ['nested without end', () => workbookFile({ ...plan(''), parts: { 'xl/sharedStrings.xml': '<a>'.repeat(5000) } })],
    ['with rows out of order', () => workbookFile(plan(row(3, '') + row(2, '')))],
    ['with a column that no sheet has', () => workbookFile(plan('<row r="2"><c r="ZZZZ2"><v>1</v></c></row>'))],
    [
      'whose cells repeat one long text',
      () =>
        workbookFile({
          ...plan(`<row r="2">${'<c t="s"><v>0</v></c>'.repeat(16_000)}</row>`),
          strings: [`<t>${'x'.repeat(30_000)}</t>`],
        }),
    ],
    ['without a workbook', () => workbookFile({ ...plan(''), parts: { 'xl/workbook.xml': '' } })],
  ])('one %s is a problem', async (_what, make) => {
    expect(errors(await read(make()))).toEqual(['error - - workbook-unreadable']);
  });
});
