import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvReport } from '../../../report/csv/csv-report';
import { guardFormula, unguardFormula } from '../../../wording/formula';
import { CSV_FIELDS, recordData } from '../../../report/record-fields';
import { read as readSheet } from '../../manifests/support';
import { record, stream, textOf } from '../records';

const read = (text: string): Record<string, string>[] =>
  parse(text, { columns: true, bom: true, record_delimiter: ['\r\n'] });

describe('results as CSV', () => {
  test("the manifest's own columns come first, in their order, then ours with the prefix", async () => {
    const cells = { Titel: 'Episode 1', notes: '' };
    const text = await textOf(csvReport(stream([record({ cells })]), { columns: ['notes', 'Titel'] }));
    expect(text.split('\r\n')[0]).toBe(`notes,Titel,${CSV_FIELDS.map((field) => `reelay_${field}`).join(',')}`);
    expect(read(text)[0]).toMatchObject({
      notes: '',
      Titel: 'Episode 1',
      reelay_key: 'ep-1',
      reelay_campaign: 'spring',
      reelay_state: 'published',
    });
  });

  test('what was sent is beside what the manifest says now, as in JSON', async () => {
    const sent = { title: 'Old title', source: 'https://example.com/1.mp4?…', publish_at: '2027-03-01T17:00:00.000Z' };
    const row = record({ ...sent, code: 'differs', cells: { title: 'New title' } });
    const text = await textOf(csvReport(stream([row]), { columns: ['title'] }));
    expect(read(text)[0]).toMatchObject({
      title: 'New title',
      reelay_title: sent.title,
      reelay_source: sent.source,
      reelay_publish_at: sent.publish_at,
    });
    expect(recordData(row)).toMatchObject(sent);
  });

  test.each(['=1+1', '+1', '-1', '@cmd', '\tx', '\rx', "'=1+1", "''-x"])(
    '%j is harmless in a cell and comes back as it was',
    async (cell) => {
      const text = await textOf(
        csvReport(stream([record({ message: cell, cells: { title: cell } })]), { columns: ['title'] }),
      );
      const [row] = read(text);
      for (const column of ['title', 'reelay_message']) {
        expect(row?.[column]).not.toMatch(/^[=+\-@\t\r]/);
        expect(unguardFormula(row?.[column] ?? '')).toBe(cell);
      }
    },
  );

  test("a header can't be a formula either", async () => {
    const text = await textOf(csvReport(stream([]), { columns: ['=HYPERLINK("x")'] }));
    expect(text.startsWith(`"'=HYPERLINK(""x"")",reelay_key`)).toBe(true);
  });

  test('any cell comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 5 }),
        async (cells) => {
          const records = cells.map((cell) => record({ cells: { own: cell } }));
          const rows = read(await textOf(csvReport(stream(records), { columns: ['own'] })));
          expect(rows.map((row) => unguardFormula(row.own ?? ''))).toEqual(cells);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('guarding is undone exactly, and nothing else is touched', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^'*[=+\-@a]?.*$/), (text) => {
        expect(unguardFormula(guardFormula(text))).toBe(text);
      }),
    );
    expect(guardFormula("it's = fine")).toBe("it's = fine");
    expect(unguardFormula("'quoted'")).toBe("'quoted'");
  });

  test('a line for several platforms gives each of its records its own', async () => {
    const cells = { platform: 'short | long', title: 'a|b' };
    const rows = [record({ cells, platform: 'platform_a' }), record({ cells, platform: 'platform_b' })];
    const read2 = read(await textOf(csvReport(stream(rows), { columns: ['platform', 'title'] })));
    expect(read2.map((row) => [row.platform, row.title])).toEqual([
      ['platform_a', 'a|b'],
      ['platform_b', 'a|b'],
    ]);
  });

  test('every record is included, however many', async () => {
    const many = Array.from({ length: 1_203 }, (_, index) => record({ line: index + 2, key: `k-${String(index)}` }));
    const rows = read(await textOf(csvReport(stream(many), { columns: [] })));
    expect(rows.map((row) => row.reelay_key)).toEqual(many.map((one) => one.key));
  });

  test.each([';', '\t', '|'])(
    'a file with %j between its cells begins with a UTF-8 mark and comes back as it was',
    async (delimiter) => {
      const title = `Gärten${delimiter} "Teil 1"`;
      const options = { columns: ['title', 'note'], bom: true, delimiter };
      const text = await textOf(csvReport(stream([record({ cells: { title, note: 'a,b' } })]), options));
      expect(text.startsWith(`\ufefftitle${delimiter}note${delimiter}reelay_key`)).toBe(true);
      const reading = await readSheet(text);
      expect(reading.columns).toEqual(['title', 'note']);
      expect([...reading.rows, ...reading.invalidRows].map(({ cells }) => cells)).toContainEqual({
        title,
        note: 'a,b',
      });
    },
  );
});
