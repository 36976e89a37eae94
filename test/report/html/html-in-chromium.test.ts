import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { htmlReport } from '../../../report/html/html-report';
import { type HtmlReportInput } from '../../../report/html/report-input';
import { type ResultRecord } from '../../../ledger/model/result-types';
import { describeInChromium, openChromium } from '../chromium';
import { record, stream, textOf } from '../records';

const HOSTILE = '</td></table><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">';

const rows: ResultRecord[] = [
  ...Array.from({ length: 120 }, (_, index) =>
    record({
      line: index + 2,
      key: `ep-${String(index)}`,
      title: `Episode ${String(index)}`,
      profile: index % 2 ? 'Garden' : 'Kitchen',
    }),
  ),
  record({
    line: 200,
    state: 'failed',
    title: HOSTILE,
    key: 'hostile',
    code: 'service-failed',
    message: 'Unsupported codec.',
    video_url: null,
  }),
  record({
    line: 201,
    state: 'rejected',
    title: 'Refused',
    key: 'refused',
    code: 'http-422',
    message: 'The title is taken.',
    video_url: null,
    created_at: null,
    published_at: null,
    attempts: 3,
  }),
  record({
    line: 202,
    state: 'unconfirmed',
    title: 'Lost',
    key: 'lost',
    code: 'cut',
    message: 'The answer was cut.',
    video_url: null,
    published_at: null,
  }),
  ...[3, 12].map((day, at) =>
    record({
      ...{ line: 300 + at, state: 'waiting', title: `Advent ${String(day)}`, key: `advent-${String(day)}` },
      ...{ publish_at: `2026-11-${String(day).padStart(2, '0')}T23:30:00.000Z`, publication_id: null, video_url: null },
      ...{ created_at: null, published_at: null, ended_at: null, attempts: 0 },
    }),
  ),
];
const IDS = 'reelay publications list --profile Garden';
const SETTLE = 'reelay resolve spring.1 lost --not-published';

let browser: Browser;
let folder: string;
let address: string;
let clientAddress: string;
beforeAll(async () => {
  browser = await openChromium();
  folder = await mkdtemp(join(tmpdir(), 'reelay-html-'));
  const counts: Record<string, number> = {};
  for (const row of rows) counts[row.state] = (counts[row.state] ?? 0) + 1;
  const write = async (name: string, more: { forClient?: boolean }): Promise<string> => {
    const html = await textOf(htmlReport({ ...input, ...more }));
    const path = join(folder, name);
    await writeFile(path, html);
    return pathToFileURL(path).href;
  };
  const input: HtmlReportInput = {
    run: 'spring.1',
    campaign: 'spring',
    total: rows.length,
    counts,
    startedAt: '2026-11-01T09:00:00.000Z',
    finishedAt: '2026-11-01T10:00:00.000Z',
    webUi: 'http://ui.example/namespaces/default/workflows/campaign%2Fspring',
    sandbox: false,
    next: [{ command: 'reelay retry spring.1', what: 'sends them again unchanged' }],
    settle: [{ key: 'lost', channel: 'Garden · long', commands: [SETTLE], ids: IDS }],
    rows: () => stream(rows),
    zone: 'Europe/Berlin',
    madeAt: '2026-11-01T11:00:00.000Z',
  };
  address = await write('report.html', {});
  clientAddress = await write('client.html', { forClient: true });
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** Opens the report and records the page's requests and errors. */
async function open(
  options: BrowserContextOptions = {},
  from: string = address,
): Promise<{ page: Page; asked: string[]; complaints: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(from);
  return { page, asked, complaints };
}
const shownRows = (page: Page): Promise<number> => page.locator('#rows tbody tr:visible').count();
const said = (page: Page, text: string): Promise<void> => page.locator('#shown', { hasText: text }).waitFor();
const rowText = (page: Page, words: string): Promise<string | null> =>
  page.locator('#rows tr', { hasText: words }).textContent();
const backdrop = (page: Page): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');

describeInChromium('the report in Chromium', () => {
  test('shows verdict, what needs a person, causes and the timeline, and makes no request', async () => {
    const { page, asked, complaints } = await open();
    const text = await page.locator('body').innerText();
    expect(text).toContain('120 of 125 rows succeeded; 3 need attention; 2 are scheduled.');
    for (const words of [
      SETTLE,
      IDS,
      'lists the publications that may include it',
      'you checked, and it doesn’t exist: it is created again',
      'Row 200 · ',
      'Unsupported codec.',
      'Source: example.com',
      'Channel: Garden · long',
    ])
      expect(text).toContain(words);
    await page.getByRole('img', { name: /Rows by the time/ }).waitFor();
    expect(await page.getByRole('link', { name: 'Temporal Web UI' }).getAttribute('href')).toContain(
      'campaign%2Fspring',
    );
    const refused = await rowText(page, 'Refused');
    expect(refused).toMatch(/http-422: The title is taken\.pub-1\s*3\s*ended Sun 1 Nov 11:00/);
    expect(asked).toEqual([address]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a hostile title is text, and runs nothing', async () => {
    const { page, asked } = await open();
    expect(await rowText(page, 'hostile')).toContain(HOSTILE);
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(asked).toEqual([address]);
    await page.context().close();
  });

  test('search, state and channel filter over all rows, and all can be shown again', async () => {
    const { page } = await open();
    await page.getByLabel('Search').fill('ep-11');
    await said(page, '11 of 125 rows');
    expect(await shownRows(page)).toBe(11);
    await page.getByLabel('Channel', { exact: false }).and(page.locator('select')).selectOption('Garden · long');
    await said(page, '6 of 125 rows');
    await page.getByRole('button', { name: 'Show all' }).click();
    await said(page, '125 of 125 rows');
    await page.getByLabel('State').selectOption('failed');
    await said(page, '1 of 125 rows');
    expect(await page.locator('#rows tbody tr:visible').textContent()).toContain('hostile');
    await page.context().close();
  });

  test('can be used by the keyboard alone: / searches, Escape takes it back, the rows can be reached', async () => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('refused');
    await said(page, '1 of 125 rows');
    await page.keyboard.press('Escape');
    await said(page, '125 of 125 rows');
    for (const name of ['state', 'channel', 'clear']) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe(name);
    }
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('region');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.context().close();
  });

  test('a screen reader meets a table with headers, labels and headings in order', async () => {
    const { page } = await open();
    expect(await page.getByRole('table').count()).toBe(2);
    const rowsTable = page.getByRole('region', { name: 'Rows' });
    expect(await rowsTable.getByRole('columnheader').allInnerTexts()).toEqual([
      'Row',
      'State',
      'Title',
      'Channel',
      'Key',
      'Result',
      'Attempts',
      'Times',
    ]);
    expect(
      await page
        .getByRole('row', { name: /Refused/ })
        .getByRole('cell')
        .count(),
    ).toBe(8);
    expect(await page.getByRole('heading').allInnerTexts()).toEqual([
      'spring.1',
      'Needs a person',
      'Next',
      'Problems by cause',
      'Channels',
      'Over time',
      'Planned',
      'Rows',
    ]);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.context().close();
  });

  test('without JavaScript it is a plain page with every row and no dead tools', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    expect(await page.locator('#rows tbody tr').count()).toBe(125);
    expect(await page.getByLabel('Search').isVisible()).toBe(false);
    expect(await page.getByText(SETTLE).first().isVisible()).toBe(true);
    await page.context().close();
  });

  test('follows the reader’s light or dark setting', async () => {
    for (const [colorScheme, colour] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(20, 23, 26)'],
    ] as const) {
      const { page } = await open({ colorScheme });
      expect(await backdrop(page)).toBe(colour);
      await page.context().close();
    }
  });

  test('prints on white, with every row and without the tools, also from a dark screen', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    expect(await backdrop(page)).toBe('rgb(255, 255, 255)');
    expect(await page.getByLabel('Search').isVisible()).toBe(false);
    expect(await shownRows(page)).toBe(125);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
    await page.context().close();
  });

  test('keeps its height while its rows come into sight, and no title runs into the next', async () => {
    const height = 'document.documentElement.scrollHeight';
    const cut =
      '[...document.querySelectorAll("th")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)';
    for (const width of [400, 1280]) {
      const { page } = await open({ viewport: { width, height: 800 } });
      const before = Number(await page.evaluate(height));
      await page.evaluate(
        'document.querySelectorAll("tbody").forEach((one) => { one.style.contentVisibility = "visible" })',
      );
      const after = Number(await page.evaluate(height));
      expect(Math.abs(after - before) / after).toBeLessThan(0.05);
      expect(await page.evaluate(cut)).toEqual([]);
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate(cut)).toEqual([]);
      await page.context().close();
    }
  });

  test('fits a phone’s width, also the rows: each is a card with all that the table shows', async () => {
    const { page } = await open({ viewport: { width: 375, height: 800 } });
    const fits = (selector: string): Promise<unknown> =>
      page.evaluate(
        `(() => { const one = document.querySelector('${selector}'); return one.scrollWidth <= one.clientWidth })()`,
      );
    expect(await fits('html')).toBe(true);
    expect(await fits('#rows')).toBe(true);
    expect(await fits('.scroll:has(.matrix)')).toBe(true);
    const labelled = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.matrix tbody tr:first-child td')].map((one) => getComputedStyle(one, '::before').content + one.textContent)`,
    );
    expect(labelled.map((text) => text.replaceAll('"', ''))).toEqual([
      'waiting 2',
      'published 60',
      'failed 1',
      'rejected 1',
      'unconfirmed 1',
      'all 65',
    ]);
    const card = page.locator('#rows tr', { hasText: 'Refused' });
    await page.getByLabel('Search').fill('refused');
    await said(page, '1 of 125 rows');
    await page.evaluate(
      'document.querySelectorAll("tbody").forEach((one) => { one.style.contentVisibility = "visible" })',
    );
    for (const text of ['201', 'rejected', 'http-422: The title is taken.', 'ended Sun 1 Nov 11:00'])
      expect(await card.innerText()).toContain(text);
    await page.context().close();
  });

  test('the bar of states has a part for each, in order and as wide as the page', async () => {
    const { page } = await open();
    const bar = page.getByRole('img', { name: /^120 published, 2 waiting/ });
    await bar.waitFor();
    const boxes = await page.evaluate<number[]>(
      '[...document.querySelectorAll(".bar rect")].map((one) => one.getBoundingClientRect().width)',
    );
    expect(boxes).toHaveLength(5);
    const [published = 0, waiting = 0, failed = 0] = boxes;
    expect(published).toBeGreaterThan(20 * waiting);
    expect(failed).toBeGreaterThan(2);
    await page.context().close();
  });

  test('the matrix counts each channel’s rows by state', async () => {
    const { page } = await open();
    const line = page.getByRole('region', { name: 'Channels' }).getByRole('row', { name: /Garden/ });
    expect((await line.innerText()).split(/\s+/)).toEqual(['Garden', '·', 'long', '2', '60', '1', '1', '1', '65']);
    await page.context().close();
  });

  test('three rows are three narrow bars, not one green block', async () => {
    const { page } = await open();
    const widths = await page.evaluate<number[]>(
      '[...document.querySelectorAll(".time rect")].map((one) => one.getBoundingClientRect().width / document.querySelector(".time").getBoundingClientRect().width)',
    );
    expect(widths.length).toBeGreaterThan(0);
    for (const width of widths) expect(width).toBeLessThan(0.02);
    await page.context().close();
  });

  test('planned rows are in a calendar, on their day in the reader’s zone', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 800 } });
    const day = page.locator('.day', { hasText: 'Advent 3' });
    expect(await day.innerText()).toMatch(/^Wed 4 Nov\s+00:30 Advent 3 Garden · long$/);
    expect(await page.locator('.day').count()).toBe(14);
    const phone = await open({ viewport: { width: 375, height: 800 } });
    expect(await phone.page.locator('.day:visible').count()).toBe(2);
    await page.context().close();
    await phone.page.context().close();
  });

  test('the report for a client has the same page with fewer columns, on a desktop and on a phone', async () => {
    for (const width of [1280, 390]) {
      const { page, asked, complaints } = await open({ viewport: { width, height: 800 } }, clientAddress);
      expect(await page.getByRole('heading').allInnerTexts()).toEqual([
        'spring',
        'Problems by cause',
        'Channels',
        'Over time',
        'Planned',
        'Videos',
      ]);
      if (width > 1_000)
        expect(await page.getByRole('region', { name: 'Videos' }).getByRole('columnheader').allInnerTexts()).toEqual([
          'State',
          'Title',
          'Channel',
          'Result',
          'Times',
        ]);
      await page.getByLabel('State').selectOption('not accepted');
      await said(page, '1 of 125 rows');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByLabel('Channel', { exact: false }).and(page.locator('select')).selectOption('Kitchen · long');
      await said(page, '60 of 125 rows');
      for (const selector of ['html', '#rows'])
        expect(
          await page.evaluate(
            `(() => { const one = document.querySelector('${selector}'); return one.scrollWidth <= one.clientWidth })()`,
          ),
        ).toBe(true);
      expect(asked).toEqual([clientAddress]);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
  });
});
