import { type UnownedPublication } from '../../../ledger/maintenance/rolled-back';
import { type RunRef } from '../../../ledger/model/types';
import { Bench, entries, entry, NOON, submission } from '../support';

/** A row of an account where a reconciliation found publications without a row. */
describe('a claim after a reconciliation', () => {
  let bench: Bench;
  let run: RunRef;
  let id: number;
  beforeEach(async () => {
    bench = await new Bench().open();
    run = await bench.begin(submission(entries('a', 'b')));
    id = await bench.firstId(run);
  });
  afterEach(() => bench.close());

  const STRAY: UnownedPublication = {
    account: 'default',
    publication_id: 'p9',
    platform: 'platform_b',
    profile_id: 'p-1',
    title: null,
  };
  const claim = async (compare: boolean) => {
    const { accepted } = await bench.ledger.unownedFor(id);
    const request = { rowId: id, run, worker: 'worker-1', now: bench.time };
    return bench.ledger.claim({ ...request, ...(compare && { compared: accepted }) });
  };
  const unowned = async () => (await bench.ledger.unownedFor(id)).unowned.map((one) => one.id);

  it('needs a comparison with the publications that no row owns', async () => {
    await bench.ledger.acceptRolledBack([STRAY]);
    expect(await claim(false)).toMatchObject({ claimed: false, reason: 'unowned', state: 'planned' });
    expect(await unowned()).toEqual(['p9']);
    expect(await claim(true)).toMatchObject({ claimed: true });
  });

  it('needs another one if its values change after the comparison', async () => {
    await bench.ledger.acceptRolledBack([STRAY]);
    const { accepted } = await bench.ledger.unownedFor(id);
    await bench.begin(submission([entry(0, 'a', { values: { title: 'Another one' } }), entry(1, 'b')]));
    const request = { rowId: id, run, worker: 'worker-1', now: bench.time, compared: accepted };
    expect(await bench.ledger.claim(request)).toMatchObject({ claimed: false, reason: 'unowned' });
    expect(await bench.ledger.askUnowned(id, { accepted, candidates: ['p9'] })).toBe('planned');
    const newer = (await bench.ledger.unownedFor(id)).accepted;
    expect(await bench.ledger.askUnowned(id, { accepted: newer, candidates: ['p9'] })).toBe('unconfirmed');
    expect(await bench.ledger.needsPerson(run)).toMatchObject([{ key: 'a', code: 'ledger-lost', candidates: ['p9'] }]);
  });

  it('needs none on another account, and none of publications that a person took for someone else’s', async () => {
    await bench.ledger.acceptRolledBack([{ ...STRAY, account: 'other' }]);
    await bench.ledger.pauseRolledBack('default', { what: '1 newer publication', found: [STRAY] });
    await bench.ledger.clearGate('account:default', 'paused');
    expect(await claim(false)).toMatchObject({ claimed: true });
  });

  it('compares those with it that a reconciliation finds after they were suspected', async () => {
    await bench.ledger.pauseRolledBack('default', { what: '1 newer publication', found: [STRAY] });
    await bench.ledger.acceptRolledBack([STRAY]);
    expect(await claim(false)).toMatchObject({ claimed: false, reason: 'unowned' });
    expect(await unowned()).toEqual(['p9']);
  });

  it('is not compared with publications that have a row by now', async () => {
    await bench.ledger.acceptRolledBack([STRAY]);
    const { accepted } = await bench.ledger.unownedFor(id);
    await bench.ledger.askUnowned(id, { accepted, candidates: ['p9'] });
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'published', publicationId: 'p9' }, by: 'ana' });
    id = (await bench.rowIds(run)).find((other) => other !== id)!;
    expect(await unowned()).toEqual([]);
    expect(await claim(true)).toMatchObject({ claimed: true });
  });

  it('isn’t asked about again after a person’s answer, until the next reconciliation', async () => {
    await bench.ledger.acceptRolledBack([STRAY]);
    const { accepted } = await bench.ledger.unownedFor(id);
    await bench.ledger.askUnowned(id, { accepted, candidates: ['p9'] });
    bench.time = NOON + 1000;
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'not-published' }, by: 'ana' });
    expect(await unowned()).toEqual([]);
    bench.time = NOON + 2000;
    await bench.ledger.acceptRolledBack([STRAY]);
    expect(await unowned()).toEqual(['p9']);
  });
});
