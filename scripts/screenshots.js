'use strict';

// Makes docs/images/: a run against a sandbox where rows go wrong, in the Temporal Web UI and in the report.
// After `npm run build`: node scripts/screenshots.js [folder]. Needs Chromium: CHROMIUM=/path/to/it, else /usr/bin/chromium.
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { mkdirSync, mkdtempSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');

const root = join(__dirname, '..');
const reelay = join(root, 'dist', 'cli', 'main.js');
const images = process.argv[2] ?? join(root, 'docs', 'images');
const home = mkdtempSync(join(tmpdir(), 'reelay-screenshots-'));
const env = { ...process.env, REELAY_HOME: home, REELAY_API_KEY: 'sandbox-key', USER: 'ops' };
const started = [];

/** Starts a command that goes on, and waits until its first answer line has come (JSON). */
async function start(...args) {
  const child = spawn(process.execPath, [reelay, ...args, '-o', 'json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let text = '';
  for await (const piece of child.stdout) {
    text += piece;
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      continue; // Not all of it yet.
    }
    if (answer.error) throw new Error(answer.error.message);
    return answer;
  }
  throw new Error(`reelay ${args.join(' ')} ended without an answer`);
}

async function main() {
  mkdirSync(images, { recursive: true });
  const faults = [
    'create title="Knife skills*" -> status 422 body=message',
    'create title="Night train*" platform=platform_a nth=1 -> lost accept=true',
    'create title="Lisbon in a minute" -> outcome failed',
  ];
  const sandbox = await start('sandbox', '--open', 'echo-title', ...faults.flatMap((fault) => ['--fault', fault]));
  env.REELAY_BASE_URL = sandbox.baseUrl;
  const up = await start('up');
  const manifest = join(root, 'manifests', 'examples', 'spring.csv');
  const ran = spawnSync(process.execPath, [reelay, 'run', manifest, '--timeout', '5m'], { env, stdio: 'inherit' });
  if (ran.status === null) throw new Error('the run was stopped');

  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const space = `${up.temporal.web_ui}/namespaces/${up.temporal.namespace}/workflows`;
    const page = await browser.newPage({ viewport: { width: 1400, height: 1060 } });
    await page.goto(space);
    await page.getByText('campaign/spring', { exact: true }).first().waitFor();
    await settled(page);
    await page.screenshot({ path: join(images, 'web-ui-list.png') });
    await page.goto(`${space}/campaign%2Fspring`);
    await page.getByText('following publications').first().waitFor();
    await settled(page);
    await page.screenshot({ path: join(images, 'web-ui-run.png') });

    await page.getByText('User Metadata').first().click();
    await settled(page);
    await page.frameLocator('iframe').last().getByText('rejected').waitFor();
    await page.screenshot({ path: join(images, 'web-ui-details.png'), clip: { x: 0, y: 0, width: 1400, height: 860 } });

    const report = pathToFileURL(join(home, 'results', 'spring.1', 'report.html')).href;
    await page.setViewportSize({ width: 1200, height: 1000 });
    await page.goto(report);
    await page.screenshot({ path: join(images, 'report.png') });
  } finally {
    await browser.close();
  }
}

/** The Web UI draws its timeline after its texts. */
async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: 15_000 }).catch(() => undefined);
}

async function stop() {
  for (const child of started.reverse()) {
    if (child.exitCode !== null) continue;
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
}

main()
  .then(() => process.stdout.write(`${images}: ${readdirSync(images).join(', ')}\n`))
  .catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    process.exitCode = 1;
  })
  .finally(stop);
