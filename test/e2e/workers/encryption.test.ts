import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { temporal as proto } from '@temporalio/proto';
import { request } from 'undici';
import { freePort } from '../../support/free-port';
import { machineWithService } from '../support/machine-with-service';
import { ownTemporal } from '../support/own-temporal';

jest.setTimeout(600_000);

const WORD = 'Unspeakable';

describe('with keys for payloads', () => {
  const there = machineWithService({
    processing: { minMs: 50, maxMs: 200 },
    faults: [`create title="${WORD} 2" -> status 422`],
  });
  const temporal = ownTemporal('encrypted');

  it('no history on the server names a title; commands, and the Web UI through the codec server, read them', async () => {
    const { machine } = there;
    const { client } = temporal.connection;
    const keys = `young:${randomBytes(32).toString('base64')}\nold:${randomBytes(32).toString('base64')}\n`;
    await writeFile(machine.path('keys'), keys);
    const env = { ...temporal.env, REELAY_PAYLOAD_KEYS_FILE: machine.path('keys') };
    const worker = machine.start(['worker'], env);
    temporal.running.push(worker);
    await worker.says(/polls/u);
    const rows = [1, 2, 3].map((row) => `k${row},${WORD} ${row},https://veiled.example/${row}.mp4,short,Garden`);
    await writeFile(machine.path('veiled.csv'), `key,title,video_url,platform,profile\n${rows.join('\n')}\n`);
    await machine.run(['submit', machine.path('veiled.csv')], env);
    const watched = await machine.run(['watch', 'veiled', '-o', 'json'], env);
    expect((JSON.parse(watched.stdout) as { counts: unknown }).counts).toEqual({ published: 2, rejected: 1 });
    // The second submission reads what the first left in Temporal.
    expect((await machine.run(['submit', machine.path('veiled.csv')], env)).stderr).not.toContain('error');

    const payloads: object[] = [];
    const { executions } = await client.workflowService.listWorkflowExecutions({
      namespace: temporal.env.TEMPORAL_NAMESPACE,
    });
    for (const { execution } of executions) {
      const [workflowId, runId] = [execution?.workflowId ?? '', execution?.runId ?? ''];
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const bytes = Buffer.from(proto.api.history.v1.History.encode(history).finish());
      expect([workflowId, bytes.includes(WORD)]).toEqual([workflowId, false]);
      collect(
        proto.api.history.v1.History.toObject(proto.api.history.v1.History.fromObject(history), { bytes: String }),
        payloads,
      );
    }

    const without = await machine.run(['submit', machine.path('veiled.csv')], { ...env, REELAY_PAYLOAD_KEYS_FILE: '' });
    expect(without.stderr).toContain('encrypted with key “young”, which REELAY_PAYLOAD_KEYS doesn’t have');

    const port = await freePort();
    const codec = machine.start(['codec', '--port', String(port)], env);
    temporal.running.push(codec);
    await codec.says(/Codec server at/u);
    const answer = await request(`http://127.0.0.1:${port}/decode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://127.0.0.1:8233' },
      body: JSON.stringify({ payloads }),
    });
    const { payloads: read } = (await answer.body.json()) as { payloads: { data?: string }[] };
    const texts = read.map(({ data = '' }) => Buffer.from(data, 'base64').toString());
    // A summary of an activity, and the failure of the campaign's workflow.
    expect(texts.some((text) => text.includes(`${WORD} 1`))).toBe(true);
    expect(texts.some((text) => text.includes('rows went wrong') && text.includes(`${WORD} 2`))).toBe(true);
  });
});

/** The encrypted payloads anywhere in a history. */
function collect(value: unknown, into: object[]): void {
  if (typeof value !== 'object' || value === null) return;
  const { metadata } = value as { metadata?: Record<string, string> };
  if (metadata?.['encryption-key-id'] !== undefined) into.push(value);
  else for (const inner of Object.values(value)) collect(inner, into);
}
