import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundExport } from '../../../manifests/fields/export-formats';
import { findExportOf } from '../../../manifests/parse/find-export';
import { type ManifestReading } from '../../../manifests/types';
import { errors, folder, list, NOW, PLATFORMS, read, readYaml, removeFolders } from '../support';

afterEach(removeFolders);

const path = (file: string): string => join(__dirname, '..', 'exports', file);
const text = (file: string): string => readFileSync(path(file), 'utf8');

async function found(file: string): Promise<FoundExport> {
  const one = await findExportOf({ path: path(file) }, { platforms: PLATFORMS, now: NOW });
  if (one === null) throw new Error(`${file} is not recognised`);
  return one;
}

/** The file with the columns that are proposed for it, where the defaults name a channel. */
async function readProposed(file: string): Promise<ManifestReading> {
  const { columns } = await found(file);
  return read(text(file), {
    defaults: { platform: 'long', profile: 'Garden' },
    settings: { columns: Object.fromEntries(columns), timezone: 'UTC' },
    requiredColumns: columns.map(([header]) => header),
  });
}

const shown = ({ rows }: ManifestReading): string[] =>
  rows.map(({ platformKind, title, description, publishAt, source, skip }) =>
    [platformKind, title, description, publishAt?.slice(0, 16), source?.slice(23), skip ? 'skip' : null]
      .filter((part) => typeof part === 'string')
      .join(' · '),
  );

describe('a file of another tool', () => {
  const TOOLS: readonly (readonly [file: string, tool: string, rows: readonly string[]])[] = [
    [
      'publer.csv',
      'Publer',
      [
        'long · Garden tour · Watch our garden · 2026-07-01T18:00 · garden.mp4',
        'long · Sharp knives · 2026-07-02T18:00 · knives.mp4',
      ],
    ],
    [
      'metricool.csv',
      'Metricool',
      ['long · Garden tour · Watch our garden · 2026-07-01T18:00 · garden.mp4', 'long · draft.mp4 · skip'],
    ],
    [
      'zernio.csv',
      'Zernio',
      ['short · Watch our garden · 2026-07-01T18:00 · garden.mp4', 'long · Draft · draft.mp4 · skip'],
    ],
    [
      'youtube-cms.csv',
      'YouTube’s Content Manager',
      ['long · Garden tour · All about roses · 2026-07-01T18:00 · garden.mp4'],
    ],
    [
      'hootsuite.csv',
      'Hootsuite',
      [
        'long · Watch our garden, now · 2026-07-01T18:00 · garden.mp4',
        'long · Sharp knives · 2026-07-02T18:00 · knives.mp4',
      ],
    ],
  ];

  it.each(TOOLS)(
    '%s is recognised as one of %s, and read with the columns that are proposed',
    async (file, tool, rows) => {
      expect((await found(file)).tool).toBe(tool);
      const reading = await readProposed(file);
      expect(errors(reading)).toEqual([]);
      expect(shown(reading)).toEqual(rows);
    },
  );

  it('of Buffer has no videos: read as proposed, only the source is missing', async () => {
    expect((await found('buffer.csv')).tool).toBe('Buffer');
    expect(errors(await readProposed('buffer.csv'))).toEqual(['error 1 source column-missing']);
  });

  it.each([...TOOLS.map(([file]) => file), 'buffer.csv'])(
    '%s is refused with the flags to give as long as nothing maps its columns, and no row of it is read',
    async (file) => {
      const reading = await read(text(file));
      expect(list(reading)).toEqual(['error 1 - export-format']);
      expect(reading.rows).toEqual([]);
      const { columns, note } = await found(file);
      for (const [header, field] of columns) expect(reading.problems[0]?.hint).toContain(`${header}=${field}`);
      expect(reading.problems[0]?.hint).toContain(note);
    },
  );

  it('that a YAML reads its rows from is mapped there', async () => {
    const base = folder({ 'publer.csv': text('publer.csv') });
    const [problem] = (await readYaml('version: 1\nvideos: publer.csv\n', { base })).problems;
    const hint = problem?.hint ?? '';
    expect(hint).toContain('"Title - For the video, pin, PDF ..": title.long');
    expect(hint).toMatch(
      /It has no platform and profile: .* defaults: \{platform: short, profile: NAME\}\. .*timezone: /u,
    );
    const columns = /columns: \{[^}]*\}/u.exec(hint)?.[0] ?? '';
    const top = 'version: 1\ntimezone: UTC\ndefaults: {platform: short, profile: Garden}\n';
    const reading = await readYaml(`${top}${columns}\nvideos: publer.csv\n`, { base });
    expect(errors(reading)).toEqual([]);
    expect(reading.rows.map(({ title }) => title)).toEqual(['Watch our garden', 'Sharp knives']);
  });

  it.each([
    ['a title that is a date', 'publish_at,title\n2026-07-01 18:00,2026-07-01 18:00\n'],
    ['a header with a few of the names', 'Text,Date,Time,source\nA,2026-07-01,18:00,a.mp4\n'],
    ['a date, a text and another text', '2026-07-01 18:00,A,B\n'],
  ])('is not seen in %s', async (_what, csv) => {
    expect((await read(csv)).problems.map(({ code }) => code)).not.toContain('export-format');
  });

  it('is recognised by its beginning, however large it is', async () => {
    const base = folder({ 'large.csv': text('publer.csv') + `,${'é'.repeat(200_000)}\n` });
    const file = join(base, 'large.csv');
    expect((await findExportOf({ path: file }, { platforms: PLATFORMS, now: NOW }))?.tool).toBe('Publer');
  });
});

describe('columns by their numbers', () => {
  const columns = { '1': 'title', '2': 'source', '4': 'platform' };
  const settings = { columns };

  it('are those of a file without a header: its first line is a row', async () => {
    const reading = await read('One,a.mp4,mine,short\nTwo,b.mp4,mine,short\n', { settings });
    expect(reading.rows.map(({ line, title }) => [line, title])).toEqual([[1, 'One'], [2, 'Two']]); // prettier-ignore
    expect(reading.columns).toEqual(['1', '2', '3', '4']);
  });

  it('are headers where the file has these, as a result file made of it does', async () => {
    const reading = await read('1,2,3,4\nOne,a.mp4,mine,short\n', { settings });
    expect(reading.rows.map(({ line, title }) => [line, title])).toEqual([[2, 'One']]);
  });
});

describe('a column with several fields', () => {
  it('gives its value to each of them, in a CSV and in a YAML', async () => {
    const settings = { columns: { Text: 'title.short+description.long' } };
    const csv = await read('source,platform,Text\nhttps://v.example/a.mp4,short|long,Hello\n', { settings });
    const yaml = await readYaml(
      'videos:\n- {source: "https://v.example/a.mp4", platform: [short, long], Text: Hello}\n',
      { settings },
    );
    for (const { rows } of [csv, yaml])
      expect(rows.map(({ title, description }) => [title, description])).toEqual([['Hello', null], [null, 'Hello']]); // prettier-ignore
  });

  it('is refused where one of them is none', async () => {
    const settings = { columns: { Text: 'title+descripton' } };
    expect(errors(await read('source,platform,Text\na.mp4,short,Hello\n', { settings }))).toContain(
      'error - columns columns-setting',
    );
  });
});
