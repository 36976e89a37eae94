import { spawn } from 'node:child_process';
import { once } from 'node:events';
import stringWidth from 'string-width';
import { type TableColumn, alignedTable, shorten } from '../../../cli/terminal/table';
import { ProgressView, timeLeft } from '../../../cli/watch/progress';
import { groupProblems, problemLines } from '../../../cli/terminal/texts/problems-text';
import { type ShownProblem } from '../../../cli/errors/errors';
import { Output } from '../../../cli/terminal/output';
import { capture, CapturedStream } from '../capture';

const NONE = { rows: [], total: 0 };

interface Row {
  name: string;
  count: number;
}

const rows: Row[] = [
  { name: 'Garden', count: 7 },
  { name: '東京 散歩', count: 1200 },
];
const columns: TableColumn<Row>[] = [
  { title: 'NAME', value: (row) => row.name, shrink: true },
  { title: 'ROWS', value: (row) => row.count, align: 'right' },
];

describe('tables', () => {
  test('on a terminal they are aligned by display width, with wide characters', async () => {
    const { output, stdout } = capture({ columns: 60, noColor: true });
    await output.table(rows, columns);
    expect(stdout.text).toBe('NAME       ROWS\nGarden        7\n東京 散歩  1200\n');
  });

  test('in a pipe they are tab-separated and nothing is shortened', async () => {
    const { output, stdout } = capture();
    const long = 'x'.repeat(300);
    await output.table([{ name: `${long}\ty\n`, count: 1 }], columns);
    expect(stdout.text).toBe(`NAME\tROWS\n${long}\\ty\\n\t1\n`);
  });

  test('they fit the width by shortening the columns that may be, with the header bold only in colour', async () => {
    const lines = alignedTable([{ name: 'x'.repeat(300), count: 1 }], columns, 40);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(40);
    const { output, stdout } = capture({ columns: 60 });
    await output.table(rows, columns);
    expect(stdout.text.startsWith('\u001b[1mNAME')).toBe(true);
  });

  test('text is never cut through a character', () => {
    expect(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 5)).toBe('👨‍👩‍👧‍👦👨‍👩‍👧‍👦…');
    expect(shorten('short', 10)).toBe('short');
  });

  test('hostile text can neither move the cursor nor reorder the line', async () => {
    const { output, stdout } = capture({ columns: 80, noColor: true });
    await output.table([{ name: 'a\u001b[2J\u202eb\u0007', count: 1 }], columns);
    expect(stdout.text).toContain('a\\u{1b}[2J\\u{202e}b\\u{7}');
  });
});

describe('output during work', () => {
  const snapshot = (published: number, at: number) => ({
    run: 'spring.1',
    counts: { published, planned: 10 - published },
    at,
    held: null,
    left: 10 - published,
    lastSendAt: null,
    problems: [],
    persons: NONE,
    silent: null,
    lost: null,
    unknown: null,
    trial: null,
  });

  test('a terminal gets lines that are redrawn in one write, and taken away before anything else', () => {
    const { output, stderr, stdout } = capture({ columns: 80, noColor: true });
    const view = new ProgressView(output, { sandbox: true });
    view.show(snapshot(1, 0));
    const before = stderr.text.length;
    view.show(snapshot(2, 1_000));
    expect(stderr.text.slice(before)).toMatch(/^\u001b\[2A\rSANDBOX spring\.1 .*2\/10/);
    view.end();
    expect(stderr.text.endsWith('\u001b[2A\r\u001b[J')).toBe(true);
    expect(stdout.text).toBe('');
  });

  test.each([{ columns: undefined }, { columns: 80, dumb: true }])(
    'without a terminal that can redraw, a change is a line and silence a line every 30 s (%j)',
    ({ columns, dumb }) => {
      const { output, stderr } = capture({ ...(columns === undefined ? {} : { columns }), dumb: dumb ?? false });
      const view = new ProgressView(output, { sandbox: false });
      for (const [published, at] of [
        [1, 10_000],
        [1, 20_000],
        [2, 21_000],
        [2, 40_000],
        [2, 51_000],
      ] as const)
        view.show(snapshot(published, at));
      const lines = stderr.text.trim().split('\n');
      expect(lines).toHaveLength(3);
      expect(lines[0]).toBe('spring.1: 1 of 10 rows ended · 1 published · 9 planned');
      expect(stderr.text).not.toContain('\u001b');
    },
  );

  test('without a screen, the time until which a lost answer is looked for is printed once per row', () => {
    const { output, stderr } = capture();
    const view = new ProgressView(output, { sandbox: false });
    for (const [ids, at] of [
      [[1], 10_000],
      [[1], 20_000],
      [[1, 2], 30_000],
      [[2], 40_000],
    ] as const) {
      const short = `${String(ids.length)} lost`;
      const lost = { rows: ids.length, ids, short, text: `${short}, looking until ${String(at)}` };
      view.show({ ...snapshot(1, at), lost });
    }
    const said = stderr.text.split('\n').filter((line) => line.includes('until'));
    expect(said).toEqual(['1 lost, looking until 10000', '2 lost, looking until 30000']);
    expect(stderr.text).toContain('9 planned · 2 lost\n');
  });

  test('a redrawn line never wraps, as the cursor would then go up too little', () => {
    const { output, stderr } = capture({ columns: 40 });
    output.redraw([`${output.paint('bold', 'spring.1')} ${'東'.repeat(60)}`]);
    const [line] = stderr.text.replace('\r', '').split('\u001b[K');
    expect(stringWidth(line ?? '')).toBeLessThan(40);
    expect(line?.startsWith('spring.1 東')).toBe(true);
  });

  test('an estimate is the time of the last row where rows wait, else the rate; rows that aren’t sent count nothing', () => {
    const samples = [
      { at: 0, ended: 0 },
      { at: 10_000, ended: 20 },
    ];
    const run = { at: 10_000, held: null, left: 40, lastSendAt: null, lost: null, unknown: null };
    expect(timeLeft(samples, run)).toBe(20_000);
    expect(timeLeft(samples.slice(0, 1), run)).toBeNull();
    expect(timeLeft(samples, { ...run, left: 0 })).toBeNull();
    expect(timeLeft(samples, { ...run, held: 'parked: Garden · long' })).toBeNull();
    expect(timeLeft(samples, { ...run, lastSendAt: 3_610_000 })).toBe(3_600_000);
    expect(timeLeft(samples, { ...run, held: 'next in an hour', lastSendAt: 3_610_000 })).toBe(3_600_000);
    expect(timeLeft(samples, { ...run, lastSendAt: Infinity })).toBeNull();
    expect(timeLeft(samples, { ...run, held: 'paused: the run', closed: true, lastSendAt: 3_610_000 })).toBeNull();
    // Rows whose answer was lost end when they are found or given up, not at the others' rate.
    expect(timeLeft(samples, { ...run, left: 2, lost: { rows: 2 } })).toBeNull();
    expect(timeLeft(samples, { ...run, left: 42, lost: { rows: 2 } })).toBe(20_000);
  });

  test('events are for jsonl only', async () => {
    const text = capture();
    await text.output.event({ event: 'x' });
    expect(text.stdout.text).toBe('');
    const lines = capture({ format: 'jsonl' });
    await lines.output.event({ event: 'x' });
    expect(JSON.parse(lines.stdout.text)).toEqual({ version: 1, event: 'x' });
  });

  test('a reader that goes away is no error: what is written after it is dropped', async () => {
    const reader = spawn(process.execPath, ['-e', "process.stdin.once('data', () => process.exit(0))"], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const environment = { noColor: true, dumb: false };
    const output = new Output({ stdout: reader.stdin, stderr: new CapturedStream(), format: 'text', environment });
    const writing = (async () => {
      while (!output.closed) await output.data(`${'x'.repeat(1_000)}\n`);
    })();
    await writing;
    await output.data('not read');
    if (reader.exitCode === null) await once(reader, 'exit');
  });
});

describe('problems for a person', () => {
  const problem = (line: number, code = 'title-too-long', value: string | null = null): ShownProblem => ({
    severity: 'error',
    line,
    column: 'title',
    code,
    value,
    message: `the title of line ${String(line)} is too long`,
    hint: 'Shorten it.',
  });

  test('a few of one cause are listed, many become one entry with their count, sorted by line', () => {
    const many = Array.from({ length: 1_199 }, (_, index) => problem(1_300 - index));
    const groups = groupProblems([...many, problem(50, 'bad-time'), problem(7, 'bad-time')]);
    expect(groups.map((group) => [group.first.line, group.first.code, group.more])).toEqual([
      [7, 'bad-time', 0],
      [50, 'bad-time', 0],
      [102, 'title-too-long', 1_198],
    ]);
    const { output } = capture();
    expect(problemLines(many, output).at(-1)).toBe('    … and 1,198 more rows (lines 103, 104, 105, 106, 107, …)');
  });

  test('the line is shown with a caret under the value, by display width', () => {
    const { output } = capture();
    expect(problemLines([{ ...problem(2, 'x', 'Bad'), column: '1' }], output)[0]).toContain(' line 2, column 1: ');
    const lines = problemLines([problem(2, 'x', 'Bad')], output, { text: 'key,title\n東,Bad\n', sheet: null });
    expect(lines.slice(1, 3)).toEqual(['    東,Bad', '       ^^^']);
  });

  test('a cut value, doubled quotes and invisible characters are found in the line too', () => {
    const { output } = capture();
    const text = `${'x'.repeat(90)}\n"say ""no"""\na\u202eb`;
    const shown = (line: number, value: string): string[] =>
      problemLines([problem(line, 'x', value)], output, { text, sheet: null }).slice(1, -1);
    expect(shown(1, `${'x'.repeat(79)}…`)[1]).toMatch(/^ {4}\^+$/);
    expect(shown(2, 'say "no"')).toEqual(['    "say ""no"""', '     ^^^^^^^^^^']);
    expect(shown(3, 'a\\u{202e}b')).toEqual(['    a\\u{202e}b', '    ^^^^^^^^^^']);
  });

  test('a problem of a sheet shows the line of the sheet', () => {
    const { output } = capture();
    const texts = { text: 'videos: rows.csv\nBad: x', sheet: { text: 'title\nBad' } };
    const lines = problemLines([{ ...problem(2, 'x', 'Bad'), file: 'rows.csv' }], output, texts);
    expect(lines.slice(1, 3)).toEqual(['    Bad', '    ^^^']);
  });

  test('a line that may hold a signature is not shown', () => {
    const { output } = capture();
    const lines = problemLines([problem(1, 'x', 'Bad')], output, {
      text: 'https://a.example/v.mp4?sig=s3cret,Bad',
      sheet: null,
    });
    expect(lines.join('\n')).not.toContain('s3cret');
  });
});
