import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openLedger } from '../ledger/open';
import { type SubmissionInput } from '../ledger/model/submission-types';
import { type Entry } from '../ledger/model/types';
import { USUAL_SETTINGS } from './support/campaign-settings';

/** The cost of a plan, a submit, an import and a repeated submit of a large manifest: `npm run bench:ledger [ROWS]`. */
const ROWS = Number(process.argv[2] ?? 100_000);
const CLAIMS = 2_000;

function* entries(version: number): Generator<Entry> {
  for (let position = 0; position < ROWS; position++) {
    const key = `video-${position}`;
    const title = `Episode ${position}${version > 1 && position % 10 === 0 ? ` v${version}` : ''}`;
    const description = `What happens in episode ${position}, told in a sentence or two as people do. `.repeat(2);
    yield {
      position,
      line: position + 2,
      key,
      account: 'default',
      skip: false,
      cells: { key, title, description, video: `https://media.example/${key}.mp4`, note: 'a note' },
      values: {
        source: `https://media.example/${key}.mp4`,
        sourceKind: 'url',
        platform: 'platform_b',
        platformKind: 'long',
        profileId: `profile-${position % 100}`,
        profileName: `Profile ${position % 100}`,
        title,
        description,
        privacy: 'public',
        status: 'published',
        publishAt: null,
        via: 'publication',
      },
    };
  }
}

function submission(version: number): SubmissionInput {
  return {
    campaign: 'big',
    snapshot: {
      hash: `hash-${version}`,
      fileHash: `file-${version}`,
      path: '/manifests/big.csv',
      format: 'csv',
      text: 'x'.repeat(280 * ROWS),
      columns: ['key', 'title', 'description', 'video', 'note'],
      settings: USUAL_SETTINGS,
    },
    entries: entries(version),
    by: 'bench',
  };
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  const rss = Math.round(process.memoryUsage().rss / 1e6);
  console.log(
    `${name.padEnd(26)} ${seconds.toFixed(2).padStart(7)} s   longest stall ${(delay.max / 1e6).toFixed(0).padStart(5)} ms   ${rss} MB`,
  );
  return result;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-'));
  const ledger = await openLedger({ path: join(folder, 'ledger.db') });
  try {
    await ledger.registerWorker({ id: 'w', hostId: 'h', bootId: 'b', pid: 1, startTime: '1' });
    await timed('plan of a new manifest', () => ledger.plan(submission(1)));
    await timed('submit', () => ledger.submit(submission(1)));
    const run = await ledger.beginRun({ campaign: 'big', workflowId: 'campaign/big', workflowRunId: 'x' });
    if (!run) throw new Error('no run');
    await timed('import', () => ledger.importSubmissions(run));
    await timed('the same submit', () => ledger.submit(submission(1)));
    await timed('import', () => ledger.importSubmissions(run));
    await timed('submit, a tenth changed', () => ledger.submit(submission(2)));
    await timed('import', () => ledger.importSubmissions(run));
    const ids: number[] = [];
    for (const channel of await ledger.channels(run)) {
      for (const row of await ledger.takePage({ run, channelId: channel.id, limit: 20, now: Date.now() }))
        ids.push(row.id);
      if (ids.length >= CLAIMS) break;
    }
    await timed(`claim and record ${ids.length}`, async () => {
      for (const rowId of ids) {
        const claim = await ledger.claim({ rowId, run, worker: 'w', now: Date.now() });
        if (!claim.claimed) throw new Error(claim.reason);
        await ledger.record(rowId, claim.attempt, {
          kind: 'accepted',
          publicationId: `p${rowId}`,
          status: 'processing',
        });
      }
    });
  } finally {
    await ledger.close();
    const { size } = statSync(join(folder, 'ledger.db'));
    console.log(
      `the file, two versions    ${(size / 1e6).toFixed(0).padStart(7)} MB   ${Math.round(size / ROWS)} bytes a row`,
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
