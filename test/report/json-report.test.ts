import { jsonLinesReport, jsonReport } from '../../report/json-report';
import { RECORD_FIELDS } from '../../report/record-fields';
import { record, stream, textOf } from './records';

describe('results as JSON', () => {
  const rows = [record(), record({ line: 3, key: 'ep-2', cells: { secret_url: 'https://x.example/?sig=1' } })];

  test('one document with the run and every record, without the cells of the user', async () => {
    const value = JSON.parse(await textOf(jsonReport(stream(rows), { id: 'spring.1' }, { total: 0, files: [] })));
    expect(value).toMatchObject({ version: 1, run: { id: 'spring.1' }, rows: [{ key: 'ep-1' }, { key: 'ep-2' }] });
    for (const row of value.rows as object[]) expect(Object.keys(row)).toEqual([...RECORD_FIELDS]);
    expect(JSON.stringify(value)).not.toContain('sig=1');
  });

  test('no rows are an empty list', async () => {
    expect(JSON.parse(await textOf(jsonReport(stream([]), null, null)))).toEqual({
      version: 1,
      run: null,
      left_out: null,
      rows: [],
    });
  });

  test('lines hold one record each', async () => {
    const lines = (await textOf(jsonLinesReport(stream(rows)))).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { key: string }).key)).toEqual(['ep-1', 'ep-2']);
  });
});
