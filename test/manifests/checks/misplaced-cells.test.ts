import { errors, list, read, readYaml } from '../support';

const VIDEO = 'https://videos.example/a.mp4';
const HEADER = 'source,platform,title,description,privacy,publish_at,status,key';
const defaults = { platform: 'platform_b', privacy: 'public' };

/** A row of that sheet, with these cells instead of the usual ones. */
function row(cells: Partial<Record<string, string>>): string {
  const usual: Record<string, string> = { source: VIDEO, title: 'Season opener', key: 'ep-1', ...cells };
  return HEADER.split(',')
    .map((name) => usual[name] ?? '')
    .join(',');
}

const sheet = (...rows: Partial<Record<string, string>>[]) => [HEADER, ...rows.map(row)].join('\n');

test.each<[string, Partial<Record<string, string>>, string, string]>([
  ['a privacy', { title: 'private' }, 'title', 'privacy'],
  ['a privacy', { description: 'Unlisted ' }, 'description', 'privacy'],
  ['a privacy', { key: 'public' }, 'key', 'privacy'],
  ['a platform', { title: 'platform_b' }, 'title', 'platform'],
  ['a kind of platform', { title: 'Short' }, 'title', 'platform'],
  ['several platforms', { description: 'short | long' }, 'description', 'platform'],
  ['a platform', { key: 'long' }, 'key', 'platform'],
  ['a status', { description: 'draft' }, 'description', 'status'],
  ['a date', { title: '24.12.2026' }, 'title', 'publish_at'],
  ['a time', { description: '2026-12-24 18:00' }, 'description', 'publish_at'],
  ['a time', { description: '2026-12-24T18:00:00+01:00' }, 'description', 'publish_at'],
  ['a time', { description: '12/24/2026 6:00 PM' }, 'description', 'publish_at'],
  ['a path', { source: '', title: 'clips/a.mp4', status: 'draft' }, 'title', 'source'],
  ['a URL', { source: '', description: VIDEO, status: 'draft' }, 'description', 'source'],
  ['a URL', { title: 'https://shop.example/spring', description: 'Season opener' }, 'title', 'description'],
])('%s in another cell, while its own is blank, is refused: %j', async (_, cells, column, field) => {
  const { problems, rows, invalidRows } = await read(sheet(cells, { key: 'ep-2', source: VIDEO + '2' }), { defaults });
  const found = problems.filter(({ code }) => code === 'cell-misplaced');
  expect(found).toMatchObject([{ severity: 'error', line: 2, column }]);
  expect(found[0]?.message).toContain(field);
  // It is the row's error: the other one can be sent without it.
  expect([rows.map(({ line }) => line), invalidRows.map(({ line }) => line)]).toEqual([[3], [2]]);
});

test.each<[string, Partial<Record<string, string>>]>([
  ['the other cell is filled in', { title: 'Private', privacy: 'public' }],
  ['the other cell is filled in', { title: 'Short', platform: 'long' }],
  ['the other cell is filled in', { title: '24.12.2026', publish_at: '2026-12-24T18:00Z' }],
  ['a recording is named by its time', { title: '2026-05-01 18-00-05' }],
  ['the day is over', { title: '31.05.2026' }],
  ['there is more than a date', { title: '24.12.2026: Christmas' }],
  ['there is more than a word', { title: 'Private matters' }],
  ['a description is a link', { description: 'https://shop.example/spring' }],
  ['a key is a day', { key: '2026-12-24' }],
  ['a title is the name of the file', { title: 'a.mp4' }],
])('%s: nothing is misplaced in %j', async (_, cells) => {
  expect(errors(await read(sheet(cells), { defaults }))).toEqual([]);
});

test('a row that is left out may have anything in its cells', async () => {
  const text = `file,title,privacy,skip\n${VIDEO},public,,yes\n`;
  expect(list(await read(text, { defaults }))).not.toContain('error 2 title cell-misplaced');
});

test('a value is not misplaced where the sheet has no column for it', async () => {
  expect(errors(await read(`file,title\n${VIDEO},Private\n`, { defaults }))).toEqual([]);
  expect(errors(await read(`file,title,privacy.long\n${VIDEO},Private,\n`, { defaults }))).toEqual([
    'error 2 title cell-misplaced',
  ]);
});

test('in a YAML the name before each value says what it is', async () => {
  const item = `{source: '${VIDEO}', title: Private}`;
  expect(errors(await readYaml(`videos: [{source: '${VIDEO}b', privacy: public}, ${item}]\n`, { defaults }))).toEqual(
    [],
  );
});
