import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type Page } from 'playwright-core';
import { describeInChromium, openChromium } from '../../report/chromium';
import { until } from '../support/cli-process';
import { openScene, type Scene } from '../support/scene';
import { SCREENS, textOf } from '../support/screens';

jest.setTimeout(600_000);

let scene: Scene;
let browser: Browser;
let page: Page;

describeInChromium('the Web UI in Chromium', () => {
  beforeAll(async () => {
    scene = await openScene();
    browser = await openChromium();
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    page.setDefaultTimeout(300_000);
  });
  afterAll(async () => {
    await browser.close();
    expect(await scene.close()).toEqual([]);
  });

  /** What the page of a campaign shows: its first page, and its User Metadata, once that shows these words. */
  async function read(campaign: string, shown: string): Promise<{ first: string; details: string }> {
    let seen = await readOnce(campaign);
    // A run rewrites its details at its next look at the ledger, which may be behind the commands.
    await until(async () => seen.details.includes(shown) || (seen = await readOnce(campaign)).details.includes(shown));
    return seen;
  }

  async function readOnce(campaign: string): Promise<{ first: string; details: string }> {
    await page.goto(`${scene.address}/campaign%2F${campaign}`);
    await page.getByText('following publications').first().waitFor();
    const first = await page.locator('body').innerText();
    await page.getByText('User Metadata').first().click();
    const details = page.locator('iframe').last().contentFrame().locator('body');
    await details.getByText(`reelay results ${campaign}.1`, { exact: true }).first().waitFor();
    return { first, details: await details.innerText() };
  }

  it('a campaign that ended with problems: the rows, why, and the commands, on its first page already', async () => {
    const { first, details } = await read('spring', 'spring.1 · all 11 rows ended · 3 went wrong');
    for (const words of [
      'row 5 · Knife skills in 30 seconds → short (Kitchen · short): rejected',
      'Failed',
      '3 of 11 rows went wrong',
    ])
      expect(first.toLowerCase()).toContain(words.toLowerCase());
    expect(first).toContain('reelay results spring.1 --state failed,rejected -o csv --out corrected.csv');
    expect(first).toMatch(/spring\.1 · Garden · long · 2 rows/);
    expect(first).toMatch(/spring\.1 · Kitchen · long · 1 row\b/);
    expect(details).toContain('spring.1 · all 11 rows ended · 3 went wrong');
    for (const row of [
      /row 5 · Knife skills in 30 seconds → short\s+Kitchen · short\s+rejected\s+http-422: the service refused it/,
      /row 7 · Lisbon on foot → short\s+Travel · short\s+failed\s+service-failed/,
      /row 6 · Soup for a week → long\s+Kitchen · long\s+unconfirmed/,
      /published\s+8/,
    ])
      expect(details).toMatch(row);
    for (const command of ['reelay results spring.1 --state unconfirmed', 'reelay retry spring.1'])
      expect(details).toContain(command);
  });

  it('a running one: how many rows are left, and how to follow or cancel it', async () => {
    const { details } = await read('summer', 'summer.1 · 6 of 24 rows not ended');
    expect(details).toContain('summer.1 · 6 of 24 rows not ended');
    expect(details).toMatch(/processing\s+6/);
    for (const command of ['reelay watch summer.1', 'reelay cancel summer.1']) expect(details).toContain(command);
  });

  it('a waiting one: which channel continues when, and why; a parked one: the reason and what opens it', async () => {
    const waiting = await read('weekly', 'cap 1 per 24h reached');
    expect(waiting.details).toMatch(/Music · short\s+2\s+\w{3} \d+ \w{3} \d\d:\d\d, cap 1 per 24h reached/);
    const parked = await read('bakery', 'bakery.1 · 2 of 3 rows not ended · 1 channel parked');
    expect(parked.details).toContain('bakery.1 · 2 of 3 rows not ended · 1 channel parked');
    expect(parked.details).toMatch(
      /Workshop · short\s+2\s+parked since .*: the API key is not allowed to do this \(403\)/,
    );
    expect(parked.details).toContain('reelay resume bakery.1 resumes what is parked');
  });

  it('a finished one and a cancelled one: nothing is asked of anybody', async () => {
    const { details } = await read('winter', 'winter.1 · all 4 rows ended');
    expect(details).toContain('winter.1 · all 4 rows ended');
    expect(details).not.toMatch(/went wrong|retry|resume/);
    expect((await read('autumn', 'autumn.1 · all 3 rows ended')).details).toMatch(/cancelled\s+2/);
  });

  it.each(SCREENS)('the picture $name of the docs: its page holds what they say', async ({ size, open, shows }) => {
    await page.setViewportSize(size);
    await open(page, scene);
    await expect(page.screenshot()).resolves.toBeInstanceOf(Buffer);
    const text = await textOf(page);
    for (const words of shows)
      if (typeof words === 'string') expect(text).toContain(words);
      else expect(text).toMatch(words);
  });

  it('the pictures of the docs can be made again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reelay-images-'));
    const args = ['--import', 'tsx', 'scripts/screenshots.js', folder];
    const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: join(__dirname, '..', '..', '..') });
    expect(stderr).toBe('');
    expect((await readdir(folder)).sort()).toEqual(SCREENS.map(({ name }) => `${name}.png`).sort());
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThan(200_000);
    await rm(folder, { recursive: true });
  });

  it('reelay open leads to the list of campaigns alone, and to the tab with the details of a run', async () => {
    const { stdout: list } = await scene.machine.run(['open', '--print']);
    await page.goto(list.trim());
    await page.getByText('campaign/spring', { exact: true }).first().waitFor();
    const links = await page.getByRole('link', { name: /^(campaign|notice|firing)\// }).allInnerTexts();
    expect(links.length).toBeGreaterThan(4);
    for (const id of links) expect(id).toMatch(/^campaign\/[a-z]+$/);
    const { stdout: run } = await scene.machine.run(['open', 'spring', '--print']);
    await page.goto(run.trim());
    const details = page.locator('iframe').last().contentFrame().locator('body');
    await details.getByText('3 went wrong').first().waitFor();
  });

  it('the column that tells the runs of a campaign apart can be added as the docs say', async () => {
    const { stdout: list } = await scene.machine.run(['open', '--print']);
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(list.trim());
    await page.getByRole('button', { name: 'Configure Columns' }).click();
    await page.getByRole('button', { name: 'Add ReelayRun column' }).click();
    await page.getByRole('button', { name: 'Remove Run ID column' }).click();
    await page.getByRole('button', { name: 'Close Workflows Table configuration' }).click();
    const row = page.getByRole('row', { name: /campaign\/spring/u });
    await row.getByText('spring.1', { exact: true }).waitFor();
    // The browser keeps it.
    await page.goto(list.trim());
    await row.getByText('spring.1', { exact: true }).waitFor();
  });

  it('a channel that is held asks for no permission over and over', async () => {
    await page.goto(`${scene.address}?query=${encodeURIComponent('ExecutionStatus = "ContinuedAsNew"')}`);
    await page.getByText('No Workflows Found').first().waitFor();
  });

  it.each([
    ['ReelayUnconfirmed > 0 AND WorkflowType = "publishCampaign"', ['campaign/spring']],
    ['ReelayState = "ended with problems"', ['campaign/spring']],
    ['ReelayState = "parked"', ['campaign/bakery']],
    ['ExecutionStatus = "Failed"', ['campaign/spring']],
    ['ReelayRun = "spring.1" AND WorkflowType = "publishCampaign"', ['campaign/spring']],
    ['ExecutionStatus = "Canceled" AND WorkflowType = "publishCampaign"', ['campaign/autumn']],
    ['ReelayState = "waiting"', ['campaign/weekly']],
    ['WorkflowType = "publishChannel" AND ReelayChannel = "Kitchen · long"', ['campaign/spring/1/Kitchen.platform_b']],
  ])('the list filtered by %s', async (query, expected) => {
    await page.goto(`${scene.address}?query=${encodeURIComponent(query)}`);
    for (const id of expected) await page.getByText(id).first().waitFor();
    const links = await page.getByRole('link', { name: /^campaign\// }).allInnerTexts();
    expect(new Set(links.map((id) => expected.find((one) => id.startsWith(one))))).toEqual(new Set(expected));
  });
});
