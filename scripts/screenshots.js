'use strict';

// Makes docs/images/: campaigns in every state against a sandbox, in the Temporal Web UI, and a report.
// After `npm run build`: node scripts/screenshots.js [folder]. Needs Chromium: CHROMIUM=/path/to/it, else /usr/bin/chromium.
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');
require('tsx/cjs');
const { openScene } = require('../test/e2e/scene.ts');

const images = process.argv[2] ?? join(__dirname, '..', 'docs', 'images');
const WIDE = { width: 1400, height: 860 };

async function main() {
  mkdirSync(images, { recursive: true });
  const scene = await openScene();
  try {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      await draw(scene, await browser.newPage({ viewport: WIDE }));
    } finally {
      await browser.close();
    }
  } finally {
    await scene.close();
  }
}

async function draw({ address, machine }, page) {
  page.setDefaultTimeout(60_000);
  const shoot = async (name, height = WIDE.height) => {
    await settled(page);
    await page.screenshot({
      path: join(images, `${name}.png`),
      clip: { x: 0, y: 0, width: page.viewportSize().width, height },
    });
  };
  const details = async (campaign) => {
    await page.goto(`${address}/campaign%2F${campaign}`);
    await page.getByText('User Metadata').first().click();
    const body = page.frameLocator('iframe').last().locator('body');
    await body.getByText(`reelay results ${campaign}.1`, { exact: true }).first().waitFor();
  };

  const runs = encodeURIComponent('WorkflowType = "publishCampaign"');
  await page.goto(`${address}?query=${runs}`);
  await page.getByText('campaign/spring', { exact: true }).first().waitFor();
  await shoot('web-ui-list', 560);

  await page.goto(`${address}/campaign%2Fspring`);
  await page.getByText('following publications').first().waitFor();
  await page.setViewportSize({ width: WIDE.width, height: 1_300 });
  await shoot('web-ui-run', 1_300);

  await details('spring');
  await shoot('web-ui-details', 1_120);
  await page.setViewportSize(WIDE);
  await details('bakery');
  await shoot('web-ui-parked');

  const report = machine.path('report.html');
  const { stdout } = await machine.run(['results', 'spring', '-o', 'html']);
  writeFileSync(report, stdout);
  await page.setViewportSize({ width: 1_200, height: 900 });
  await page.goto(pathToFileURL(report).href);
  await shoot('report');
}

/** The Web UI draws its timeline after its texts. */
async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: 10_000 }).catch(() => undefined);
}

main()
  .then(() => process.stdout.write(`${images}: ${readdirSync(images).join(', ')}\n`))
  .catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    process.exitCode = 1;
  });
