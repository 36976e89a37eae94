import { createHash } from 'node:crypto';
import { type HtmlReportInput } from '../../../report/html/report-input';
import { htmlReport } from '../../../report/html/html-report';
import { record, stream, textOf } from '../records';
import { type ResultRecord } from '../../../ledger/model/result-types';

const make = (rows: readonly ResultRecord[], more: Partial<HtmlReportInput> = {}): Promise<string> => {
  const counts: Partial<Record<string, number>> = {};
  for (const row of rows) counts[row.state] = (counts[row.state] ?? 0) + 1;
  return textOf(
    htmlReport({
      run: 'spring.1',
      campaign: 'spring',
      total: rows.length,
      counts,
      startedAt: '2026-11-01T10:00:00.000Z',
      finishedAt: null,
      webUi: null,
      sandbox: false,
      next: [],
      rows: () => stream(rows),
      zone: 'UTC',
      madeAt: '2026-11-01T11:00:00.000Z',
      ...more,
    }),
  );
};

/** Every tag of the document, without those of ours that have no text of others in them. */
const tags = (html: string): string[] => [...html.matchAll(/<([a-z0-9]+)/gi)].map((match) => match[1] ?? '');

describe('the HTML report', () => {
  test('rows that a person gave up are separate from those that were never sent', async () => {
    const given = {
      state: 'cancelled',
      code: 'given-up',
      message: 'given up by ana; it may have been published',
    } as const;
    const html = await make([
      record({ line: 3, key: 'perhaps', ...given }),
      record({ line: 4, key: 'never', state: 'cancelled', code: 'cancelled', message: 'cancelled by ana' }),
    ]);
    expect(html).toContain('<b>2</b>cancelled (1 given up, may be live)');
    const section = html.slice(html.indexOf('<h2>Given up, may be live</h2>'), html.indexOf('<h2>Rows</h2>'));
    expect(section).toContain('Row 3, key <code>perhaps</code>');
    expect(section).not.toContain('never</code>');
    expect(await make([record({ state: 'cancelled', code: 'cancelled' })])).not.toContain('iven up');
  });

  test('commands that settle many rows at once are for the home that was named', async () => {
    const html = await make([record({ state: 'unconfirmed' })], { placeFlags: " --home '/my files'" });
    for (const command of ['--out settle.csv', '--from settle.csv'])
      expect(html).toContain(`${command} --home &#39;/my files&#39;</code>`);
  });

  test('the verdict names the rows that were left out, and is then not a full success', async () => {
    const leftOut = ['2 rows of <b>.csv (lines 4, 6) were left out because of errors, and not sent'];
    const html = await make([record()], { leftOut });
    expect(html).toContain(
      '<p class="left-out">2 rows of &lt;b&gt;.csv (lines 4, 6) were left out because of errors, and not sent.</p>',
    );
    expect(html).toContain('class="verdict" role="status"');
    expect(await make([record()])).toContain('class="verdict good"');
  });

  test('where the Web UI ended with its run, the link says how to get it back', async () => {
    const link = { webUi: 'http://127.0.0.1:8233/namespaces/default/workflows/campaign%2Fspring' };
    const gone = await make([record()], { ...link, webUiAgain: ['reelay up', 'reelay open spring.1'] });
    expect(gone).toContain('back with <code>reelay up</code>, then <code>reelay open spring.1</code>');
    expect(await make([record()], link)).not.toContain('back with');
  });

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    '</title></td></table><iframe>',
    '&lt;b&gt; <!-- ',
  ])('a hostile text %j stays text wherever it stands', async (hostile) => {
    const rows = [
      record({
        title: hostile,
        key: hostile,
        profile: hostile,
        state: 'failed',
        code: hostile,
        message: hostile,
        video_url: null,
      }),
      record({
        title: hostile,
        profile: hostile,
        state: 'unconfirmed',
        candidates: [hostile],
        message: hostile,
        video_url: null,
        key: hostile,
      }),
    ];
    const harmless = rows.map((row) => ({
      ...row,
      title: 'x',
      key: 'x',
      profile: 'x',
      code: 'x',
      message: 'x',
      candidates: ['x'],
    }));
    const html = await make(rows, { run: hostile, next: [{ command: hostile, what: hostile }] });
    const plain = await make(harmless, { run: 'x', next: [{ command: 'x', what: 'x' }] });
    expect(tags(html)).toEqual(tags(plain));
    expect(html).not.toContain(hostile);
  });

  test('text in backticks in a message is code everywhere, and stays text', async () => {
    const message = 'the repeat is left to a person: `ambiguous: <hold>`';
    const html = await make([
      record({ state: 'unconfirmed', code: 'held', message, video_url: null }),
      record({ state: 'cancelled', code: 'given-up', message, video_url: null }),
    ]);
    expect(html.split('<code>ambiguous: &lt;hold&gt;</code>')).toHaveLength(1 + 5);
    expect(html).not.toContain('`');
  });

  test('an address that is not http(s) is no link', async () => {
    const html = await make([
      record({ video_url: 'javascript:alert(1)' }),
      record({ video_url: 'https://v.example/?a=1&b="2"' }),
    ]);
    expect(html).not.toContain('href="javascript:');
    expect(html).toContain('href="https://v.example/?a=1&amp;b=&quot;2&quot;"');
  });

  test('text that would reorder its surroundings is shown by its number', async () => {
    const html = await make([record({ title: 'a\u202eb\u0000c' })]);
    expect(html).toContain('a\\u{202e}b\\u{0}c');
  });

  test('the policy allows exactly the style and the script of the page, and no request', async () => {
    const html = await make([record()]);
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? '';
    for (const [tag, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const blocks = [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map((match) => match[1] ?? '');
      expect(blocks).toHaveLength(1);
      const hash = createHash('sha256')
        .update(blocks[0] ?? '')
        .digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${hash}'`);
    }
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(html).not.toMatch(/\b(src|srcset|style|on\w+)="|url\(|@import/i);
  });

  test('a command that settles a row is shown with it, and not again among the next ones', async () => {
    const rows = [record({ line: 5, key: 'lost', state: 'unconfirmed', code: 'lost', message: 'cut', candidates: [] })];
    const settle = 'reelay resolve spring.1 --not-published lost';
    const html = await make(rows, {
      next: ['reelay retry spring.1', settle].map((command) => ({ command, what: '' })),
      settle: [{ key: 'lost', channel: 'Garden · long', commands: [settle] }],
    });
    expect(html.split(settle)).toHaveLength(2);
    expect(html).toContain('<code>reelay retry spring.1</code>');
  });

  test('the verdict and the counts come before the causes, and those before the rows', async () => {
    const rows = [
      record(),
      record({ line: 3, state: 'failed', code: 'processing-failed', message: 'The upload failed.' }),
      record({ line: 4, state: 'failed', code: 'processing-failed', message: 'The upload failed.' }),
      record({ line: 5, state: 'unconfirmed', code: 'lost', message: 'The answer was cut.', candidates: ['pub-9'] }),
    ];
    const html = await make(rows, { next: [{ command: 'reelay results spring.1 --state failed', what: '' }] });
    const order = [
      '1 of 4 rows succeeded; 3 need attention.',
      '<ul class="counts">',
      'Needs a person',
      'reelay results spring.1',
      'Problems by cause',
      '<b>2</b> <span class="s bad">failed</span>',
      'Row 3 · Episode 1',
      'Row 4 · Episode 1',
      '<table id="rows"',
    ];
    const places = order.map((text) => html.indexOf(text));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(html.match(/<tr data-s=/g)).toHaveLength(4);
  });

  test('the verdict says what the rows are that neither succeeded nor went wrong', async () => {
    const at = '2026-12-01T17:00:00.000Z';
    const verdictOf = async (rows: readonly Partial<ResultRecord>[]): Promise<string | undefined> =>
      /role="status">([^<]*)/.exec(await make(rows.map((fields) => record(fields))))?.[1];
    expect(await verdictOf([{}, { state: 'waiting', publish_at: at }, { state: 'planned', publish_at: at }])).toBe(
      '1 of 3 rows succeeded; 2 are scheduled.',
    );
    expect(await verdictOf([{}, { state: 'planned' }, { state: 'cancelled', code: 'cancelled' }])).toBe(
      '1 of 3 rows succeeded; 1 is not sent yet; 1 was cancelled.',
    );
    expect(
      await verdictOf([{ state: 'processing' }, { state: 'creating' }, { state: 'cancelled', code: 'given-up' }]),
    ).toBe('0 of 3 rows succeeded; 2 are being published; 1 was given up and may be live.');
  });

  test('the report says how to make one for a client', async () => {
    expect(await make([record()], { placeFlags: ' --home /h' })).toContain(
      '<code>reelay results spring -o html --for-client --out spring.html --home /h</code>',
    );
  });

  test('a run of the sandbox says so, a full success too', async () => {
    const html = await make([record()], { sandbox: true });
    expect(html).toContain('<h1>SANDBOX · spring.1</h1>');
    expect(html).toContain('The one row succeeded.');
  });
});
