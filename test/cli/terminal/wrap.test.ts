import fc from 'fast-check';
import stringWidth from 'string-width';
import { nextLines } from '../../../cli/terminal/texts/next-lines';
import { alignedTable } from '../../../cli/terminal/table';
import { wrapLine } from '../../../cli/terminal/wrap';
import { capture } from '../capture';

const LONG = `warning: ${'a long sentence that has to be broken somewhere, '.repeat(4)}at last`;

test('on a terminal a long line is broken between words, in a pipe it stays whole', async () => {
  const { output, stdout, stderr } = capture({ columns: 60, noColor: true });
  output.note(LONG);
  await output.lines([LONG]);
  for (const text of [stderr.text, stdout.text]) {
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.slice(1).every((line) => /^ {2}\S/u.test(line))).toBe(true);
    expect(lines.map((line) => line.trim()).join(' ')).toBe(LONG);
  }
  const piped = capture();
  piped.output.note(LONG);
  await piped.output.lines([LONG]);
  expect([piped.stderr.text, piped.stdout.text]).toEqual([`${LONG}\n`, `${LONG}\n`]);
});

test('a command to copy is never broken: neither as a line of its own nor in backticks', () => {
  const command = `reelay results spring --state failed -o csv --out corrected.csv --home '/a folder/${'x'.repeat(60)}'`;
  const steps = [{ command, what: 'writes a sheet; correct its cells', then: 'reelay run corrected.csv' }];
  expect(nextLines(steps).flatMap((line) => wrapLine(line, 60))).toEqual([
    'Next:',
    `  ${command}`,
    '      writes a sheet; correct its cells, then:',
    '  reelay run corrected.csv',
  ]);
  expect(nextLines([])).toEqual([]);
  expect(
    wrapLine('nothing is sent until a worker runs: `reelay worker --sandbox --home /files` starts one', 50),
  ).toEqual(['nothing is sent until a worker runs:', '  `reelay worker --sandbox --home /files` starts', '  one']);
});

test('no text is lost or changed by breaking it, and each line fits or is one word', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 40, max: 120 }), (text, width) => {
      const line = text.replaceAll(/[\n\r]/gu, '');
      const lines = wrapLine(line, width);
      expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
      if (/^\s*reelay |\t|`/u.test(line)) return;
      for (const one of lines) expect(stringWidth(one) <= width || !one.trim().includes(' ')).toBe(true);
    }),
  );
});

test('a table gives up columns, then shortens the widest one, and never an id', () => {
  const row = { id: 'i'.repeat(36), name: 'n'.repeat(40), note: 'o'.repeat(30), url: 'u'.repeat(50) };
  const columns = [
    { title: 'ID', value: (one: typeof row) => one.id, whole: true },
    { title: 'NAME', value: (one: typeof row) => one.name },
    { title: 'NOTE', value: (one: typeof row) => one.note, shrink: true },
    { title: 'URL', value: (one: typeof row) => one.url, from: 120 },
  ];
  for (const width of [70, 80, 100, 140]) {
    const [header = '', line = ''] = alignedTable([row], columns, width);
    expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(line).toContain(row.id);
    expect(header.includes('URL')).toBe(width >= 120);
  }
});

test('a column of parts continues in further lines, each whole, where the terminal is too narrow', () => {
  const columns = [
    { title: 'RUN', value: (row: { id: string }) => row.id, whole: true },
    { title: 'ROWS', value: () => '6 published · 2 waiting · 1 failed · 1 rejected', wrap: true },
  ];
  const rows = [{ id: 'spring.1' }, { id: 'winter.12' }];
  expect(alignedTable(rows, columns, 80)).toHaveLength(3);
  expect(alignedTable(rows, columns, 40)).toEqual([
    'RUN        ROWS',
    'spring.1   6 published · 2 waiting ·',
    '           1 failed · 1 rejected',
    'winter.12  6 published · 2 waiting ·',
    '           1 failed · 1 rejected',
  ]);
});
