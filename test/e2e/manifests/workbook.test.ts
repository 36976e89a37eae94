import { readFile, writeFile } from 'node:fs/promises';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { textRow, workbookFile } from '../../manifests/parse/workbook-file';
import { machineWithService } from '../support/machine-with-service';

jest.setTimeout(600_000);

const on = machineWithService({ faults: ['create title="=Two" -> outcome failed'] });

const HEADER = ['key', 'title', 'video_url', 'platform', 'profile', 'publish_at'];
const row = (line: number, key: string, title: string): string =>
  textRow(line, [key, title, `https://videos.example/${key}.mp4`, 'short', 'Garden']);
/** 1 December 2020 18:00, which has passed. */
const DATE = '<c s="1"><v>44166.75</v></c></row>';

const sheetOf = (bytes: Buffer, number: number): string =>
  strFromU8(unzipSync(bytes)[`xl/worksheets/sheet${number}.xml`] ?? new Uint8Array());

test('a workbook runs, its results are a workbook, and the corrected sheet of that runs', async () => {
  const rows =
    textRow(1, HEADER) + row(2, 'one', 'One').replace('</row>', DATE) + row(3, 'two', '=Two') + row(4, 'three', '+3');
  const sheets = [
    { name: 'Notes', rows: '' },
    { name: 'Plan', rows },
  ];
  await writeFile(on.machine.path('show.xlsx'), workbookFile({ sheets, formats: ['dd.mm.yyyy hh:mm'] }));

  const refused = await on.machine.here([
    'check',
    'show.xlsx',
    '--sheet',
    'Plan',
    '--timezone',
    'Asia/Tokyo',
    '-o',
    'json',
  ]);
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
    3,
    { problems: expect.arrayContaining([expect.objectContaining({ code: 'time-past', cell: 'Plan!F2', line: 2 })]) },
  ]);
  const flags = ['--sheet', 'Plan', '--timezone', 'Asia/Tokyo', '--past', 'now'];
  expect((await on.machine.run(['run', 'show.xlsx', ...flags])).code).toBe(5);

  const wrote = await on.machine.here(['results', 'show', '--out', 'results.xlsx']);
  expect(wrote.stderr).toContain('Its dates are local times of Asia/Tokyo.');
  expect(wrote.stderr).toMatch(/reelay run results\.xlsx$/mu);
  const bytes = await readFile(on.machine.path('results.xlsx'));
  const all = sheetOf(bytes, 1);
  expect(all).toContain('<t xml:space="preserve">=Two</t>');
  expect(all).toContain('<t xml:space="preserve">2020-12-01 18:00</t>');
  expect(all).not.toContain('<f>');
  const toCorrect = sheetOf(bytes, 2);
  expect(toCorrect.match(/<row /g)).toHaveLength(2);

  const files = unzipSync(bytes);
  files['xl/worksheets/sheet2.xml'] = strToU8(toCorrect.replace('>=Two<', '>Two again<'));
  await writeFile(on.machine.path('results.xlsx'), zipSync(files));
  const corrected = await on.machine.run(['run', 'results.xlsx', '-o', 'json']);
  expect([corrected.code, JSON.parse(corrected.stdout)]).toMatchObject([0, { run: { id: 'show.2' }, total: 1 }]);
  // Nothing is left to correct.
  await on.machine.here(['results', 'show', '--out', 'done.xlsx']);
  const done = unzipSync(await readFile(on.machine.path('done.xlsx')));
  expect(Object.keys(done).filter((name) => name.includes('/sheet'))).toEqual(['xl/worksheets/sheet1.xml']);
  const { stdout } = await on.machine.here(['results', 'show', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({
    rows: [
      { line: 2, key: 'one', run: 'show.1', title: 'One' },
      { line: 3, key: 'two', run: 'show.2', title: 'Two again', state: 'published' },
      { line: 4, key: 'three', run: 'show.1', title: '+3' },
    ],
  });
  expect((await on.machine.here(['results', 'show', '-o', 'xlsx'])).code).toBe(2);
});
