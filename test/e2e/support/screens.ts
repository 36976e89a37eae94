import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Page } from 'playwright-core';
import { type Scene } from './scene';

/** A picture of the docs (`docs/images/NAME.png`): what is opened for it, and what its page has to hold by the words around it. */
export interface Screen {
  name: string;
  size: { width: number; height: number };
  /** Shown from the top, px. Default: all of the size. */
  height?: number;
  /** Waits until the page is loaded. */
  open: (page: Page, scene: Scene) => Promise<void>;
  shows: readonly (string | RegExp)[];
}

const WIDE = { width: 1400, height: 860 };

export const SCREENS: readonly Screen[] = [
  {
    name: 'web-ui-list',
    size: WIDE,
    height: 560,
    open: async (page, { address }) => {
      await page.goto(`${address}?query=${encodeURIComponent('WorkflowType = "publishCampaign"')}`);
      await page.getByText('campaign/spring', { exact: true }).first().waitFor();
    },
    shows: [/failed\s+campaign\/spring/iu, /running\s+campaign\/summer/iu, /completed\s+campaign\/winter/iu],
  },
  {
    name: 'web-ui-run',
    size: { ...WIDE, height: 1_300 },
    open: async (page, { address }) => {
      await page.goto(`${address}/campaign%2Fspring`);
      await page.getByText('following publications').first().waitFor();
    },
    shows: [
      '3 of 11 rows went wrong',
      'row 5 · Knife skills in 30 seconds → short (Kitchen · short): rejected',
      'reelay results spring.1 --state failed,rejected -o csv --out corrected.csv',
      /spring\.1 · Garden · long · 2 rows/u,
      /spring\.1 · Kitchen · long · 1 row\b/u,
    ],
  },
  {
    name: 'web-ui-details',
    size: { ...WIDE, height: 1_300 },
    open: (page, scene) => openDetails(page, scene, 'spring'),
    shows: [
      'spring.1 · all 11 rows ended · 3 went wrong',
      'reelay retry spring.1',
      /published\s+8/u,
      /unconfirmed\s+1/u,
    ],
  },
  {
    name: 'web-ui-parked',
    size: { ...WIDE, height: 960 },
    open: (page, scene) => openDetails(page, scene, 'bakery'),
    shows: ['1 channel parked', 'the API key is not allowed to do this (403)', 'reelay resume bakery.1'],
  },
  {
    name: 'report',
    size: { width: 1_200, height: 900 },
    open: async (page, { machine }) => {
      const report = machine.path('report.html');
      const { stdout } = await machine.run(['results', 'spring', '-o', 'html']);
      await writeFile(report, stdout);
      await page.goto(pathToFileURL(report).href);
    },
    shows: ['spring.1', 'Knife skills in 30 seconds', 'Lisbon on foot', 'reelay retry spring.1', /Search/iu],
  },
];

/** The text of a page, and of what its frames hold. */
export async function textOf(page: Page): Promise<string> {
  const texts = await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
  return texts.join('\n');
}

/** The User Metadata of a run. */
async function openDetails(page: Page, { address }: Scene, campaign: string): Promise<void> {
  await page.goto(`${address}/campaign%2F${campaign}`);
  await page.getByText('User Metadata').first().click();
  const body = page.locator('iframe').last().contentFrame().locator('body');
  await body.getByText(`reelay results ${campaign}.1`, { exact: true }).first().waitFor();
}
