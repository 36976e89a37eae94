import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quarantinedFiles } from '../../../../activities/publish/spool/quarantine';
import { recordOutcome } from '../../../../activities/publish/recording';
import { type SpooledOutcome } from '../../../../activities/publish/spool/spool';
import { LedgerStateError } from '../../../../ledger/model/errors';
import { Harness } from '../../harness';

const REFUSED = { kind: 'rejected', code: 'invalid', message: 'no' } as const;

describe('files of the spool that can never be recorded', () => {
  let harness: Harness;
  let spool: string;
  beforeEach(async () => {
    harness = await Harness.open({ rows: 2 });
    spool = join(harness.folder, 'spool');
    mkdirSync(spool);
  });
  afterEach(() => harness.close());

  const unusable: Record<string, (path: string) => void> = {
    'a cut file': (path) => writeFileSync(path, '{"rowId": 1, "att'),
    'an empty file': (path) => writeFileSync(path, ''),
    'JSON without an outcome': (path) => writeFileSync(path, '{"rowId":1,"attempt":1}'),
    'an outcome of an unknown kind': (path) => writeFileSync(path, '{"rowId":1,"attempt":1,"outcome":{"kind":"sent"}}'),
    'an outcome without its id': (path) =>
      writeFileSync(path, '{"rowId":1,"attempt":1,"outcome":{"kind":"accepted","status":"processing"}}'),
    'an attempt that the ledger does not have': (path) =>
      writeFileSync(path, JSON.stringify({ rowId: 4711, attempt: 1, outcome: REFUSED })),
    'an attempt of another ledger': (path) =>
      writeFileSync(path, JSON.stringify({ rowId: 1, attempt: 1, ledger: 'another', outcome: REFUSED })),
    'a folder of a file’s name': (path) => mkdirSync(path),
    'a file of another user': (path) => {
      writeFileSync(path, '{}');
      chmodSync(path, 0);
    },
  };

  it.each(Object.entries(unusable))(
    '%s is moved to quarantine with its reason, and rows are published',
    async (_, make) => {
      make(join(spool, '1-1-x.json'));
      await harness.create();
      await harness.finish();
      expect((await harness.results()).map((row) => row.state)).toEqual(['published', 'published']);
      const [aside, ...more] = await quarantinedFiles(spool);
      expect(more).toEqual([]);
      expect(aside?.path).toBe(join(spool, 'quarantine', '1-1-x.json'));
      expect(aside?.reason).not.toBe('');
      expect(existsSync(join(spool, '1-1-x.json'))).toBe(false);
    },
  );

  it('are recorded under the name that a kind has now, where an earlier version wrote them', async () => {
    const { ledger, run, deps } = harness;
    const [channel] = await ledger.channels(run);
    const [row] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    await ledger.claim({ rowId: row!.id, run, worker: deps.worker.id, now: Date.now() });
    const outcome = { kind: 'perhaps', code: 'lost', message: 'cut off' };
    writeFileSync(join(spool, 'earlier.json'), JSON.stringify({ rowId: row!.id, attempt: 1, outcome }));
    await deps.spool.drainInto(ledger, deps.log);
    expect(readdirSync(spool)).toEqual([]);
    expect(await ledger.unsettled(run)).toMatchObject([{ code: 'lost' }]);
  });

  it('stay in the spool while the ledger only can’t be written', async () => {
    const entry: SpooledOutcome = { rowId: 1, attempt: 1, outcome: REFUSED, ledger: harness.ledger.id };
    await harness.deps.spool.add(entry);
    const full = { id: harness.ledger.id, record: () => Promise.reject(new Error('database or disk is full')) };
    await expect(harness.deps.spool.drainInto(full, harness.deps.log)).rejects.toThrow('disk is full');
    expect(readdirSync(spool)).toHaveLength(1);
    expect(await quarantinedFiles(spool)).toEqual([]);
  });

  it('are not said to be written before they are, and leave nothing half-written behind', async () => {
    const { ledger, run } = harness;
    const [channel] = await ledger.channels(run);
    const [row] = await ledger.takePage({ run, channelId: channel!.id, limit: 1, now: Date.now() });
    await ledger.claim({ rowId: row!.id, run, worker: harness.deps.worker.id, now: Date.now() });
    const entry = { rowId: row!.id, attempt: 1, outcome: REFUSED, ledger: ledger.id, worker: harness.deps.worker.id };
    // A folder of the file's name is what a full disk is for the test: the file can't get its name.
    await harness.deps.spool.add(entry);
    const path = join(spool, readdirSync(spool)[0]!);
    rmSync(path);
    mkdirSync(join(path, 'in-the-way'), { recursive: true });
    const errors: string[] = [];
    const left: string[] = [];
    const log = { ...harness.deps.log, error: (message: string) => errors.push(message) };
    const full = { ...ledger, record: () => Promise.reject(new Error('database or disk is full')) };
    const pause = async () => {
      left.push(...readdirSync(spool).filter((name) => name.endsWith('.part')));
      rmSync(path, { recursive: true });
    };
    const recorded = await recordOutcome({ ...harness.deps, ledger: full, log, pause }, row!.id, 1, REFUSED);
    expect(recorded).toEqual({ state: 'spooled' });
    expect([errors, left]).toEqual([
      [
        'neither ledger nor spool can be written; an outcome is held in memory',
        'the ledger can’t be written; an outcome was written to the spool',
      ],
      [],
    ]);
  });

  it('are not made of an outcome that the ledger refuses: it is put aside at once, not called a failed disk', async () => {
    const errors: string[] = [];
    const log = { ...harness.deps.log, error: (message: string) => errors.push(message) };
    const ledger = {
      ...harness.ledger,
      record: () => Promise.reject(new LedgerStateError('row 2 (key k0) has no attempt 1')),
    };
    const outcome = { kind: 'accepted', publicationId: 'pub-1', status: 'processing' } as const;
    const deps = { ...harness.deps, ledger, log, pause: async () => undefined };
    await expect(recordOutcome(deps, 1, 1, outcome)).resolves.toEqual({ state: 'spooled' });
    expect(errors).toEqual(['the ledger refused an outcome; it was moved to the spool’s quarantine']);
    const [aside] = await quarantinedFiles(spool);
    expect(aside?.reason).toContain('no attempt 1');
    expect(JSON.parse(readFileSync(aside?.path ?? '', 'utf8'))).toMatchObject({ outcome, ledger: harness.ledger.id });
    await harness.create();
  });
});
