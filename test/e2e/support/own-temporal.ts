import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporalServer } from '../../../embedded/server/temporal-server';
import { connectTemporal, type TemporalConnection } from '../../../temporal/connect';
import { temporalPath } from '../../support/temporal';
import { type RunningCommand } from './cli-process';

export interface OwnTemporal {
  /** Without keys: it sees what the server has. */
  readonly connection: TemporalConnection;
  /** What a command needs to use it. */
  readonly env: { TEMPORAL_ADDRESS: string; TEMPORAL_NAMESPACE: string };
  /** Commands that end with each test. */
  readonly running: RunningCommand[];
}

/** A Temporal server for all tests of a file, as a user has one that reelay didn't start. */
export function ownTemporal(namespace: string): OwnTemporal {
  const running: RunningCommand[] = [];
  let folder: string;
  let server: Awaited<ReturnType<typeof startTemporalServer>>;
  let connection: TemporalConnection;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `reelay-${namespace}-`));
    const options = { binary: await temporalPath(), home: folder, namespace, onNotice: () => undefined };
    server = await startTemporalServer(options);
    connection = await connectTemporal({ address: server.address, namespace });
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { child } of running) child.kill('SIGINT');
    await Promise.all(running.splice(0).map((command) => command.ended));
  });
  return {
    get connection() {
      return connection;
    },
    get env() {
      return { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: namespace };
    },
    running,
  };
}
