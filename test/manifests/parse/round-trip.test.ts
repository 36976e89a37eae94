import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { stringify } from 'yaml';
import { scanCsv } from '../../../manifests/parse/csv/csv-scan';
import { readRecords } from '../../../manifests/parse/csv/read-records';
import { visible, maskUrl } from '../../../manifests/text';
import { read, readYaml } from '../support';

const delimiter = fc.constantFrom(',', ';', '\t', '|');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
/** Cells with everything that makes CSV hard. */
const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '|', '\n', '\r', ' ', '=', '字'),
  maxLength: 8,
});

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

test('quoted cells of any text read back the same in every dialect', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      delimiter,
      lineEnd,
      (rows, by, end) => {
        const text = rows.map((row) => row.map(quote).join(by)).join(end);
        const records = [...readRecords(text, by)];
        expect([...scanCsv(text, by)]).toEqual(records);
        expect(records.map((record) => record.cells)).toEqual(rows);
        expect(records.every((record) => record.fault === undefined)).toBe(true);
      },
    ),
  );
});

test('well-formed text reads as csv-parse reads it', () => {
  const part = fc.oneof(cell.map(quote), fc.string({ unit: fc.constantFrom('a', 'b', ' ', '=') }));
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part), { minLength: 1 }), lineEnd, (rows, end) => {
      const text = `h,i${end}${rows.map((row) => row.join(',')).join(end)}${end}`;
      const theirs = parse(text, { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
      expect([...scanCsv(text, ',')].map((record) => record.cells)).toEqual(theirs);
    }),
  );
});

test('each record starts on its physical line', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { minLength: 1 }), lineEnd, (rows, end) => {
      const lines: number[] = [];
      let text = '';
      for (const row of rows) {
        lines.push(text.split(/\r\n|\r|\n/).length);
        text += row.map(quote).join(',') + end;
      }
      expect([...readRecords(text, ',')].map((record) => record.line)).toEqual(lines);
    }),
  );
});

test('any text at all is read without an exception', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.constantFrom('m.csv', 'm.yaml'), async (text, name) => {
      const reading = await read(text, { name });
      expect(reading.rows.length + reading.problems.length).toBeGreaterThan(0);
      for (const problem of reading.problems) expect(visible(problem.message)).toBe(problem.message);
    }),
  );
});

const title = fc
  .string({
    unit: fc.constantFrom('a', 'B', '#', ' ', ':', '"', "'", ',', ';', 'é', '字', '-', '0'),
    minLength: 1,
    maxLength: 40,
  })
  .filter((text) => text.trim() !== '');
const titles = fc.array(title, { minLength: 1, maxLength: 8 });
const url = (index: number): string => `https://example.com/${index}.mp4`;

test('titles come through a CSV unchanged, whatever the dialect', async () => {
  await fc.assert(
    fc.asyncProperty(titles, delimiter, lineEnd, async (list, by, end) => {
      const text = [
        ['title', 'source', 'platform'].join(by),
        ...list.map((one, index) => [quote(one), url(index), 'short'].join(by)),
      ].join(end);
      const reading = await read(text);
      expect(reading.problems).toEqual([]);
      expect(reading.rows.map((row) => row.title)).toEqual(list.map((one) => one.trim()));
    }),
  );
});

test('titles come through a YAML unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(titles, async (list) => {
      const videos = list.map((one, index) => ({ title: one, source: url(index), platform: ['short'] }));
      const reading = await readYaml(
        stringify({ videos }, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
      );
      expect(reading.problems).toEqual([]);
      expect(reading.rows.map((row) => row.title)).toEqual(list.map((one) => one.trim()));
    }),
  );
});

test('no query, fragment or login of a URL is ever shown', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9/=&%._-]{1,30}$/), (secret) => {
      const hidden = `S${secret.replaceAll('/', '')}S`;
      for (const text of [
        `https://example.com/v?sig=${hidden}`,
        `x http://u:${hidden}@example.com/v`,
        `https://example.com/v#${hidden} y`,
      ]) {
        expect(maskUrl(text)).not.toContain(hidden);
      }
    }),
  );
});
