import { scanCsv } from '../../../manifests/parse/csv/csv-scan';
import { readRecords } from '../../../manifests/parse/csv/read-records';

/** Longer than several pieces, with cells of several lines, of which some are longer than a piece themselves. */
function longSheet(lineEnd: string): string {
  const rows = Array.from({ length: 3_000 }, (_one, index) => {
    const breaks = lineEnd.repeat(index % 50 === 0 ? 2_000 : index % 3);
    return `${index},"said ""${index}""${breaks}, é字",z`;
  });
  return `a,b,c${lineEnd}${rows.join(lineEnd)}`;
}

test.each(['\n', '\r\n', '\r'])('records and their lines stay exact from piece to piece (line end %j)', (lineEnd) => {
  const text = longSheet(lineEnd);
  const records = [...readRecords(text, ',')];
  expect(records).toHaveLength(3_001);
  expect(records).toEqual([...scanCsv(text, ',')]);
});

test('a well-formed CSV is read by csv-parse, also where the delimiter is a blank', () => {
  expect([...readRecords('a b\n"one two" "three"\n', ' ')]).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['one two', 'three'] },
  ]);
});

test('a quote that is wrong far below is explained at its line, and the rows around it are read', () => {
  const text = `${longSheet('\n')}\n"open,b,c\nlast,"b",c\n`;
  const [open, last] = [...readRecords(text, ',')].slice(-2);
  const lines = text.split('\n').length;
  expect(open).toMatchObject({ line: lines - 2, fault: { code: 'unclosed-quote', line: lines - 2 } });
  expect(last).toEqual({ line: lines - 1, cells: ['last', 'b', 'c'] });
});

test('half of a surrogate pair comes through unchanged', () => {
  expect([...readRecords('a\n\ud800x\n', ',')].map(({ cells }) => cells)).toEqual([['a'], ['\ud800x']]);
});
