import fc from 'fast-check';
import { csvReport } from '../../report/csv-report';
import { read } from '../manifests/support';
import { record, stream, textOf } from './records';

const start = fc.constantFrom('=', '+', '-', '@', "'", "''", "'=", "''-", '');
const cell = fc.tuple(start, fc.stringMatching(/^[A-Za-z0-9(),;" ]{0,10}[A-Za-z0-9]$/)).map(([a, b]) => (a + b).trim());

function csvOf(cells: Record<string, string>): Promise<string> {
  return textOf(csvReport(stream([record({ cells })]), { columns: Object.keys(cells) }));
}

const ROW = { key: 'ep-1', source: 'https://v.example/1.mp4', platform: 'long', profile: 'Garden' };
const RUNS_IN_A_SHEET = /(^|,)"?[=+@-]/u;

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
