import { errors, list, PLATFORMS, read, NOW, folder, removeFolders } from '../support';
import { join } from 'node:path';
import { readManifest } from '../../../manifests/read-manifest';
import { textRow, workbookFile } from './workbook-file';

afterEach(removeFolders);

const URL = 'https://videos.example/a.mp4';
const HEADER = ['key', 'source', 'platform', 'title', 'Note'];
const ROW = ['a', URL, 'short', 'A', 'mine'];

const sheet = (above: readonly string[], delimiter = ','): string =>
  [...above, HEADER.join(delimiter), ROW.join(delimiter)].join('\n');

const TITLES: readonly [name: string, text: string, line: number, header: number][] = [
  ['a title', sheet(['Campaign plan December 2026']), 1, 2],
  ['a padded title', sheet(['Campaign plan December 2026,,,,']), 1, 2],
  ['a title with a comma above semicolons', sheet(['Plan, December 2026', ''], ';'), 1, 3],
  ['a title and a blank line', sheet(['Campaign plan,,,,', ',,,,']), 1, 3],
  ['a blank line and several titles', sheet(['', 'Campaign plan', 'Version,3,,,', 'as of,2026-12-01,,,']), 2, 5],
  ['titles of groups of columns', sheet(['Video,,,Texts,']), 1, 2],
  ['titles of groups with line breaks', sheet(['"The\nvideo",,,"The\ntexts",']), 1, 4],
  ['a title above names of another tool', `Plan\nname,Link,Network,Caption\n${ROW.join(',')}`, 1, 2],
];

test.each(TITLES)(
  '%s above the header is one error that says where the header is',
  async (_name, text, line, header) => {
    const reading = await read(text);
    expect(list(reading)).toEqual([`error ${line} - header-line`]);
    const [problem] = reading.problems;
    expect(problem?.message).toContain(`above the header, which is on line ${header}`);
    expect(problem?.hint).toContain(`Delete the lines above line ${header}`);
  },
);

test('the lines above the header are named, with the first text', async () => {
  const message = async (text: string) => (await read(text)).problems[0]?.message;
  expect(await message(TITLES[0]![1])).toBe(
    'Line 1 (“Campaign plan December 2026”) is above the header, which is on line 2.',
  );
  expect(await message(TITLES[4]![1])).toBe(
    'Lines 2 to 4 (“Campaign plan”, …) are above the header, which is on line 5.',
  );
});

test('in a workbook they are rows', async () => {
  const rows =
    textRow(1, ['Campaign plan']) + textRow(3, ['Video', '', '', 'Texts']) + textRow(4, HEADER) + textRow(5, ROW);
  const path = join(folder({ 'plan.xlsx': workbookFile({ sheets: [{ name: 'Plan', rows }] }) }), 'plan.xlsx');
  const reading = await readManifest({ path }, { platforms: PLATFORMS, now: NOW });
  expect(list(reading)).toEqual(['error 1 - header-line']);
  expect(reading.problems[0]).toMatchObject({
    message: 'Rows 1 to 3 (“Campaign plan”, …) are above the header, which is on row 4.',
    hint: 'Delete the rows above row 4, so that the header is the first row.',
  });
});

test('headers that are mapped count as names', async () => {
  const text = `Plan\nClip,Wohin,Name\n${URL},short,A\n`;
  const columns = { Clip: 'source', Wohin: 'platform', Name: 'title' };
  expect(list(await read(text, { settings: { columns } }))).toEqual(['error 1 - header-line']);
  expect(errors(await read(text.slice(5), { settings: { columns } }))).toEqual([]);
});

test.each([
  ['a header with few names of fields', `file,Notiz\n${URL},title\n${URL}?2,link\n`],
  ['a row with the names of fields in it', `file,key,title,x\n${URL},title,key,source\n`],
  ['a header below blank lines', `\n\n,,\nfile,key,x\n${URL},k,\n`],
])('%s is no such file', async (_name, text) => {
  const reading = await read(text, { defaults: { platform: 'short' } });
  expect(errors(reading).filter((one) => one.endsWith('header-line'))).toEqual([]);
});

test('a file without a header, whose columns are numbered, is read from its first line', async () => {
  const text = `x,${URL},short\ntitle,${URL}?2,short,source\n`;
  const columns = { '1': 'key', '2': 'source', '3': 'platform' };
  expect(list(await read(text, { settings: { columns } })).join()).not.toContain('header-line');
});
