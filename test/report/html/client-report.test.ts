import { htmlReport } from '../../../report/html/html-report';
import { type HtmlReportInput } from '../../../report/html/report-input';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { ROW_STATES } from '../../../ledger/model/states';
import { record, stream, textOf } from '../records';

const make = (rows: readonly ResultRecord[], more: Partial<HtmlReportInput> = {}): Promise<string> =>
  textOf(
    htmlReport({
      ...{ run: 'spring.3', campaign: 'spring', total: rows.length, counts: {}, succeeded: 0, forClient: true },
      ...{ startedAt: '2026-11-01T10:00:00.000Z', finishedAt: null, sandbox: false, zone: 'UTC' },
      webUi: 'http://127.0.0.1:8233/namespaces/default/workflows/campaign%2Fspring',
      webUiAgain: ['reelay up'],
      placeFlags: ' --home /home/ana',
      next: [{ command: 'reelay retry spring.3', what: 'secret' }],
      settle: [
        { key: 'secret-key', channel: 'Garden · long', commands: ['reelay resolve spring.3 secret-key --give-up'] },
      ],
      leftOut: ['2 rows of secret.csv (lines 4, 6) were left out because of errors, and not sent'],
      leftOutTotal: 2,
      rows: () => stream(rows),
      madeAt: '2026-11-01T11:00:00.000Z',
      ...more,
    }),
  );
const SECRET: Partial<ResultRecord> = {
  key: 'secret-key',
  line: 4711,
  run: 'spring.3',
  account: 'secret-account',
  profile: 'Garden',
  profile_id: '5a5d0000-0000-4000-8000-000000000001',
  source: 'https://secret.example/a.mp4',
  folder: '/home/ana',
  publication_id: '6f9619ff-8b86-d011-b42d-00c04fc964ff',
  publish_id: 'secret-publish',
  video_id: 'secret-video',
  message: 'http://127.0.0.1:8080/v1/publications answered 6f9619ff to ana@secret, /home/ana/a.mp4',
  attempts: 4712,
  candidates: ['secret-candidate'],
  cells: { note: 'secret-note' },
  title: 'Episode',
};
/** What the body shows and links to: without the style and the script, which are the same in every report. */
const bodyOf = (html: string): string => html.replace(/<(style|script)>[^]*?<\/\1>/g, '').replace(/^[^]*?<h1>/, '<h1>');

describe('the report for a client', () => {
  test('shows nothing that is meant for the operator, in any state and with any code', async () => {
    const codes = [
      null,
      'http-422',
      'service-failed',
      'given-up',
      'published-differs',
      'gone',
      'patch-refused',
      'lost',
    ];
    const rows = ROW_STATES.flatMap((state) => codes.map((code) => record({ ...SECRET, state, code })));
    const html = bodyOf(
      await make([...rows, record({ ...SECRET, profile: null, channel: `${SECRET.profile_id} · long` })]),
    );
    expect(html).not.toMatch(/secret|reelay |127\.0\.0\.1|8080|\bana\b|\/home|4711|4712|spring\.3|<code>/u);
    expect(html).not.toMatch(/[0-9a-f]{8}(?:-[0-9a-f]{4}|\b)/u);
    for (const code of codes) if (code !== null) expect(html).not.toContain(code);
    expect(html.replace(/<[^>]*>/gu, ' ')).not.toMatch(
      /\b(?:unconfirmed|rejected|creating|overdue|ledger|rows?|Key|Attempts)\b/iu,
    );
  });

  test('has the campaign, its counts, what is live with its link, and problems with their reason', async () => {
    const html = bodyOf(
      await make([
        record({ title: 'Tulips', video_url: 'https://video.example/v1' }),
        record({
          title: 'Roses',
          state: 'failed',
          code: 'service-failed',
          message: 'Unsupported codec',
          video_url: null,
        }),
        record({ title: 'Lilies', state: 'rejected', code: 'http-413', message: 'Payload Too Large', video_url: null }),
        record({ title: 'Asters', state: 'waiting', code: 'paced', publish_at: '2026-12-01T17:00:00.000Z' }),
      ]),
    );
    expect(html).toContain('<h1>spring</h1>');
    expect(html).toContain('1 of 4 videos succeeded; 2 need attention; 1 is scheduled.');
    expect(html).toContain('aria-label="1 live, 1 planned, 1 failed, 1 not accepted"');
    expect(html).toContain('2 more videos were not sent, because their entries have mistakes.');
    expect(html).toContain('<a href="https://video.example/v1"');
    expect(html).toContain('The video service could not publish it: Unsupported codec');
    expect(html).toContain('The video service did not accept it: the file is too large.');
    expect(html).toContain('Tue 1 Dec');
    expect(html).not.toContain('paced');
  });

  test('what is not certainly live is neither called live nor linked', async () => {
    const rows = [
      record({ state: 'published', code: 'gone' }),
      record({ state: 'published', code: 'failed-later' }),
      record({ state: 'published', code: 'adoption-disputed' }),
      record({ state: 'cancelled', code: 'given-up' }),
    ];
    const html = bodyOf(await make(rows));
    expect(html).toContain('0 of 4 videos succeeded; 4 need attention.');
    expect(html).not.toContain('<a ');
    expect(html).not.toContain('class="s good"');
    expect(html).toContain('aria-label="2 failed, 2 not confirmed"');
  });

  test('a rehearsal in the sandbox says so', async () => {
    expect(await make([record()], { sandbox: true })).toContain('<h1>SANDBOX · spring</h1>');
  });
});
