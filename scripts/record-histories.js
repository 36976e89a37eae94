'use strict';

// Records the histories that `test/replay` replays: a campaign of the sandbox with a trial, a rest, a later row and a
// cancel; firings of a schedule that publish, wait for a file and are refused; and notices of it all. Run it before a release, under its number; the older
// files stay, and the list of all of them (`test/replay/histories.sha256`) is written again: `npm run build && node scripts/record-histories.js NAME`.
const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Client, Connection } = require('@temporalio/client');
const { temporal } = require('@temporalio/proto');

const root = join(__dirname, '..');
const histories = join(root, 'test', 'replay', 'histories');
const name = process.argv[2] ?? 'current';
const folder = mkdtempSync(join(tmpdir(), 'reelay-histories-'));
const env = { ...process.env, REELAY_HOME: join(folder, 'home') };

function reelay(...args) {
  const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...args], { env, cwd: folder });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise((resolve) => child.on('close', resolve));
  return { child, ended, says: () => stderr };
}

async function until(what, holds) {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function manifest(file, campaign, rows, later) {
  const lines = [`key,title,video_url,platform,profile,publish_at`];
  for (let row = 0; row < rows; row += 1) {
    const at = later && row === rows - 1 ? new Date(Date.now() + later).toISOString() : '';
    const platform = row % 2 === 0 ? 'short' : 'long';
    lines.push(`k${row},${campaign} ${row},https://${campaign}.example/${row}.mp4,${platform},Garden,${at}`);
  }
  writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
}

/** Stack traces name folders of the machine they were recorded on; no replay reads them. */
function withoutStacks(value) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (typeof value.stackTrace === 'string') value.stackTrace = '';
  for (const inner of Object.values(value)) withoutStacks(inner);
}

/** Of all histories, as `sha256sum` has it. */
function writeList() {
  const names = readdirSync(histories)
    .filter((each) => each.endsWith('.pb'))
    .sort();
  const digest = (each) =>
    createHash('sha256')
      .update(readFileSync(join(histories, each)))
      .digest('hex');
  writeFileSync(`${histories}.sha256`, names.map((each) => `${digest(each)}  ${each}\n`).join(''));
}

async function main() {
  manifest('spring.csv', 'spring', 40, 15_000);
  manifest('autumn.csv', 'autumn', 6, 3_600_000);
  manifest('drip.csv', 'drip', 4);
  writeFileSync(join(folder, 'reelay.config.yaml'), 'notify: {command: ["true"]}\n');
  const late =
    'template: true\ntimezone: UTC\nmissing: wait 2s\nvideos: [{source: "late-{date}.mp4", platform: short}]\n';
  writeFileSync(join(folder, 'late.yaml'), late);
  const up = reelay('up', '--sandbox');
  try {
    await until('the stack', () => /Running\. Ctrl-C/.test(up.says()));
    const address = /Temporal at (\S+)/.exec(up.says())[1];
    await reelay('run', 'spring.csv', '--sandbox', '--limit', '3').ended;
    await reelay('run', 'spring.csv', '--sandbox').ended;
    await reelay('run', 'autumn.csv', '--sandbox', '--timeout', '10s').ended;
    await reelay('cancel', 'autumn', '--sandbox', '--yes').ended;
    for (const [name, file] of [
      ['drip', 'drip.csv'],
      ['late', 'late.yaml'],
    ]) {
      const every = ['--every', '1d', '--take', '2', '--sandbox'];
      await reelay('schedule', 'create', name, file, ...every).ended;
      await reelay('schedule', 'trigger', name, '--sandbox').ended;
    }
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace: 'reelay-sandbox' });
    await client.workflow.getHandle('campaign/autumn').result();
    const running = "ExecutionStatus = 'Running' AND WorkflowType IN ('scheduledBatch', 'deliverNotice')";
    const fired = "WorkflowType = 'scheduledBatch'";
    await until('the firings', async () => {
      const [all, open] = await Promise.all([client.workflow.count(fired), client.workflow.count(running)]);
      return all.count >= 2 && open.count === 0;
    });
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const file = `${name}.${workflowId.replaceAll(/[^\w.-]/g, '-')}.${runId.slice(0, 8)}.pb`;
      withoutStacks(history);
      const bytes = temporal.api.history.v1.History.encode(history).finish();
      writeFileSync(join(histories, file), bytes);
      process.stdout.write(`${file}: ${history.events.length} events\n`);
    }
    writeList();
    await connection.close();
  } finally {
    up.child.kill('SIGINT');
    await up.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
