import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, open } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { findTemporal } from '../../embedded/binary/find-temporal';
import { type SupervisedProcess, startSupervised } from '../../embedded/server/supervised-process';
import { choosePorts, freePort, type ServerPorts } from '../../embedded/server/ports';
import { RETENTION_S } from '../../embedded/server/prepare-namespace';
import { SEARCH_ATTRIBUTES } from '../../temporal/search-attributes';
import { databasePath, startTemporalServer, type TemporalServer } from '../../embedded/server/temporal-server';
import { connectTemporal } from '../../temporal/connect';
import { serversNaming, until } from './support/stack-child';

const namespace = 'reelay-test';
let binary: string;
let home: string;
let notices: string[];
const running: (TemporalServer | SupervisedProcess)[] = [];

beforeAll(async () => {
  binary = (await findTemporal()).path;
}, 300_000);
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reelay-temporal-'));
  notices = [];
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  expect(serversNaming(home)).toEqual([]);
  rmSync(home, { recursive: true, force: true });
});

async function start(ports?: ServerPorts): Promise<TemporalServer> {
  const server = await startTemporalServer({
    binary,
    home,
    namespace,
    newsOption: true,
    onNotice: (text) => notices.push(text),
    ports: ports ?? (await choosePorts()),
  });
  running.push(server);
  return server;
}

async function occupy(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { port: (server.address() as { port: number }).port, server };
}

describe('the embedded Temporal server', () => {
  test('keeps closed runs for 90 days and takes runs with all search attributes at once', async () => {
    const server = await start();
    const connection = await Connection.connect({ address: server.address });
    try {
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      expect(config?.workflowExecutionRetentionTtl?.seconds?.toString()).toBe(String(RETENTION_S));
      expect(RETENTION_S).toBe(2160 * 3600);
      const typedSearchAttributes = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) =>
        type === 'INT'
          ? { key: defineSearchAttributeKey(name, 'INT'), value: 1 }
          : { key: defineSearchAttributeKey(name, 'KEYWORD'), value: 'spring' },
      );
      const client = new Client({ connection, namespace });
      await client.workflow.start('none', { workflowId: 'a', taskQueue: 'q', typedSearchAttributes });
      await until(
        async () => (await client.workflow.count("ReelayCampaign = 'spring' AND ReelayFailed = 1")).count === 1,
      );
      expect((await fetch(server.webUi)).status).toBe(200);
    } finally {
      await connection.close();
    }
  });

  test('answers no HTTP API, which any web page could post to, fetches no news, and writes for its user only', async () => {
    const http = await freePort();
    const server = await start({ ...(await choosePorts()), http });
    const answer = await fetch(`http://127.0.0.1:${String(http)}/api/v1/namespaces/${namespace}/workflows/a`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: 'https://stranger.example' },
      body: JSON.stringify({ workflowType: { name: 'x' }, taskQueue: { name: 'q' } }),
    });
    expect(answer.status).toBe(403);
    const settings = (await (await fetch(`${server.webUi}/api/v1/settings`)).json()) as { DisableNewsFetch: boolean };
    expect(settings.DisableNewsFetch).toBe(true);
    expect(statSync(databasePath(home)).mode & 0o077).toBe(0);
  });

  test('mends the namespace of a database that was made without them, and keeps its runs', async () => {
    const ports = { grpc: await freePort(), ui: await freePort() };
    const log = await open(join(home, 'bare.log'), 'w');
    const args = ['server', 'start-dev', '--port', String(ports.grpc), '--ui-port', String(ports.ui)];
    const bare = await startSupervised(
      binary,
      [...args, '--ip', '127.0.0.1', '--db-filename', databasePath(home), '--namespace', namespace],
      log,
    );
    running.push(bare);
    await log.close();
    let connection = await Connection.connect({ address: `127.0.0.1:${ports.grpc}`, connectTimeout: '200s' });
    await until(() =>
      new Client({ connection, namespace }).workflow.start('none', { workflowId: 'old', taskQueue: 'q' }).then(
        () => true,
        () => false,
      ),
    );
    const before = await connection.workflowService.describeNamespace({ namespace });
    expect(before.config?.workflowExecutionRetentionTtl?.seconds?.toString()).toBe('86400');
    await connection.close();
    await bare.stop();

    // Twice: what is set up stays so, and repeating it does no harm.
    for (let round = 1; round <= 2; round += 1) {
      const server = await start();
      connection = await Connection.connect({ address: server.address });
      const after = await connection.workflowService.describeNamespace({ namespace });
      expect(after.config?.workflowExecutionRetentionTtl?.seconds?.toString()).toBe(String(RETENTION_S));
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      expect(Object.keys(customAttributes).sort()).toEqual(Object.keys(SEARCH_ATTRIBUTES).sort());
      const old = await new Client({ connection, namespace }).workflow.getHandle('old').describe();
      expect(old.status.name).toBe('RUNNING');
      await connection.close();
      await server.stop();
    }
  });

  test('a damaged database is named, with the way out', async () => {
    writeFileSync(databasePath(home), 'not a database '.repeat(1000));
    const thrown: unknown = await start().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'StackStartError' });
    expect((thrown as { hint: string }).hint).toMatch(/temporal\.sqlite is damaged.*move temporal\.sqlite.*resume/);
  });

  test('takes free ports where the usual ones are taken, and says so', async () => {
    const [grpc, ui] = [await occupy(), await occupy()];
    try {
      const server = await start({ grpc: grpc.port, ui: ui.port });
      const port = Number(server.address.split(':')[1]);
      expect(port).not.toBe(grpc.port);
      expect(notices).toEqual([
        `Port ${grpc.port} is taken: Temporal listens on ${port}.`,
        `Port ${ui.port} is taken: the Web UI is on ${server.webUi.split(':')[2]}.`,
      ]);
    } finally {
      grpc.server.close();
      ui.server.close();
    }
  });

  test('servers that start at once with the same usual ports all start, each on its own', async () => {
    const ports = { grpc: await freePort(), ui: await freePort() };
    const homes = await Promise.all([1, 2, 3].map((each) => mkdtemp(join(home, `start-${each}-`))));
    const onNotice = (): void => undefined;
    const starting = homes.map((folder) => startTemporalServer({ binary, home: folder, namespace, ports, onNotice }));
    const started = await Promise.allSettled(starting);
    const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      expect(started.map((one) => (one.status === 'rejected' ? String(one.reason) : 'started'))).toEqual(
        homes.map(() => 'started'),
      );
      expect(new Set(servers.map(({ address }) => address)).size).toBe(homes.length);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  test.each(['https_proxy', 'HTTPS_PROXY', 'http_proxy'])('is reached without the proxy of %s', async (variable) => {
    const before = process.env[variable];
    // Nothing listens there: whatever went through it would fail.
    process.env[variable] = 'http://127.0.0.1:9';
    try {
      const server = await start();
      const connection = await connectTemporal({ address: server.address, namespace });
      await connection.close();
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, variable);
      else process.env[variable] = before;
    }
  });

  test('stops completely, even if it was killed before', async () => {
    const server = await start();
    process.kill(server.process.identity.pid, 'SIGKILL');
    expect(await server.process.gone).toBe('ended by SIGKILL');
    await server.stop();
    expect(serversNaming(home)).toEqual([]);
  });

  test('a server that ends before it can be looked at ended like any other', async () => {
    const options = { binary: '/bin/false', home, namespace, onNotice: () => undefined };
    for (let at = 0; at < 5; at += 1)
      await expect(startTemporalServer(options)).rejects.toThrow(/did not start: it ended with code 1$/);
  });

  test('a server that can not start is an error with its own words', async () => {
    writeFileSync(databasePath(home), 'this is not a database, however long it may be'.repeat(100));
    await expect(start()).rejects.toMatchObject({
      name: 'StackStartError',
      message: expect.stringMatching(/did not start: it ended with code 1\n.*not a database/s),
      hint: expect.stringContaining(`Its database ${databasePath(home)} is damaged.`),
    });
  });

  test('a large log is put aside', async () => {
    writeFileSync(join(home, 'temporal.log'), 'x'.repeat(5_000_001));
    await start();
    expect(statSync(join(home, 'temporal.log.1')).size).toBe(5_000_001);
    expect(readFileSync(join(home, 'temporal.log'), 'utf8')).not.toContain('xxx');
  });
});
