import fs, { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerOtherHostError, LedgerRolledBackError } from '../../../ledger/model/errors';
import { inspectLedger } from '../../../ledger/maintenance/inspect';
import { openLedger } from '../../../ledger/open';
import { Bench, entries, submission } from '../support';

describe('a ledger that is not what it was', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  const copy = () => join(bench.folder, 'copy.db');

  /** Puts another database in the ledger's place, as a person would. */
  async function replaceBy(file: string | null): Promise<void> {
    await bench.ledger.close();
    for (const end of ['', '-wal', '-shm']) rmSync(bench.path + end, { force: true });
    if (file !== null) copyFileSync(file, bench.path);
  }

  it('is refused when it was restored from a copy, and opened only for looking', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    await bench.ledger.backup(copy());
    await bench.claimed(run, await bench.firstId(run));
    await replaceBy(copy());
    await expect(openLedger({ path: bench.path })).rejects.toThrow(LedgerRolledBackError);
    const looking = await openLedger({ path: bench.path }, { allowRolledBack: true });
    expect(looking.rolledBack).toMatchObject({ lost: false });
    await looking.close();
    await expect(openLedger({ path: bench.path })).rejects.toThrow(/restored from an older copy/);

    const again = await openLedger({ path: bench.path }, { allowRolledBack: true });
    await again.acceptRolledBack([]);
    await again.close();
    await bench.open();
    expect(bench.ledger.rolledBack).toBeNull();
  });

  it('keeps what it committed where the file beside it can’t be written, and doctor can see that', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a = 0, b = 0] = await bench.rowIds(run);
    const full = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw new Error('ENOSPC: no space left on device, write');
    });
    try {
      expect(await bench.claim(run, a)).toMatchObject({ claimed: true });
    } finally {
      full.mockRestore();
    }
    expect(await inspectLedger(bench.location)).toMatchObject({ fileBehind: true, rolledBack: false });
    expect(await bench.claim(run, b)).toMatchObject({ claimed: true });
    expect(await inspectLedger(bench.location)).toMatchObject({ fileBehind: false });
  });

  it('is taken as it is when nothing was claimed since the copy', async () => {
    await bench.begin(submission(entries('a')));
    await bench.ledger.backup(copy());
    await replaceBy(copy());
    await bench.open();
    expect(bench.ledger.rolledBack).toBeNull();
  });

  it('is refused when it was lost and a new one is made in its place', async () => {
    await bench.begin(submission(entries('a')));
    await replaceBy(null);
    await expect(openLedger({ path: bench.path })).rejects.toThrow(/lost or replaced/);
    const looking = await openLedger({ path: bench.path }, { allowRolledBack: true });
    const stray = { account: 'default', publication_id: 'p9', platform: null, profile_id: null };
    await looking.acceptRolledBack([
      { ...stray, title: 'Episode a' },
      { ...stray, publication_id: 'p8', title: null },
    ]);
    await looking.close();
    await bench.open();
    const run = await bench.begin(submission(entries('a', 'b')));
    expect(await bench.states(run)).toEqual({ a: 'unconfirmed', b: 'planned' });
    expect(await bench.ledger.needsPerson(run)).toMatchObject([{ key: 'a', candidates: ['p9'] }]);
  });

  it('settles what may have been sent in between', async () => {
    const run = await bench.begin(submission(entries('a', 'b', 'c')));
    const [a, b] = await bench.ledger.possiblySent('default');
    const adopt = { kind: 'adopt', publicationId: 'p1', status: 'processing' } as const;
    expect(await bench.ledger.markPossiblySent({ rowId: a!.rowId, by: 'ana', verdict: adopt })).toBe('processing');
    const ask = { kind: 'ask', candidates: ['p2', 'p3'], why: '2 publications could be this one' } as const;
    expect(await bench.ledger.markPossiblySent({ rowId: b!.rowId, by: 'ana', verdict: ask })).toBe('unconfirmed');
    expect(await bench.states(run)).toEqual({ a: 'processing', b: 'unconfirmed', c: 'planned' });
    const settled = { run, key: 'b', decision: { kind: 'not-published' }, by: 'ana' } as const;
    expect((await bench.ledger.resolve(settled)).state).toBe('planned');
  });

  it('belongs to one machine, known by its id or by its boot', async () => {
    await bench.ledger.close();
    const open = (id: string, boot: string, newHost = false) =>
      openLedger({ path: bench.path }, { host: { id, boot }, newHost }).then((ledger) => ledger.close());
    await open('one', 'boot-1');
    await open('one', 'boot-2');
    await open('container', 'boot-2');
    await expect(open('two', 'boot-9')).rejects.toThrow(LedgerOtherHostError);
    await open('two', 'boot-9', true);
    await open('two', 'boot-9');
    await bench.open();
  });

  it('is copied while it is written, and never over a file', async () => {
    const run = await bench.begin(submission(entries('a')));
    await bench.claimed(run, await bench.firstId(run));
    await bench.ledger.backup(copy());
    await expect(bench.ledger.backup(copy())).rejects.toThrow(/exists already/);
    const rows = [];
    for await (const row of bench.ledger.exportRows()) rows.push(row);
    expect(rows).toMatchObject([{ key: 'a', state: 'creating', attempts: [{ number: 1 }] }]);
  });

  it('is not disturbed by an unreadable mirror', async () => {
    await bench.begin(submission(entries('a')));
    await bench.ledger.close();
    const mirror = join(bench.folder, 'home', 'ledger.seq');
    expect(JSON.parse(readFileSync(mirror, 'utf8'))).toMatchObject({ sequence: expect.any(Number) });
    writeFileSync(mirror, 'torn');
    await bench.open();
    expect(bench.ledger.rolledBack).toBeNull();
  });

  it('leaves no file behind when it is in memory only', async () => {
    const memory = await openLedger({ path: ':memory:' });
    expect(await memory.listRuns()).toEqual([]);
    await memory.close();
    expect(existsSync(':memory:')).toBe(false);
  });
});
