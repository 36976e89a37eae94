import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { type ResultRecord } from '../ledger/model/result-types';
import { htmlReport } from '../report/html/html-report';

// How large a report of 10,000 rows is, and how long Chromium takes until it is drawn and filtered.
// npm run bench:report [rows]; CHROMIUM=/path/to/it, else /usr/bin/chromium.
const ROWS = Number(process.argv[2] ?? 10_000);
const LARGEST_MB = 6;
const LONGEST_MS = 2_000;

function record(line: number): ResultRecord {
  const bad = line % 10 === 0;
  const at = (s: number): string => new Date(Date.UTC(2026, 10, 1) + line * 4_000 + s * 1_000).toISOString();
  return {
    line,
    file: null,
    key: `season-3/episode-${String(line).padStart(5, '0')}`,
    campaign: 'spring',
    state: bad ? 'failed' : 'published',
    run: 'spring.1',
    account: 'default',
    channel: line % 2 === 0 ? 'Garden · long' : 'Garden · short',
    platform: line % 2 === 0 ? 'platform_a' : 'platform_b',
    profile: `Garden channel ${line % 50}`,
    profile_id: `p-${line % 50}`,
    title: `Episode ${line}: what the garden needs in the first warm weeks of the year`,
    folder: null,
    source: `https://media-${line % 7}.example/videos/${line}.mp4`,
    publish_at: null,
    publication_id: `6f9619ff-8b86-d011-b42d-${String(line).padStart(12, '0')}`,
    publish_id: null,
    video_id: bad ? null : `v${line}`,
    video_url: bad ? null : `https://video.example/watch?v=abc${line}`,
    privacy: 'public',
    published_at: bad ? null : at(40),
    created_at: at(0),
    ended_at: at(45),
    code: bad ? 'service-failed' : null,
    column: null,
    message: bad ? 'The service says that processing failed: unsupported codec.' : null,
    attempts: bad ? 2 : 1,
    version: `v1.${line}`,
    candidates: [],
    cells: {},
  };
}

async function main(): Promise<void> {
  const bad = Math.floor(ROWS / 10);
  async function* rows(): AsyncGenerator<ResultRecord> {
    for (let line = 1; line <= ROWS; line += 1) yield record(line);
  }
  const input = {
    run: 'spring.1',
    campaign: 'spring',
    total: ROWS,
    counts: { published: ROWS - bad, failed: bad },
    rows,
  };
  const times = { startedAt: '2026-11-01T00:00:00.000Z', finishedAt: null, madeAt: '2026-11-02T00:00:00.000Z' };
  const began = performance.now();
  let html = '';
  for await (const piece of htmlReport({ ...input, ...times, webUi: null, zone: 'UTC', sandbox: false, next: [] }))
    html += piece;
  const madeMs = performance.now() - began;
  const folder = await mkdtemp(join(tmpdir(), 'reelay-report-'));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const path = join(folder, 'report.html');
    await writeFile(path, html);
    const opened: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const page = await browser.newPage();
      const from = performance.now();
      await page.goto(pathToFileURL(path).href);
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      opened.push(performance.now() - from);
      await page.close();
    }
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path).href);
    const from = performance.now();
    await page.getByLabel('Search').fill('codec');
    await page.locator('#shown', { hasText: `${String(bad)} of ` }).waitFor();
    const filterMs = performance.now() - from;
    const mb = Buffer.byteLength(html) / 1e6;
    const best = Math.min(...opened);
    console.log(
      `${ROWS} rows: ${mb.toFixed(2)} MB, made in ${madeMs.toFixed(0)} ms, open in ${opened.map((ms) => ms.toFixed(0)).join(', ')} ms, filtered in ${filterMs.toFixed(0)} ms`,
    );
    if (ROWS <= 10_000 && (mb > LARGEST_MB || best > LONGEST_MS)) process.exitCode = 1;
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
}

void main();
