import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { createPublications } from '../../../activities/publish/create-publications';
import { RollbackWitness } from '../../../activities/reconcile/rollback-witness';
import { watchPublications } from '../../../activities/run/watch-publications';
import { type Ledger } from '../../../ledger/ledger';
import { type GateInfo } from '../../../ledger/model/types';
import { openLedger } from '../../../ledger/open';
import { type AccountConnection } from '../../../service/accounts';
import { Harness } from '../harness';
import { AccountScene } from './account-scene';
import { compareLedger } from './compare-ledger';

const ROWS = 6;

/** What a person may keep of a ledger in use, and put back later. */
const copies: Record<string, (harness: Harness, to: string) => Promise<() => void>> = {
  'a backup without the file beside it': async ({ ledger }, to) => {
    await ledger.backup(to);
    return () => undefined;
  },
  'ledger.db alone after a kill, without its log': async ({ folder }, to) => {
    const database = new Database(join(folder, 'ledger.db'));
    database.prepare('pragma wal_checkpoint(truncate)').all([]);
    database.prepare('pragma wal_autocheckpoint = 0').all([]);
    database.close();
    return () => copyFileSync(join(folder, 'ledger.db'), to);
  },
  'a plain copy of all its files': async ({ folder }, to) => {
    for (const name of readdirSync(folder).filter((one) => /^ledger\.(db|db-wal|seq)$/u.test(one))) {
      copyFileSync(join(folder, name), to.replace('ledger.db', name));
    }
    return () => undefined;
  },
};

describe('a ledger that was restored from an older copy within its run', () => {
  let harness: Harness;
  let restored: Ledger | undefined;
  beforeEach(async () => {
    harness = await Harness.open({ rows: ROWS, sandbox: { open: { echoTitle: true } } });
  });
  afterEach(async () => {
    await restored?.close();
    restored = undefined;
    await harness.close();
  });

  /** A separate worker on the restored ledger wants to send everything that this ledger has as unsent. */
  async function sendAll(ledger: Ledger, sequence?: number): Promise<(string | undefined)[]> {
    const witness = new RollbackWitness({ ledger, log: harness.deps.log });
    const codes: (string | undefined)[] = [];
    for (const { id: channelId } of await ledger.channels(harness.run)) {
      const page = await ledger.takePage({ run: harness.run, channelId, limit: ROWS, now: Date.now() });
      const { rows } = await createPublications(
        { ...harness.deps, ledger, witness },
        {
          run: harness.run,
          channelId,
          rowIds: page.map((row) => row.id),
          ...(sequence === undefined ? {} : { sequence }),
        },
        {
          cancelled: new AbortController().signal,
          shuttingDown: () => false,
          heartbeat: () => undefined,
          pause: async () => undefined,
        },
      );
      codes.push(...rows.map((row) => row.code));
    }
    return codes;
  }

  it.each(Object.entries(copies))('sends nothing until it is reconciled: %s', async (_, copy) => {
    await harness.createGroup({ rows: 2, places: 1 });
    const home = join(harness.folder, 'restored');
    mkdirSync(home);
    const path = join(home, 'ledger.db');
    const putBack = await copy(harness, path);
    await harness.createGroup({ rows: 3, places: 1 });
    putBack();
    restored = await openLedger({ path });
    expect(restored.rolledBack).toBeNull();
    expect(await sendAll(restored)).toContain('paused');
    expect([...harness.accepted().values()]).toEqual(Array(5).fill(1));
    const [gate] = await restored.gates(harness.run);
    expect(gate).toMatchObject({ kind: 'paused', reason: expect.stringMatching(/^ledger-rolled-back: 3 newer/u) });

    const found = await compareLedger(restored, harness.deps.accounts.get('main'));
    expect(found).toMatchObject({ adopted: 3, unconfirmed: 0 });
    await restored.acceptRolledBack(found.strays);
    expect(await restored.gates(harness.run)).toEqual([]);
    await sendAll(restored);
    expect(harness.accepted().size).toBe(ROWS);
    expect([...harness.accepted().values()]).toEqual(Array(ROWS).fill(1));
  });

  it('sends nothing where the service shows no titles either, until a person resumes the account', async () => {
    await harness.close();
    harness = await Harness.open({ rows: ROWS });
    await harness.createGroup({ rows: 2, places: 1 });
    const path = join(harness.folder, 'restored', 'ledger.db');
    mkdirSync(join(harness.folder, 'restored'));
    await harness.ledger.backup(path);
    await harness.createGroup({ rows: 3, places: 1 });
    restored = await openLedger({ path });
    expect(await sendAll(restored)).toContain('paused');
    expect([...harness.accepted().values()]).toEqual(Array(5).fill(1));

    // Recorded once: a person who resumes the account isn't asked about the same publications by the next process.
    await restored.clearGate('account:main', 'paused');
    expect(await sendAll(restored)).not.toContain('paused');
  });

  it('sends nothing below the number that its workflow has seen, whatever the list shows', async () => {
    await harness.createGroup({ rows: 2, places: 1 });
    const path = join(harness.folder, 'restored', 'ledger.db');
    mkdirSync(join(harness.folder, 'restored'));
    await harness.ledger.backup(path);
    await harness.createGroup({ rows: 3, places: 1 });
    const seen = await harness.ledger.sequence();
    restored = await openLedger({ path });
    expect(restored.rolledBack).toBeNull();
    const deps = { ...harness.deps, ledger: restored };
    const gates = (): Promise<GateInfo[]> => restored?.gates(harness.run) ?? Promise.resolve([]);
    expect(await sendAll(restored, seen)).toEqual(['paused']);
    expect([...harness.accepted().values()]).toEqual(Array(5).fill(1));
    const reason = expect.stringMatching(
      /^ledger-rolled-back: Temporal saw this ledger at number \d+.*ledger reconcile$/u,
    );
    expect(await gates()).toMatchObject([{ kind: 'paused', scope: 'account:main', reason }]);

    // A person who only resumes the account is not believed: the number proves it.
    await restored.clearGate('account:main', 'paused');
    expect(await sendAll(restored, seen)).toEqual(['paused']);

    const { strays } = await compareLedger(deps.ledger, deps.accounts.get('main'));
    await restored.acceptRolledBack(strays);
    expect(await gates()).toEqual([]);
    // Also what other workflows have seen is behind it from now on.
    await sendAll(restored, seen + 50);
    expect([...harness.accepted().values()]).toEqual(Array(ROWS).fill(1));
  });

  it('is held by the watch of its run, even if the copy is restored while it runs', async () => {
    await harness.createGroup({ rows: 2, places: 1 });
    const seen = await harness.ledger.sequence();
    await watchPublications(
      harness.deps,
      { run: harness.run, budgetMs: 0, atLeastMs: 0, sequence: seen },
      harness.context(),
    );
    expect(await harness.ledger.gates(harness.run)).toEqual([]);
    const { sequence } = await watchPublications(
      harness.deps,
      { run: harness.run, budgetMs: 0, atLeastMs: 0, sequence: seen + 1 },
      harness.context(),
    );
    expect(sequence).toBe(seen);
    expect(await harness.ledger.gates(harness.run)).toMatchObject([{ kind: 'paused', scope: 'account:main' }]);
  });

  it('waits with sending while the service’s list can’t be read', async () => {
    await harness.createGroup({ rows: 1, places: 1 });
    harness.sandbox.rules.add({ when: { endpoint: 'list' }, do: { kind: 'status', status: 503 } });
    expect(await sendAll(harness.ledger)).toContain('unreachable');
    expect(harness.accepted().size).toBe(1);
  });

  it('is not taken for one where only another worker starts', async () => {
    await harness.createGroup({ rows: 2, places: 1 });
    expect(await sendAll(harness.ledger)).not.toContain('paused');
    expect(harness.accepted().size).toBe(ROWS);
  });
});

describe('a publication that was there before the run, with the title of a row that waits', () => {
  it('is not taken for a row of a later state, wherever the list shows it', async () => {
    const scene = await AccountScene.open({ behaviour: { order: (a, b) => a.nth - b.nth } });
    try {
      scene.service.add({ title: 'Winter bees', platform: 'platform_b' });
      const publishAt = new Date(scene.time + 3_600_000).toISOString();
      await scene.submit('spring', [{ title: 'First' }, { title: 'Winter bees', publishAt }]);
      await scene.create();
      expect(await scene.states()).toEqual(['processing', 'waiting']);

      const log = { error: () => undefined, warn: () => undefined };
      const connection = { name: 'main', client: scene.service } as unknown as AccountConnection;
      expect(await new RollbackWitness({ ledger: scene.ledger, log }).check(connection)).toBe('checked');
      expect(await scene.ledger.gates(scene.runs.get('spring')!)).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});
