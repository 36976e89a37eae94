import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { encode } from 'iconv-lite';
import { stringify as stringifyYaml } from 'yaml';
import { csvReport } from '../../../report/csv/csv-report';
import { record, stream, textOf } from '../../report/records';
import { type ManifestReading } from '../../../manifests/types';
import { read } from '../support';

/** How a sheet may be saved. */
interface Dialect {
  delimiter: string;
  lineEnd: string;
  encoding: 'utf8' | 'utf8-mark' | 'utf16le-mark' | 'utf16be-mark' | 'windows-1252';
  quoted: boolean;
  sepLine: boolean;
  lastLineEnd: boolean;
}

const dialect: fc.Arbitrary<Dialect> = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  encoding: fc.constantFrom('utf8', 'utf8-mark', 'utf16le-mark', 'utf16be-mark', 'windows-1252'),
  quoted: fc.boolean(),
  sepLine: fc.boolean(),
  lastLineEnd: fc.boolean(),
});

/** Everything that means something to CSV, YAML or a spreadsheet, in letters that Windows-1252 has too. */
const UNITS = [
  ...Array.from('aB7éß€“'),
  ' ',
  '"',
  "'",
  ',',
  ';',
  '|',
  '#',
  ':',
  '-',
  '&',
  '*',
  '!',
  '%',
  '@',
  '=',
  '+',
  '[',
  '{',
  '<',
];
const words = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...UNITS), minLength: 1, maxLength: 24 }),
    fc.constantFrom(
      'no',
      'true',
      'null',
      '~',
      '2024',
      '1e3',
      '012',
      '2026-10-25',
      '<<',
      '=1+1',
      '-',
      '#1',
      'a: b',
      '- a',
    ),
  )
  .map((text) => text.trim())
  .filter((text) => text !== '');
const lines = fc.array(words, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('\n'));

interface Row {
  title: string;
  description: string;
  privacy: string;
  key: string;
  profile: string;
  notes: string;
}
const rows: fc.Arbitrary<Row[]> = fc
  .array(
    fc.record({
      title: words,
      description: lines,
      privacy: fc.constantFrom('public', 'private', 'unlisted'),
      key: words,
      profile: words.filter((name) => name !== 'default'),
      notes: words,
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) => list.map((row, at) => ({ ...row, key: `${row.key} ${at}` })));

const COLUMNS = ['key', 'source', 'platform', 'profile', 'title', 'description', 'privacy', 'notes'] as const;
const cellsOf = (row: Row, at: number) => ({ ...row, source: `https://e.example/${at}.mp4`, platform: 'long' });

function save(table: readonly (readonly string[])[], how: Dialect): Buffer {
  const { delimiter, lineEnd, quoted } = how;
  const written = stringify(table as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    quoted,
    quoted_match: /[\r\n]/,
  });
  const whole = `${how.sepLine ? `sep=${delimiter}${lineEnd}` : ''}${written}`;
  const text = how.lastLineEnd ? whole : whole.slice(0, -lineEnd.length);
  if (how.encoding === 'windows-1252') return encode(text, 'windows-1252');
  if (how.encoding === 'utf8') return Buffer.from(text);
  if (how.encoding === 'utf8-mark') return Buffer.from(`\ufeff${text}`);
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  return how.encoding === 'utf16le-mark' ? utf16 : utf16.swap16();
}

/** What was meant, of rows however written. */
function meant({ rows: read, problems }: ManifestReading) {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const values = read.map(({ key, source, profile, title, description, privacy, cells }) => ({
    ...{ key, source, profile, title, description, privacy },
    notes: cells['notes'],
  }));
  return { errors, values };
}

/** Notes may be dates, which are asked about otherwise. */
const OWN = { settings: { columns: { notes: 'ignore' } } } as const;

const readSheet = async (bytes: Buffer, how: Dialect): Promise<ManifestReading> =>
  read(bytes, how.encoding === 'windows-1252' ? { ...OWN, encoding: 'windows-1252' } : OWN);

test('any rows read the same from every dialect of a CSV and from every style of a YAML', async () => {
  const style = fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_DOUBLE' as const,
    'QUOTE_SINGLE' as const,
    'BLOCK_LITERAL' as const,
    'BLOCK_FOLDED' as const,
  );
  await fc.assert(
    fc.asyncProperty(rows, dialect, style, fc.boolean(), async (list, how, defaultStringType, json) => {
      const items = list.map(cellsOf);
      const expected = {
        errors: [],
        values: items.map(({ key, source, profile, title, description, privacy, notes }) => ({
          ...{ key, source, profile, title, description, privacy, notes },
        })),
      };
      const table = [[...COLUMNS], ...items.map((item) => COLUMNS.map((name) => item[name]))];
      expect(meant(await readSheet(save(table, how), how))).toEqual(expected);
      // The writer quotes what YAML reads as something else, but not the words that only other readers do.
      const safe = { defaultStringType, defaultKeyType: 'PLAIN', version: '1.1', lineWidth: 0 } as const;
      const text = json
        ? JSON.stringify({ videos: items })
        : stringifyYaml({ videos: items }, safe).replace(/^%.*\n---\n/, '');
      expect(meant(await read(text, { name: json ? 'm.json' : 'm.yaml' }))).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test('a results file read, opened and saved in any dialect, is the same rows again, formulas made harmless or not', async () => {
  await fc.assert(
    fc.asyncProperty(rows, dialect, fc.boolean(), async (list, how, bom) => {
      const records = list.map((row, at) => {
        const { key, profile, title } = row;
        return record({ key, profile, title, platform: 'platform_b', cells: cellsOf(row, at), line: at + 2 });
      });
      const results = await textOf(csvReport(stream(records), { columns: COLUMNS, bom }));
      const expected = meant(await read(results, OWN));
      expect(expected.errors).toEqual([]);
      expect(expected.values).toEqual(
        list.map((row, at) => ({
          ...{ key: row.key, source: `https://e.example/${at}.mp4`, profile: row.profile, title: row.title },
          ...{ description: row.description, privacy: row.privacy, notes: row.notes },
        })),
      );
      const table = parse(results, { bom: true });
      expect(meant(await readSheet(save(table, how), how))).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});
