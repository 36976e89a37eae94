import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { request } from 'undici';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { freePort } from '../../support/free-port';
import { jsonLines } from '../../support/json-lines';
import { temporalPath } from '../../support/temporal';
import { type RunningCommand, until, UserMachine } from '../support/cli-process';

jest.setTimeout(600_000);

const KEY = 'key-of-theirs';
const TIMINGS = JSON.stringify({ pollMs: 200, pollMaxMs: 1_000, settleMs: 1_000, lookGapMs: 300 });

let temporal: TestWorkflowEnvironment;
let service: RunningSandbox;
let machine: UserMachine;
let worker: RunningCommand;
let address: string;

beforeAll(async () => {
  temporal = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'existing-path', path: await temporalPath() } },
  });
  service = await startSandbox({
    apiKey: KEY,
    faults: ['create title="Refused" -> status 422', 'create title="Lost" times=1 -> lost'],
    open: { echoTitle: true },
  });
  machine = await UserMachine.create({
    REELAY_BASE_URL: service.baseUrl,
    REELAY_API_KEY: KEY,
    REELAY_TIMINGS: TIMINGS,
    TEMPORAL_ADDRESS: temporal.address,
  });
  address = `127.0.0.1:${await freePort()}`;
  worker = machine.start(['worker', '--single-host', '--metrics', address, '--log-format', 'json']);
  await worker.says(/polls/u);
  const rows = ['Refused', 'Lost', 'Good', 'Also good'].map(
    (title, at) => `k${at},${title},https://videos.example/${at}.mp4?signature=hidden,short,Garden`,
  );
  await submit('show', rows, ['--watch']);
  const slow = [1, 2].map((at) => `s${at},Slow ${at},https://videos.example/s${at}.mp4,short,Kitchen`);
  await submit('slow', slow, ['--max-per', '1 per 24h']);
});
afterAll(async () => {
  worker.child.kill('SIGINT');
  await worker.ended;
  await service.close();
  await machine.remove();
  await temporal.teardown();
});

async function submit(name: string, rows: readonly string[], flags: readonly string[]): Promise<void> {
  const path = machine.path(`${name}.csv`);
  await writeFile(path, `key,title,video_url,platform,profile\n${rows.join('\n')}\n`);
  const { code, stderr } = await machine.here(['submit', path, '--single-host', ...flags]);
  if (code !== 0 && code !== 5) throw new Error(stderr);
}

async function scrape(): Promise<Map<string, number>> {
  const { body } = await request(`http://${address}/metrics`);
  const series = new Map<string, number>();
  for (const line of (await body.text()).split('\n')) {
    const [, name, value] = /^(\w+(?:\{.*\})?) ([\d.e+-]+)$/u.exec(line) ?? [];
    if (name !== undefined) series.set(name, Number(value));
  }
  return series;
}

/** The value of a series with this label, whatever other labels it has. */
function valueOf(series: Map<string, number>, name: string, label = ''): number | undefined {
  for (const [key, value] of series) if (key.startsWith(name) && key.includes(label)) return value;
  return undefined;
}

describe('a worker with metrics and a JSON log', () => {
  it('serves the series of the SDK and its own: rows, channels that wait, claims, creates, looks, settled ones', async () => {
    let series = new Map<string, number>();
    await until(async () => {
      series = await scrape();
      return valueOf(series, 'reelay_channels', 'wait="paced"') === 1;
    });
    const found = {
      planned: valueOf(series, 'reelay_rows', 'state="planned"'),
      claimed: valueOf(series, 'reelay_claims_total', 'result="claimed"'),
      accepted: valueOf(series, 'reelay_creates_total', 'outcome="accepted"'),
      rejected: valueOf(series, 'reelay_creates_total', 'outcome="rejected"'),
      unknown: valueOf(series, 'reelay_creates_total', 'outcome="unknown"'),
      adopted: valueOf(series, 'reelay_reconciles_total', 'decision="adopt"'),
    };
    expect(found).toEqual({ planned: 1, claimed: 5, accepted: 3, rejected: 1, unknown: 1, adopted: 1 });
    expect(valueOf(series, 'reelay_list_scans_total')).toBeGreaterThan(0);
    for (const name of ['temporal_workflow_completed', 'temporal_activity_execution_latency', 'temporal_request'])
      expect([name, valueOf(series, name)]).toEqual([name, expect.any(Number)]);
  });

  it('has every series of its own in the documentation, and no other', async () => {
    const page = await readFile(join(__dirname, '..', '..', '..', 'docs', 'reference', 'metrics.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(reelay_\w+)(?:\{\w+\})?` +\|/gmu)].map(([, name]) => name);
    const served = [...(await scrape()).keys()]
      .map((key) => key.replace(/\{.*/u, ''))
      .filter((name) => name.startsWith('reelay_'));
    expect([...new Set(served)].sort()).toEqual([...documented].sort());
  });

  it('logs each row with its run, channel, line and publication, as JSON lines without a secret', async () => {
    const lines = jsonLines(worker.stderr);
    const created = lines.filter((line) => line['message'] === 'created');
    expect(created).toContainEqual(
      expect.objectContaining({
        level: 'info',
        run: 'show.1',
        channel: 'Garden · short',
        row: 4,
        key: 'k2',
        publication: expect.any(String),
      }),
    );
    const publication = created.find((line) => line['key'] === 'k2')?.['publication'];
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'published', run: 'show.1', channel: 'Garden · short', row: 4, publication }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'rejected', row: 2, code: 'http-422' }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'may have been created', row: 3 }));
    const kept = await readFile(join(machine.home, 'worker.log'), 'utf8');
    for (const text of [worker.stderr, kept]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('signature=hidden');
    }
    expect(jsonLines(kept).length).toBeGreaterThanOrEqual(created.length);
  });
});
