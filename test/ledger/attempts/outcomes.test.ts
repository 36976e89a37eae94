import { statSync } from 'node:fs';
import { openLedger } from '../../../ledger/open';
import { Bench, entries, entry, inFile, NOON, submission } from '../support';

/** Rows with a create whose publication could be any that no row owns. */
async function lostOf(bench: Bench): Promise<number[]> {
  return (await bench.ledger.lostAttempts('default', NOON)).map(({ rowId }) => rowId);
}

describe('outcomes', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await new Bench().open()));
  afterEach(() => bench.close());

  it('keep a second publication of a row and report it', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    const answer = (publicationId: string) =>
      bench.ledger.record(id, 1, { kind: 'accepted', publicationId, status: 'processing' });
    expect(await answer('p1')).toEqual({ state: 'processing' });
    expect(await answer('p1')).toEqual({ state: 'processing' });
    expect(await answer('p2')).toEqual({ state: 'processing', conflict: 'p2' });
    expect([...(await bench.ledger.owned('default', ['p1', 'p2', 'p3'])).keys()].sort()).toEqual(['p1', 'p2']);
  });

  it('take a late answer though the create was to be repeated, so that nothing is sent again', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.endDeadAttempt(id, 1);
    expect(await bench.ledger.settle(id, 1, { kind: 'repeat' })).toBe('planned');
    expect(await bench.ledger.settle(id, 1, { kind: 'repeat' })).toBe('planned');
    const late = await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    expect(late).toEqual({ state: 'processing' });
    expect((await bench.claim(run, id)).claimed).toBe(false);
  });

  it('give a publication back to the row whose own answer names it', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a, b] = await bench.rowIds(run);
    await bench.claimed(run, a!);
    await bench.claimed(run, b!);
    await bench.ledger.record(b!, 1, { kind: 'unknown', code: 'lost', message: 'cut' });
    await bench.ledger.settle(b!, 1, { kind: 'adopt', publicationId: 'p1', status: 'processing' });
    const own = await bench.ledger.record(a!, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    expect(own.state).toBe('processing');
    const seen = [];
    for await (const record of bench.ledger.results(run)) seen.push([record.key, record.publication_id, record.code]);
    expect(seen).toEqual([
      ['a', 'p1', null],
      ['b', 'p1', 'adoption-disputed'],
    ]);
  });

  it.each(['adopted', 'named by a person'])(
    'leave a publication to the row that had it (%s) before the create was claimed: the answer is unknown',
    async (how) => {
      const run = await bench.begin(submission(entries('a', 'b')));
      const [a, b] = await bench.rowIds(run);
      await bench.claimed(run, a!);
      await bench.ledger.record(a!, 1, { kind: 'unknown', code: 'lost', message: 'cut' });
      if (how === 'adopted') {
        await bench.ledger.settle(a!, 1, { kind: 'adopt', publicationId: 'p1', status: 'processing' });
      } else {
        await bench.ledger.settle(a!, 1, { kind: 'unconfirmed', code: 'held', message: 'held', candidates: ['p1'] });
        const decision = { kind: 'published', publicationId: 'p1', status: 'processing' } as const;
        await bench.ledger.resolve({ run, key: 'a', decision, by: 'ana' });
      }
      await bench.claimed(run, b!);
      const answer = { kind: 'accepted', publicationId: 'p1', status: 'processing' } as const;
      expect(await bench.ledger.record(b!, 1, answer)).toEqual({ state: 'creating' });
      const seen = [];
      for await (const record of bench.ledger.results(run)) seen.push([record.key, record.publication_id, record.code]);
      expect(seen).toEqual([
        ['a', 'p1', null],
        ['b', null, 'others-publication'],
      ]);
      expect(await bench.ledger.unsettled(run)).toMatchObject([{ rowId: b, code: 'others-publication' }]);
    },
  );

  it('park the account or channel whose key was refused, and keep the row planned', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    const outcome = {
      kind: 'auth-refused',
      code: 'http-401',
      message: 'no',
      httpStatus: 401,
      park: 'account',
    } as const;
    expect(await bench.ledger.record(id, 1, outcome)).toEqual({ state: 'planned' });
    expect(await bench.ledger.gates(run)).toMatchObject([{ scope: 'account:default', kind: 'parked' }]);
    expect(await bench.claim(run, id)).toMatchObject({ reason: 'parked' });
  });

  it('hold a row back until its next try', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    const retryAt = NOON + 30_000;
    await bench.ledger.record(id, 1, { kind: 'never-sent', code: 'refused', message: 'no', retryAt });
    expect(await bench.claim(run, id)).toMatchObject({ reason: 'not-ready', readyAt: new Date(retryAt).toISOString() });
    bench.time = retryAt;
    expect(await bench.claim(run, id)).toMatchObject({ claimed: true, attempt: 2 });
  });

  it('keep scans, candidates and what is lost over all campaigns of an account', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    expect(await lostOf(bench)).toEqual([id]);
    await bench.ledger.record(id, 1, { kind: 'unknown', code: 'lost', message: 'cut', notBefore: NOON + 1000 });
    const scan = {
      at: new Date(NOON).toISOString(),
      servedAt: NOON - 5,
      candidates: ['p7'],
      full: true,
      current: true,
      settled: false,
    };
    await bench.ledger.addScan(id, 1, scan);
    const notBefore = new Date(NOON + 1000).toISOString();
    expect(await bench.ledger.unsettled(run)).toMatchObject([{ rowId: id, code: 'lost', notBefore, scans: [scan] }]);
    await bench.ledger.settle(id, 1, {
      kind: 'unconfirmed',
      code: 'ambiguous',
      message: 'two',
      candidates: ['p7', 'p8'],
    });
    expect(await bench.ledger.unsettled(run)).toEqual([]);
    expect(await lostOf(bench)).toEqual([id]);
    for await (const record of bench.ledger.results(run, { states: ['unconfirmed'] })) {
      expect(record.candidates).toEqual(['p7', 'p8']);
    }
    await bench.ledger.resolve({ run, key: 'a', decision: { kind: 'not-published' }, by: 'ana' });
    expect(await lostOf(bench)).toEqual([]);
  });

  it('of a silent worker go to a person while they are open; its late answer still counts', async () => {
    const run = await bench.begin(submission(entries('a', 'b')));
    const [a, b] = await bench.rowIds(run);
    for (const id of [a!, b!]) {
      await bench.claimed(run, id);
      await expect(bench.ledger.settle(id, 1, { kind: 'repeat' })).rejects.toThrow('still open');
      const silent = { kind: 'unconfirmed', code: 'worker-silent', message: 'silent', candidates: [] } as const;
      expect(await bench.ledger.settle(id, 1, silent)).toBe('unconfirmed');
      expect(await bench.ledger.settle(id, 1, silent)).toBe('unconfirmed');
      expect(await bench.ledger.maySend(id, 1, 'worker-1')).toBe(false);
    }
    expect(await bench.ledger.unsettled(run)).toEqual([]);
    expect(await lostOf(bench)).toEqual([a, b]);
    const late = { kind: 'accepted', publicationId: 'p1', status: 'processing' } as const;
    expect(await bench.ledger.record(a!, 1, late)).toEqual({ state: 'processing' });
    expect(await bench.states(run)).toEqual({ a: 'processing', b: 'unconfirmed' });
  });

  it('reconcile with the baseline of the run that made the attempt', async () => {
    const run = await bench.begin(submission(entries('a')));
    expect(await bench.ledger.baseline(run, 'default')).toBeNull();
    const baseline = { account: 'default', takenAt: new Date(NOON).toISOString(), ids: ['old'] };
    await bench.ledger.saveBaseline(run, baseline);
    await bench.ledger.saveBaseline(run, { ...baseline, ids: ['newer', 'old'] });
    await bench.claimed(run, await bench.firstId(run));
    const next = await bench.ledger.beginRun({
      campaign: 'spring',
      workflowId: 'campaign/spring',
      workflowRunId: 'reset',
    });
    expect(await bench.ledger.baseline(next!, 'default')).toEqual(baseline);
  });

  it('tell how long own publications took to appear in the list, counting each once', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    await bench.ledger.noteSeen('default', ['p1', 'foreign'], NOON + 4000, { from: NOON - 9000, to: NOON + 3000 });
    await bench.ledger.noteSeen('default', ['p1'], NOON + 9000);
    expect(await bench.ledger.listHabits('default')).toMatchObject({ seen: 1, slowestMs: 4000 });
  });

  it('are as old as their claims when they are first seen: a frozen worker may record an answer long after it came', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    bench.time = NOON + 20_000;
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    const [seen] = await bench.ledger.noteSeen('default', ['p1'], NOON + 21_000);
    expect(seen?.ageMs).toBe(21_000);
  });

  it('that is repeated after status: pending was submitted creates nothing: only a draft can be made pending', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'unknown', code: 'lost', message: 'the connection broke' });
    await bench.ledger.submit(submission([entry(0, 'a', { values: { status: 'pending' } })]));
    await bench.import();
    expect(await bench.ledger.settle(id, 1, { kind: 'repeat' })).toBe('cancelled');
    expect(await bench.claim(run, id)).toMatchObject({ claimed: false, state: 'cancelled' });
    expect(await bench.ledger.counts(run)).toEqual({ cancelled: 1 });
  });

  it('of a direct publish: what a list shows may be it from its claim on, with or without an answer', async () => {
    const run = await bench.begin(submission([entry(0, 'a', { values: { via: 'direct', title: 'Winter bees' } })]));
    const id = await bench.firstId(run);
    const mayBeOut = async () => {
      const direct = await bench.ledger.directPublishes('default', bench.time);
      return direct.map(({ values }) => values.title);
    };
    expect(await mayBeOut()).toEqual([]);
    await bench.claimed(run, id);
    expect(await mayBeOut()).toEqual(['Winter bees']);
    await bench.ledger.record(id, 1, { kind: 'unknown', code: 'unreadable', message: 'an odd answer' });
    expect(await mayBeOut()).toEqual(['Winter bees']);
    await bench.ledger.settle(id, 1, {
      kind: 'unconfirmed',
      code: 'direct-unread',
      message: 'nothing shows it',
      candidates: [],
    });
    // A list may have left it out when a later run noted what was there.
    bench.time += 23 * 3_600_000;
    expect(await mayBeOut()).toEqual(['Winter bees']);
    bench.time += 2 * 3_600_000;
    expect(await mayBeOut()).toEqual([]);
  });

  it('take a publication for listed at once when no earlier read could have shown it, however late this one came', async () => {
    const run = await bench.begin(submission(entries('a')));
    const id = await bench.firstId(run);
    await bench.claimed(run, id);
    await bench.ledger.record(id, 1, { kind: 'accepted', publicationId: 'p1', status: 'processing' });
    await bench.ledger.noteSeen('default', ['p1', 'foreign'], NOON + 90_000, { from: NOON - 9000, to: NOON - 1 });
    await bench.ledger.noteSeen('default', ['p1'], NOON + 9000);
    expect(await bench.ledger.listHabits('default')).toMatchObject({ seen: 1, slowestMs: 0 });
  });

  it('bind an account to its base URL until a change is confirmed', async () => {
    const bind = (baseUrl: string, confirm = false) =>
      bench.ledger.bindAccount({ account: 'default', baseUrl, confirm });
    await bind('https://a.example');
    await bind('https://a.example/');
    await expect(bind('https://b.example')).rejects.toThrow(/confirm/);
    await bind('https://b.example', true);
    await expect(bind('https://a.example')).rejects.toThrow(/b\.example/);
  });

  inFile('stay in a file that only its user can read, with an id that never changes', async () => {
    expect(statSync(bench.path).mode & 0o777).toBe(0o600);
    expect(statSync(`${bench.path}-wal`).mode & 0o777).toBe(0o600);
    const other = await openLedger({ path: bench.path });
    expect(other.id).toBe(bench.ledger.id);
    await other.close();
  });
});
