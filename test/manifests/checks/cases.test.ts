import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkManifest, readManifest } from '../../../manifests/read-manifest';
import { type ManifestRow, type ReadOptions } from '../../../manifests/types';
import { CASES } from '../case-table';
import { list, NOW, PLATFORMS } from '../support';

const FOLDER = join(__dirname, '..', 'cases');
const SHOWN_ROWS = 12;
const files = readdirSync(FOLDER).filter((name) => /\.(csv|tsv|ya?ml|json)$/.test(name));

/** Reads a file of the table; that no row names a profile goes without saying here. */
async function readCase(name: string, options: Partial<ReadOptions> = {}) {
  expect(existsSync(join(FOLDER, name))).toBe(true);
  const own = { platforms: PLATFORMS, now: NOW, ...CASES[name]?.options, ...options };
  const reading = await readManifest({ path: join(FOLDER, name) }, own);
  return { ...reading, problems: reading.problems.filter(({ code }) => code !== 'profile-default') };
}

function shown(rows: readonly ManifestRow[]): string[] {
  const lines = rows.slice(0, SHOWN_ROWS).map((row) => {
    const platform = row.platformKind;
    const cells = [
      row.line,
      platform,
      row.title,
      ...((row.privacy ?? []).length === 0 ? [] : [row.privacy]),
      ...(row.publishAt === null ? [] : [row.publishAt]),
    ];
    return cells.join(' · ').replace(/x{20,}/, (run) => `x*${run.length}`);
  });
  return rows.length > SHOWN_ROWS ? [...lines, `${rows.length} rows`] : lines;
}

test('the table has every file, and no other', () => {
  expect(Object.keys(CASES).sort()).toEqual(files.sort());
});

describe('a file from the field is read as meant, or refused with exactly these problems:', () => {
  test.each(Object.entries(CASES))('%s', async (name, { problems, rows }) => {
    const reading = await readCase(name);
    expect({ problems: list(reading), rows: shown(reading.rows) }).toEqual({ problems, rows });
    // A person who reads a problem must be able to fix what it names.
    for (const problem of reading.problems) expect(problem.hint).toMatch(/\S{2}.*[.?]$/u);
  });

  test('checking alone reports the same', async () => {
    for (const name of files) {
      const reading = await readCase(name);
      const own = { platforms: PLATFORMS, now: NOW, ...CASES[name]?.options };
      const checked = await checkManifest({ path: join(FOLDER, name) }, own);
      expect([name, checked.problems.filter(({ code }) => code !== 'profile-default'), checked.goodRows]).toEqual([
        name,
        reading.problems,
        reading.rows.filter(({ deferredErrors }) => deferredErrors.length === 0).length,
      ]);
    }
  });
});

describe('the answer says what to do:', () => {
  test.each([
    ['macintosh.csv', /0x8E at offset 25 of the file/, /--encoding .*macintosh/],
    ['utf8-cut.csv', /0xC3 at offset 25/, /CSV UTF-8/],
    ['utf16-without-mark.csv', /without a byte order mark/, /--encoding utf-16le/],
    ['utf16-half-pair.csv', /line 2, offset 50/, /CSV UTF-8/],
    ['workbook.csv', /has no sheet that can be read/, /Excel workbook \(\.xlsx\)/],
    ['old-workbook.csv', /old Excel workbook \(\.xls\)/, /“CSV UTF-8”/],
    ['opendocument.csv', /\(\.ods\)/, /“CSV UTF-8”/],
    ['numbers.csv', /Numbers/, /“CSV UTF-8”/],
    ['sep-unusable.csv', /“sep=xx”/, /sep=;/],
    ['extra-cells.csv', /delimiter: comma, read from the header/, /quotes/],
    ['curly-quotes.csv', /4 cells/, /straight " holds/],
    ['same-header-folded.csv', /Columns 1 and 2/, /Rename or delete/],
    ['blank-rows.csv', /1,201 blank rows/, /Nothing to do/],
    ['unclosed-quote.csv', /line 4 is never closed/, /Close the quote/],
    ['status-approved.csv', /“Approved”/, /columns: \{Status: ignore\}.*--column Status=ignore/],
    ['control-characters.csv', /U\+0000 as its character 4/, /Delete/],
    ['sheet-errors.csv', /“#REF!”/, /formula/],
    ['yaml-word-no.yaml', /yes or no/, /"no"/],
    ['yaml-hash.yaml', /it is “Weekly recap”/, /quotes/],
    ['yaml-anchor.yaml', /&Friends/, /quotes/],
    ['yaml-colon.yaml', /Line 5/, /“: ”/],
    ['yaml-at-sign.yaml', /Line 5/, /quotes/],
    ['merge-quoted.yaml', /merges nothing/, /<<: \*NAME/],
    ['merge-later.yaml', /anchor above/, /anchor above/],
    ['near-names.csv', /upper and lower case is: “a\.mp4”/, /“a\.mp4” exactly/],
  ])('%s', async (name, message, hint) => {
    const { problems } = await readCase(name);
    const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
    expect(first).toMatchObject({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) });
  });

  test('both readings of a date that may be either', async () => {
    const { problems } = await readCase('times-bad.csv');
    const hints = problems.filter(({ code }) => code === 'bad-time').map(({ hint }) => hint);
    expect(hints[1]).toContain(
      '2026-12-01 09:00 (date_format: MM/DD/YYYY) or 2026-01-12 09:00 (date_format: DD/MM/YYYY)',
    );
    expect(hints[2]).toContain('2026-12-13 18:00 (date_format: DD/MM/YYYY)');
    expect(problems.find(({ code }) => code === 'time-twice')?.hint).toContain('+02:00 or +01:00');
  });
});

describe('a flag changes the reading:', () => {
  test.each<[string, Partial<ReadOptions>, string[]]>([
    ['windows-1252.csv', { encoding: 'windows-1252' }, ['ok', 'Café “Best of”']],
    ['macintosh.csv', { encoding: 'macintosh' }, ['Café “Best of”']],
    ['utf16-without-mark.csv', { encoding: 'utf-16le' }, ['Gärten']],
    ['pipes.csv', { delimiter: 'pipe' }, ['A, B; C', 'A, B; C']],
    [
      'other-tools-headers.csv',
      {
        settings: {
          columns: {
            caption: 'title',
            video_file: 'source',
            network: 'platform',
            visibility: 'privacy',
            channel: 'profile',
            scheduled_at: 'publish_at',
          },
        },
        timezone: 'UTC',
      },
      ['A'],
    ],
    ['status-approved.csv', { settings: { columns: { status: 'ignore' } } }, ['A', 'B']],
  ])('%s with %j', async (name, options, titles) => {
    const reading = await readCase(name, options);
    expect(reading.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(reading.rows.map(({ title }) => title)).toEqual(titles);
  });

  test('an encoding in which a byte means nothing is refused with its line and offset', async () => {
    const reading = await readCase('macintosh.csv', { encoding: 'windows-1253' });
    expect(list(reading)).toEqual(['error 2 - encoding']);
    expect(reading.problems[0]?.message).toContain('offset 25 of the file');
  });

  test('strict makes the same warnings errors', async () => {
    expect(list(await readCase('not-offered.csv', { strict: true }))).toEqual(
      CASES['not-offered.csv']?.problems.map((one) => one.replace('warning', 'error')),
    );
  });

  test.each<[ReadOptions['past'], boolean, string | null]>([
    ['now', false, null],
    ['skip', true, '2026-05-01T08:00:00.000Z'],
  ])('a past time under --past %s', async (past, skip, publishAt) => {
    const reading = await readCase('times-bad.csv', past === undefined ? {} : { past });
    expect(reading.problems.map(({ code }) => code)).not.toContain('time-past');
    expect(reading.rows.find(({ line }) => line === 6)).toMatchObject({ skip, publishAt });
  });
});
