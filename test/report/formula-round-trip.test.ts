import fc from 'fast-check';
import { csvReport } from '../../report/csv/csv-report';
import { read } from '../manifests/support';
import { record, stream, textOf } from './records';

const start = fc.constantFrom('=', '+', '-', '@', "'", "''", "'=", "''-", '');
const cell = fc.tuple(start, fc.stringMatching(/^[A-Za-z0-9(),;" ]{0,10}[A-Za-z0-9]$/)).map(([a, b]) => (a + b).trim());

function csvOf(cells: Record<string, string>): Promise<string> {
  return textOf(csvReport(stream([record({ cells })]), { columns: Object.keys(cells) }));
}

const ROW = { key: 'ep-1', source: 'https://v.example/1.mp4', platform: 'long', profile: 'Garden' };
const RUNS_IN_A_SHEET = /(^|,)"?[=+@-]/u;

/** What readers take for cells that split at another delimiter than the comma, and see no quotes within one. */
function cellsElsewhere(text: string): string[] {
  return text.split(/[;|\t\r\n]/u);
}

test('text like a formula is harmless in the results, and comes back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(cell, cell, async (title, description) => {
      const text = await csvOf({ ...ROW, title, description });
      expect(text.split('\r\n')[1]).not.toMatch(RUNS_IN_A_SHEET);
      const reading = await read(text);
      expect(reading.rows[0]).toMatchObject({ title, description, cells: { title, description } });
    }),
    { numRuns: 200 },
  );
});

test.each(['=cmd', "'=cmd", '-x', "''@y", '+1'])(
  'a header %s is harmless as well, and is read as it was',
  async (header) => {
    const text = await csvOf({ ...ROW, title: 'T', [header]: 'n' });
    expect(text.split('\r\n')[0]).not.toMatch(RUNS_IN_A_SHEET);
    const reading = await read(text);
    expect(reading.columns).toContain(header);
    expect(reading.rows[0]?.cells[header]).toBe('n');
  },
);

const piece = fc.constantFrom('=', '+', '-', '@', "'", '"', ';', '|', '\t', '\n', 'a', '1', ',', ' ');
const hostile = fc.array(piece, { maxLength: 12 }).map((pieces) => `a${pieces.join('')}z`);

test('nothing inside of a cell is a formula for a reader with another delimiter, and it comes back as it was', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (description, own) => {
      const text = await csvOf({
        ...ROW,
        title: 'T',
        description,
        [own.replaceAll(/[\n\t]/g, ' ').trim()]: 'n',
        more: own,
      });
      for (const cellText of cellsElsewhere(text)) expect(cellText).not.toMatch(/^"*[=+@-]/u);
      const reading = await read(text);
      expect(reading.rows[0]?.cells).toMatchObject({ description, more: own });
    }),
    { numRuns: 200 },
  );
});

test.each(["a;=cmd|'/C calc'!A0", 'a\t=1+1', 'a|@x', 'a;"=cmd"', "a;'=b", 'Intro:\n- one', "a;''+1"])(
  '%j in a cell is harmless, and comes back as it was',
  async (description) => {
    const text = await csvOf({ ...ROW, title: 'T', description });
    for (const cellText of cellsElsewhere(text)) expect(cellText).not.toMatch(/^"*[=+@-]/u);
    expect((await read(text)).rows[0]?.cells).toMatchObject({ description });
  },
);

const outside = fc.string({
  unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', '=', "'", ' ', '字', '|', '\t'),
  maxLength: 8,
});

test('results of several rows read as a manifest of the same rows, whatever the service answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(hostile, outside), { minLength: 1, maxLength: 6 }), async (rows) => {
      const columns = Object.keys({ ...ROW, title: '', description: '' });
      const records = rows.map(([description, told], at) =>
        record({
          ...{ line: at + 2, key: `ep-${at}`, message: told, code: told, publication_id: told, video_url: told },
          ...{ title: told, profile: told, privacy: told, candidates: [told] },
          cells: { ...ROW, source: `https://v.example/${at}.mp4`, key: `ep-${at}`, title: `T${at}`, description },
        }),
      );
      const reading = await read(await textOf(csvReport(stream(records), { columns })));
      expect(reading.rows.map(({ key, cells }) => [key, cells.description])).toEqual(
        rows.map(([description], at) => [`ep-${at}`, description]),
      );
    }),
    { numRuns: 100, seed: 17 },
  );
});
