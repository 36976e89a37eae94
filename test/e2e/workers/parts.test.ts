import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import Database from 'libsql';
import { type RunningSandbox, startSandbox } from '../../../sandbox/server';
import { type RunningCommand, until, UserMachine } from '../support/cli-process';
import { writeCampaign } from '../support/manifests';

jest.setTimeout(600_000);

const EXAMPLES = join(__dirname, '..', '..', '..', 'manifests', 'examples');

let machine: UserMachine;
let service: RunningSandbox;
let up: RunningCommand;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  service = await startSandbox({ apiKey: 'their-key', processing: { minMs: 50, maxMs: 200 } });
  machine = await UserMachine.create({ REELAY_BASE_URL: service.baseUrl, REELAY_API_KEY: 'their-key' });
  up = machine.start(['up']);
  await up.says(/Running\. Ctrl-C/u);
  const [, address = ''] = /Temporal at (\S+)/u.exec(up.stderr) ?? [];
  connection = await Connection.connect({ address });
  const [, namespace = ''] = /namespace (\S+)\)/u.exec(up.stderr) ?? [];
  client = new Client({ connection, namespace });
});

afterAll(async () => {
  await connection.close();
  up.child.kill('SIGINT');
  await up.ended;
  await service.close();
  await machine.remove();
});

/** Rows of which the last is to be sent in an hour. */
async function writeWaiting(name: string, rows: number): Promise<string> {
  const { readFile, writeFile } = await import('node:fs/promises');
  const path = machine.path(`${name}.csv`);
  await writeCampaign(path, rows, { host: `${name}.example`, title: (index) => `${name} ${index}` });
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const withTimes = lines.map((line, index) => `${line},${index === 0 ? 'publish_at' : index === rows ? later : ''}`);
  await writeFile(path, `${withTimes.join('\n')}\n`);
  return path;
}

describe('the parts a team runs', () => {
  it('submit hands a campaign to a worker that is up, and watch follows it to its end', async () => {
    await writeCampaign(machine.path('shows.csv'), 8, { host: 'shows.example' });
    const submitted = await machine.here(['submit', machine.path('shows.csv'), '-o', 'json']);
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const watched = await machine.run(['watch', 'shows', '-o', 'json']);
    expect([watched.code, JSON.parse(watched.stdout).counts]).toEqual([0, { published: 8 }]);
  });

  it('uploads local files whole', async () => {
    const ended = await machine.run(['run', join(EXAMPLES, 'local-files.yaml'), '-o', 'json']);
    expect(ended.code).toBe(0);
    const uploads = service.log().filter((entry) => entry.source === 'file');
    expect(uploads.length).toBeGreaterThan(0);
    for (const { bytes } of uploads) expect(bytes).toBeGreaterThan(0);
  });

  it('a cancel in the Web UI stops what was not sent, and the command line says so', async () => {
    await machine.here(['submit', await writeWaiting('webcancel', 4)]);
    await until(() => service.log().filter((entry) => entry.title?.startsWith('webcancel')).length === 3);
    await client.workflow.getHandle('campaign/webcancel').cancel();
    const watched = await machine.run(['watch', 'webcancel', '-o', 'json']);
    expect([watched.code, JSON.parse(watched.stdout).counts]).toEqual([8, { published: 3, cancelled: 1 }]);
  });

  it('cancel on the command line does the same, and says what is live', async () => {
    await machine.here(['submit', await writeWaiting('clicancel', 4)]);
    await until(() => service.log().filter((entry) => entry.title?.startsWith('clicancel')).length === 3);
    const cancelled = await machine.here(['cancel', 'clicancel', '--yes']);
    expect(cancelled.code).toBe(0);
    const watched = await machine.run(['watch', 'clicancel', '-o', 'json']);
    expect([watched.code, JSON.parse(watched.stdout).counts]).toEqual([8, { published: 3, cancelled: 1 }]);
  });

  it('a run that was terminated in the Web UI is taken up by the next submit, and nothing is created twice', async () => {
    const manifest = await writeWaiting('ended', 5);
    await machine.here(['submit', manifest]);
    const created = () => service.log().filter((entry) => entry.title?.startsWith('ended')).length;
    await until(() => created() === 4);
    await client.workflow.getHandle('campaign/ended').terminate();
    const again = await machine.here(['submit', manifest, '-o', 'json']);
    expect(again.code).toBe(0);
    await until(async () => {
      const { stdout } = await machine.here(['status', 'ended', '-o', 'json']);
      return JSON.parse(stdout).counts.published === 4;
    });
    const { status } = await client.workflow.getHandle('campaign/ended').describe();
    expect([status.name, created()]).toEqual(['RUNNING', 4]);
  });

  it('two campaigns that share channels, on two workers, keep each channel’s cap together', async () => {
    const address = connection.options.address;
    const temporal = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: client.options.namespace };
    const second = machine.start(['worker'], temporal);
    try {
      await second.says(/[Ww]orker/u);
      for (const name of ['north', 'south']) {
        const title = (index: number): string => `${name} ${index}`;
        await writeCampaign(machine.path(`${name}.csv`), 8, { host: `${name}.example`, title, profiles: ['Garden'] });
      }
      const capped = (name: string) =>
        machine.here(['submit', machine.path(`${name}.csv`), '--max-per', '2 per 3s', '--watch', '-o', 'json']);
      for (const ended of await Promise.all(['north', 'south'].map(capped))) {
        expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('error')]);
      }
    } finally {
      second.child.kill('SIGINT');
      await second.ended;
    }
    const db = new Database(join(machine.home, 'ledger.db'), { readonly: true });
    const claims = db
      .prepare(
        `select attempts.channel_id as channel, claimed_at as at from attempts join rows on rows.id = attempts.row_id
         where rows.campaign in ('north', 'south') order by claimed_at`,
      )
      .all() as { channel: number; at: number }[];
    const workers = db.prepare('select count(*) as n from workers').get() as { n: number };
    db.close();
    // Workers of the cases before are known to the ledger as well.
    expect(workers.n).toBeGreaterThanOrEqual(2);
    expect(claims).toHaveLength(16);
    for (const channel of new Set(claims.map((one) => one.channel))) {
      const times = claims.filter((one) => one.channel === channel).map((one) => one.at);
      expect(times).toHaveLength(8);
      for (const [at, time] of times.entries()) {
        expect(time - (times[at - 2] ?? -Infinity)).toBeGreaterThanOrEqual(3_000);
      }
    }
  });

  it('a person reads a run in the Web UI: summaries, details, search', async () => {
    const { raw } = await client.workflow.getHandle('campaign/shows').describe();
    const summary = raw.executionConfig?.userMetadata?.summary?.data;
    expect(Buffer.from(summary ?? []).toString()).toContain('shows.1');
    const found: string[] = [];
    await until(async () => {
      found.length = 0;
      for await (const { workflowId } of client.workflow.list({ query: 'ReelayCampaign = "shows"' }))
        found.push(workflowId);
      return found.includes('campaign/shows') && found.some((id) => id.startsWith('campaign/shows/1/'));
    });
  });
});
