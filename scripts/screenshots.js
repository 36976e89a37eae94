'use strict';

// Makes docs/images/: campaigns in every state against a sandbox, in the Temporal Web UI, and a report.
// `npm run screenshots [folder]`. Needs Chromium: CHROMIUM=/path/to/it, else /usr/bin/chromium.
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { chromium } = require('playwright-core');
const { smallPng } = require('./small-png.js');
const { openScene } = require('../test/e2e/support/scene.ts');
const { SCREENS } = require('../test/e2e/support/screens.ts');

const images = process.argv[2] ?? join(__dirname, '..', 'docs', 'images');

async function main() {
  mkdirSync(images, { recursive: true });
  const scene = await openScene();
  try {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      await draw(scene, await browser.newPage());
    } finally {
      await browser.close();
    }
  } finally {
    await scene.close();
  }
}

async function draw(scene, page) {
  page.setDefaultTimeout(60_000);
  for (const { name, size, height, open } of SCREENS) {
    await page.setViewportSize(size);
    await open(page, scene);
    await settled(page);
    const clip = { x: 0, y: 0, width: size.width, height: height ?? size.height };
    writeFileSync(join(images, `${name}.png`), smallPng(await page.screenshot({ clip })));
  }
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
